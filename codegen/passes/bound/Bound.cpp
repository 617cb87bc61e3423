#include "codegen/passes/bound/Bound.h"

#include "codegen/passes/bound/Costs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Turns of a loop between constants.
std::optional<double> turnsOf(scf::ForOp loop) {
  auto low = getConstantIntValue(loop.getLowerBound()), high = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  return std::max(0.0, std::ceil(double(*high - *low) / double(*step)));
}

class BoundPass : public PassWrapper<BoundPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BoundPass)
  BoundPass() = default;
  explicit BoundPass(std::string name) { chip = std::move(name); }
  BoundPass(const BoundPass& other) : PassWrapper(other) { chip = std::string(other.chip); }

  StringRef getArgument() const override { return "npu-bound"; }
  StringRef getDescription() const override { return "least cycles of each loop's iterations on each unit"; }

  void runOnOperation() override {
    auto kind = getOperation()->getAttrOfType<StringAttr>("npu.kind");
    if (!kind)
      return;
    llvm::Expected<ChipFile> file = ChipFile::open(chip);
    if (!file) {
      getOperation().emitError() << llvm::toString(file.takeError());
      return signalPassFailure();
    }
    Costs costs(*file, kind.getValue());
    getOperation().walk([&](scf::ForOp loop) {
      if (!turnsOf(loop))
        report(loop, costs);
    });
  }

private:
  static Times timesOf(Block& block, const Costs& costs) {
    Times sum;
    for (Operation& op : block) {
      if (auto command = dyn_cast<npu::NpuCommand>(op))
        sum += costs.of(command);
      else if (auto loop = dyn_cast<scf::ForOp>(op)) // one of unknown length has a report of its own
        sum += timesOf(*loop.getBody(), costs) * turnsOf(loop).value_or(0);
      else if (auto either = dyn_cast<scf::IfOp>(op))
        sum += Times::longest(timesOf(*either.thenBlock(), costs),
                              either.elseBlock() ? timesOf(*either.elseBlock(), costs) : Times());
    }
    return sum;
  }

  static void report(scf::ForOp loop, const Costs& costs) {
    Times times = timesOf(*loop.getBody(), costs);
    std::vector<std::pair<double, std::string>> parts;
    for (unsigned unit = 0; unit < unitCount; ++unit)
      parts.emplace_back(std::round(times.cycles[unit]), npu::stringifyUnit(npu::Unit(unit)).upper());
    parts.emplace_back(std::round(costs.memoryCycles(times.bytes)), "HBM");
    llvm::erase_if(parts, [](const auto& part) { return part.first <= 0; });
    if (parts.empty())
      return;
    llvm::sort(parts, [](const auto& a, const auto& b) {
      return std::tie(b.first, a.second) < std::tie(a.first, b.second);
    });
    InFlightDiagnostic remark = loop.emitRemark("bound: an iteration takes at least ");
    for (auto [i, part] : llvm::enumerate(parts))
      remark << (i ? ", " : "") << part.second << ' ' << int64_t(part.first);
    remark << " cycles";
    if (parts.front().second == "HBM" && parts.size() > 1)
      remark << "; what is in L2 leaves " << parts[1].second << " the bound";
  }

  Option<std::string> chip{*this, "chip", llvm::cl::desc("chip file"), llvm::cl::init("ascend910b1")};
};

} // namespace

std::unique_ptr<Pass> createBoundPass(std::string chip) {
  return std::make_unique<BoundPass>(std::move(chip));
}
void registerBoundPass() { PassRegistration<BoundPass>(); }

} // namespace dlsim::codegen
