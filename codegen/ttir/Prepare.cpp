// Brings the text into the form that the passes expect: structured control flow in every function (an early
// return becomes an if around the rest), and no operations that only help debugging on the original machine.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/support/SourceLine.h"
#include "codegen/ttir/Ttir.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dlsim::ttir {
namespace {
struct Structure : ControlFlowToSCFTransformation {
  // Ends a path that is never reached.
  FailureOr<Operation*> createUnreachableTerminator(Location loc, OpBuilder& builder,
                                                    Region& region) override {
    SmallVector<Value> results;
    for (Type type : cast<tt::FuncOp>(region.getParentOp()).getResultTypes())
      results.push_back(getUndefValue(loc, builder, type));
    return builder.create<tt::ReturnOp>(loc, results).getOperation();
  }
};

struct PreparePass : PassWrapper<PreparePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PreparePass)
  StringRef getArgument() const final { return "dl-ttir-prepare"; }
  StringRef getDescription() const final {
    return "structured control flow; debugging operations are dropped";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect, ub::UBDialect>();
  }

  void runOnOperation() final {
    getOperation().walk([](Operation* op) {
      // tl.debug_barrier joins the threads of one program; here a program is one thread.
      if (isa<LLVM::AssumeOp, gpu::BarrierOp>(op))
        return op->erase();
      if (!isa<tt::AssertOp, tt::PrintOp>(op))
        return;
      auto position = sourcePosition(op->getLoc());
      emitWarning(position ? Location(position) : op->getLoc()) << op->getName() << " is ignored";
      op->erase();
    });
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<tt::FuncOp>()) // Triton leaves a dead block after each return
      (void)eraseUnreachableBlocks(rewriter, function->getRegions());
    auto& dominance = getAnalysis<DominanceInfo>();
    for (auto function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isExternal() || function.getBody().hasOneBlock())
        continue;
      Structure structure;
      if (failed(transformCFGToSCF(function.getBody(), structure, dominance))) {
        errorAt(function) << "the control flow of '" << function.getName() << "' cannot be structured";
        return signalPassFailure();
      }
    }
  }
};
} // namespace

std::unique_ptr<Pass> createPreparePass() { return std::make_unique<PreparePass>(); }
} // namespace dlsim::ttir
