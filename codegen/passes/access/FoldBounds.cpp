// Pass dl-fold-bounds: bounds of rectangles that the signs of indices decide. A block pointer's check against
// the beginning of a tensor is max(min(-index, size), 0), which is 0 for every index that is not negative.
// Index arithmetic does not overflow (see Analysis.h).
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/access/Signs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dlsim::access {
namespace {

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
