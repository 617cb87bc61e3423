#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir;

namespace dlsim::access {
namespace {
// The largest number known to divide a value (0: the value is 0). From tt.divisibility of the arguments.
class Divisibility {
public:
  explicit Divisibility(Analysis& analysis) : analysis(analysis) {}
  int64_t of(Value value, int depth = 0) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return std::abs(constant.getSExtValue());
    if (depth > 32)
      return 1;
    if (auto arg = dyn_cast<BlockArgument>(value))
      return ofArgument(arg, depth);
    Operation* op = value.getDefiningOp();
    if (isa<arith::MulIOp>(op))
      return of(op->getOperand(0), depth + 1) * of(op->getOperand(1), depth + 1);
    if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
      return std::gcd(of(op->getOperand(0), depth + 1), of(op->getOperand(1), depth + 1));
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
      return of(op->getOperand(0), depth + 1);
    return 1;
  }
  int64_t of(const Polynomial& polynomial, int depth = 0) {
    int64_t result = 0;
    for (auto& [monomial, coefficient] : polynomial.terms) {
      int64_t term = std::abs(coefficient);
      for (unsigned leaf : monomial)
        term *= of(analysis.leaves.value(leaf), depth + 1);
      result = std::gcd(result, term);
    }
    return result;
  }

private:
  int64_t ofArgument(BlockArgument arg, int depth) {
    Operation* parent = arg.getOwner()->getParentOp();
    if (auto function = dyn_cast<func::FuncOp>(parent)) {
      auto attr = function.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), "tt.divisibility");
      return attr ? attr.getInt() : 1;
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return 1;
    if (arg == loop.getInductionVar())
      return std::gcd(of(loop.getLowerBound(), depth + 1), of(loop.getStep(), depth + 1));
    // base of the start and of each step
    unsigned i = arg.getArgNumber() - 1;
    if (!analysis.carriesBase(loop, i) || !Analysis::followsThroughLoops(arg.getType()))
      return 1;
    Polynomial self = Polynomial::leaf(analysis.leaves.number(arg));
    return std::gcd(of(*analysis.base(loop.getInitArgs()[i]), depth + 1),
                    of(*analysis.base(loop.getYieldedValues()[i]) - self, depth + 1));
  }
  Analysis& analysis;
};

std::string maskKind(const Mask& mask) {
  std::string kind;
  for (auto [d, range] : llvm::enumerate(mask.dims))
    if (!range.lo.empty() || !range.hi.empty())
      kind += (kind.empty() ? "range in " : ", ") + std::to_string(d);
  if (!mask.conditions.empty())
    kind += kind.empty() ? "scalar" : " + scalar";
  return kind.empty() ? "none" : kind;
}
} // namespace

void reportAccess(llvm::raw_ostream& stream, Operation* op, const Pointer& pointer, const Mask& mask,
                  RankedTensorType tile, Analysis& analysis) {
  Type element = cast<tt::PointerType>(pointer.root.getType()).getPointee();
  int64_t bytes = std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8), burst = bytes, align = 0;
  std::string kind = "scalar", shape = "1";
  Divisibility divisibility(analysis);
  if (auto arg = dyn_cast<BlockArgument>(pointer.root);
      arg && isa<func::FuncOp>(arg.getOwner()->getParentOp()))
    align = divisibility.of(pointer.root); // bytes
  else
    align = bytes;
  align = std::gcd(align, bytes * divisibility.of(pointer.offset.base));
  if (tile) {
    auto& dims = pointer.offset.dims;
    bool wrapped = llvm::any_of(dims, [](const Dim& dim) { return dim.wrap.has_value(); });
    shape.clear();
    std::optional<size_t> unit;
    for (auto [d, dim] : llvm::enumerate(dims)) {
      shape += (d ? "x" : "") + std::to_string(tile.getShape()[d]);
      if (dim.coefficient == Polynomial(1) && tile.getShape()[d] > 1)
        unit = d;
    }
    for (auto [d, dim] : llvm::enumerate(dims))
      if (d != unit.value_or(dims.size()) && tile.getShape()[d] > 1)
        align = std::gcd(align, bytes * divisibility.of(dim.coefficient));
    if (unit)
      burst = bytes * tile.getShape()[*unit];
    kind = !unit                         ? "strided elements"
           : *unit + 1 == dims.size()    ? "tile copy"
           : tile.getShape().back() == 1 ? "tile copy"
                                         : "transposed tile";
    if (wrapped)
      kind += ", wrapped";
  }
  std::string text = llvm::formatv("{0}: {1} {2}x{3}: {4}, burst {5} B, alignment {6} B, mask {7}",
                                   sourceLine(op->getLoc()), op->getName().stripDialect(), shape, element,
                                   kind, burst, align ? align : 4096, maskKind(mask));
  stream << text << "\n";
}
} // namespace dlsim::access
