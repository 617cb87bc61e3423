// dl-opt: runs single passes on MLIR text. Registers only the dialects and passes in use (InitAll costs a
// minute of compile time). A part adds its dialect in registerDialects and its passes in registerPasses.
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/blockify/Blockify.h"
#include "codegen/passes/dot/Dot.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/multibuffer/multibuffer.h"
#include "codegen/passes/panels/Panels.h"
#include "codegen/passes/plan_memory/plan_memory.h"
#include "codegen/passes/split/CvPipeline.h"
#include "codegen/passes/split/Split.h"
#include "codegen/passes/sync/sync.h"
#include "codegen/passes/to_llvm/to_llvm.h"
#include "codegen/passes/to_npu/ToNpu.h"
#include "codegen/ttir/Ttir.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

static void registerDialects(mlir::DialectRegistry& registry) {
  dlsim::ttir::registerDialects(registry);
  registry.insert<mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect, dlsim::dl::DlDialect,
                  dlsim::npu::NpuDialect>();
}

static void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerLoopInvariantCodeMotionPass();
  mlir::registerInlinerPass();
  mlir::registerSymbolDCEPass();
  dlsim::codegen::registerDlDotPass();
  dlsim::codegen::registerExpandPass();
  dlsim::codegen::registerDlSplitPass();
  dlsim::codegen::registerCvPipelinePass();
  dlsim::codegen::registerDlToNpuPasses();
  dlsim::codegen::registerMultibufferPass();
  dlsim::codegen::registerPanelsPass();
  dlsim::codegen::registerPlanMemoryPass();
  dlsim::codegen::registerSyncPasses();
  dlsim::codegen::registerToLlvmPasses();
  mlir::PassPipelineRegistration<>("dl-ttir",
                                   "stage ttir: inline, canonicalise, CSE, loop-invariant code motion",
                                   dlsim::ttir::buildTtirPipeline);
  dlsim::blockify::registerBlockifyPass();
  dlsim::access::registerAccessPass();
}

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "dlsim pass driver\n", registry));
}
