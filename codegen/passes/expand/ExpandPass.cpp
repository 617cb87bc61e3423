#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

struct Expansion : RewritePattern {
  explicit Expansion(MLIRContext* context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation* op, PatternRewriter& rewriter) const final {
    if (op->getNumResults() != 1)
      return expandWideProduct(op, rewriter);
    Dialect* dialect = op->getDialect();
    if (isa<dl::HalfOp>(op))
      return expandWide(op, rewriter);
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect, tt::TtDialect>(dialect))
      return failure();
    return success(succeeded(expandWide(op, rewriter)) || succeeded(expandLibDevice(op, rewriter)) ||
                   succeeded(expandFunction(op, rewriter)) || succeeded(expandInteger(op, rewriter)) ||
                   succeeded(expandConversion(op, rewriter)) || succeeded(expandProduct(op, rewriter)) ||
                   succeeded(expandQuotient(op, rewriter)));
  }
};

class ExpandPass : public PassWrapper<ExpandPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandPass)
  StringRef getArgument() const final { return "dl-expand"; }
  StringRef getDescription() const final { return "Operations without a command of their own to arithmetic"; }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<arith::ArithDialect, dl::DlDialect, math::MathDialect>();
  }
  void runOnOperation() final {
    scaleExponents(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<Expansion>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createExpandPass() { return std::make_unique<ExpandPass>(); }
void registerExpandPass() { PassRegistration<ExpandPass>(); }

} // namespace dlsim::codegen
