#include "codegen/passes/to_llvm/to_llvm.h"

#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/to_llvm/kernel.h"
#include "codegen/passes/to_llvm/lower.h"
#include "codegen/passes/to_llvm/vector.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Walks the structured program in order; the lane state of the vector unit is known within a block only.
class KernelLowering {
public:
  KernelLowering(ModuleOp module, func::FuncOp function)
      : emitter(module, function), transfers(emitter), scalars(emitter, function.getNumArguments()),
        vectors(emitter) {}

  void run(func::FuncOp function) {
    loadArguments(function, emitter);
    block(function.getBody().front());
    for (Operation* op : llvm::reverse(done))
      op->erase();
    // Buffers are addresses now.
    for (bool again = true; again;) {
      again = false;
      function.walk([&](Operation* op) {
        if (isa<npu::AllocOp, npu::SlotOp, npu::PartOp>(op) && op->use_empty()) {
          op->erase();
          again = true;
        }
      });
    }
  }

private:
  void block(Block& b) {
    for (Operation& op : llvm::make_early_inc_range(b)) {
      emitter.at(&op);
      if (op.getNumRegions() || op.hasTrait<OpTrait::IsTerminator>())
        vectors.endOfBlock();
      for (Region& region : op.getRegions())
        for (Block& inner : region)
          block(inner);
      emitter.at(&op);
      if (vectors.lower(&op) || transfers.lower(&op) || scalars.lower(&op))
        done.push_back(&op);
    }
  }

  Emitter emitter;
  TransferLowering transfers;
  ScalarLowering scalars;
  VectorLowering vectors;
  std::vector<Operation*> done;
};

class NpuToLlvmPass : public PassWrapper<NpuToLlvmPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NpuToLlvmPass)
  StringRef getArgument() const override { return "npu-to-llvm"; }
  StringRef getDescription() const override { return "commands to calls of dlnpu.* functions"; }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool failedBefore = false;
    ScopedDiagnosticHandler watch(&getContext(), [&](Diagnostic& d) {
      failedBefore |= d.getSeverity() == DiagnosticSeverity::Error;
      return failure(); // seen, not handled
    });
    llvm::SmallVector<func::FuncOp> kernels(module.getOps<func::FuncOp>());
    bool mixed = llvm::all_of(kernels, [](func::FuncOp f) { return f->hasAttr("npu.workspace_bytes"); });
    if (kernels.size() != 1 && !(mixed && kernels.size() == 2)) {
      module.emitError() << "expected one kernel (or the two functions of a mixed one), found "
                         << kernels.size();
      return signalPassFailure();
    }
    llvm::stable_sort(kernels, [](func::FuncOp a, func::FuncOp b) { return entryName(a) < entryName(b); });
    std::string meta = llvm::formatv("{0}", llvm::json::Value(describeKernel(kernels)));
    module->setAttr(kMetaAttribute, StringAttr::get(&getContext(), meta));
    for (func::FuncOp kernel : kernels) {
      KernelLowering(module, kernel).run(kernel);
      kernel.setName(entryName(kernel));
    }
    if (failedBefore)
      signalPassFailure();
  }
};

// Locations as LLVM wants them: the kernel's own file and line on every operation, a subprogram on the
// function.
class DebugLocationsPass : public PassWrapper<DebugLocationsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DebugLocationsPass)
  StringRef getArgument() const override { return "npu-debug-locations"; }
  StringRef getDescription() const override { return "reduce locations to file and line"; }

  void runOnOperation() override {
    getOperation()->walk([&](Operation* op) {
      auto position = sourcePosition(op->getLoc());
      op->setLoc(position ? Location(position) : UnknownLoc::get(&getContext()));
    });
  }
};

} // namespace

std::unique_ptr<Pass> createNpuToLlvmPass() { return std::make_unique<NpuToLlvmPass>(); }
std::unique_ptr<Pass> createDebugLocationsPass() { return std::make_unique<DebugLocationsPass>(); }

void buildToLlvmPipeline(OpPassManager& pm) {
  pm.addPass(createNpuToLlvmPass());
  pm.addPass(createConvertSCFToCFPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createDebugLocationsPass());
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

void registerToLlvmPasses() {
  PassRegistration<NpuToLlvmPass>();
  PassRegistration<DebugLocationsPass>();
  PassPipelineRegistration<>("npu-lower", "npu commands to the LLVM dialect", buildToLlvmPipeline);
}

} // namespace dlsim::codegen
