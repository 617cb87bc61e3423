// Pass dl-fold-bounds: bounds of rectangles that the signs of indices decide. A block pointer's check against
// the beginning of a tensor is max(min(-index, size), 0), which is 0 for every index that is not negative.
// Index arithmetic does not overflow (see Analysis.h).
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dlsim::access {
namespace {

class Signs {
public:
  bool nonNegative(Value value) {
    if (auto known = getConstantIntValue(value))
      return *known >= 0;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return false;
      return argument == loop.getInductionVar() ? nonNegative(loop.getLowerBound())
                                                : carried(loop, argument.getArgNumber() - 1);
    }
    Operation* op = value.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return carried(loop, cast<OpResult>(value).getResultNumber());
    if (isa<dl::CoreIdOp, dl::CoreCountOp, dl::GridSizeOp, tt::GetNumProgramsOp, arith::ExtUIOp>(op))
      return true;
    if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp>(op))
      return nonNegative(op->getOperand(0)) && nonNegative(op->getOperand(1));
    if (isa<arith::ExtSIOp, arith::TruncIOp, arith::RemSIOp, arith::RemUIOp, arith::DivUIOp>(op))
      return nonNegative(op->getOperand(0));
    return isa<arith::MaxSIOp>(op) && either(op, &Signs::nonNegative);
  }

  bool nonPositive(Value value) {
    if (auto known = getConstantIntValue(value))
      return *known <= 0;
    Operation* op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return false;
    Value left = op->getOperand(0), right = op->getOperand(1);
    if (isa<arith::MulIOp>(op)) {
      auto factor = getConstantIntValue(right);
      return factor && *factor < 0 && nonNegative(left);
    }
    if (isa<arith::SubIOp>(op))
      return getConstantIntValue(left) == 0 && nonNegative(right);
    return isa<arith::MinSIOp>(op) && either(op, &Signs::nonPositive);
  }

private:
  // What a failed attempt has assumed is forgotten.
  bool either(Operation* op, bool (Signs::*holds)(Value)) {
    auto before = assumed;
    if ((this->*holds)(op->getOperand(0)))
      return true;
    assumed = std::move(before);
    return (this->*holds)(op->getOperand(1));
  }

  // By induction: a value that a loop carries is not negative if its start is not and no step makes it so.
  bool carried(scf::ForOp loop, unsigned i) {
    if (!assumed.insert({loop, i}).second)
      return true;
    return nonNegative(loop.getInitArgs()[i]) && nonNegative(loop.getYieldedValues()[i]);
  }

  llvm::DenseSet<std::pair<Operation*, unsigned>> assumed;
};

class FoldBoundsPass : public PassWrapper<FoldBoundsPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldBoundsPass)
  StringRef getArgument() const final { return "dl-fold-bounds"; }
  StringRef getDescription() const final { return "bounds that the signs of indices decide"; }

  void runOnOperation() final {
    SmallVector<arith::MaxSIOp> bounds;
    getOperation().walk([&](arith::MaxSIOp op) { bounds.push_back(op); });
    // In program order: an upper bound is the maximum of what is left of its lower bound.
    for (arith::MaxSIOp op : bounds)
      if (getConstantIntValue(op.getRhs()) != 0)
        continue;
      else if (Signs().nonPositive(op.getLhs()))
        op.getResult().replaceAllUsesWith(op.getRhs());
      else if (Signs().nonNegative(op.getLhs()))
        op.getResult().replaceAllUsesWith(op.getLhs());
  }
};

} // namespace

std::unique_ptr<Pass> createFoldBoundsPass() { return std::make_unique<FoldBoundsPass>(); }
void registerFoldBoundsPass() { PassRegistration<FoldBoundsPass>(); }

} // namespace dlsim::access
