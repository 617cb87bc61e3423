// dl-opt: runs single passes on MLIR text. Registers only the dialects and passes in use (InitAll costs a
// minute of compile time). A part adds its dialect in registerDialects and its passes in registerPasses.
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/object/Files.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/blockify/Blockify.h"
#include "codegen/passes/bound/Bound.h"
#include "codegen/passes/coarsen/Coarsen.h"
#include "codegen/passes/dot/Dot.h"
#include "codegen/passes/dot/Pieces.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/keep/keep.h"
#include "codegen/passes/layout/Layout.h"
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
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

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
  dlsim::codegen::registerPiecesPass();
  dlsim::codegen::registerExpandPass();
  dlsim::codegen::registerHalvePass();
  dlsim::codegen::registerDlSplitPass();
  dlsim::codegen::registerCvPipelinePass();
  dlsim::codegen::registerDlToNpuPasses();
  dlsim::codegen::registerBoundPass();
  dlsim::codegen::registerCoarsenPass();
  dlsim::codegen::registerKeepPass();
  dlsim::codegen::registerLayoutPass();
  dlsim::codegen::registerMultibufferPass();
  dlsim::codegen::registerPanelsPass();
  dlsim::codegen::registerPlanMemoryPass();
  dlsim::codegen::registerSyncPasses();
  dlsim::codegen::registerToLlvmPasses();
  mlir::registerPass([] { return dlsim::ttir::createScaledDotPass(); });
  mlir::registerPass([] { return dlsim::ttir::createFloat8Pass(); });
  mlir::PassPipelineRegistration<>("dl-ttir",
                                   "stage ttir: inline, canonicalise, CSE, loop-invariant code motion",
                                   dlsim::ttir::buildTtirPipeline);
  dlsim::blockify::registerBlockifyPass();
  dlsim::access::registerAccessPass();
}

static int fail(const llvm::Twine& message) {
  llvm::errs() << "dl-opt: " << message << "\n";
  return 2;
}

static void registerOptions(mlir::DialectRegistry& registry) {
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
}

// MlirOptMain's own reading and writing knows one exit code for all that goes wrong.
int main(int argc, char** argv) {
  namespace cl = llvm::cl;
  cl::opt<std::string> input(cl::Positional, cl::desc("<input>"), cl::init("-"));
  cl::opt<std::string> output("o", cl::desc("Output file (default: standard output)"), cl::init("-"));
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  registerOptions(registry);
  const char* overview =
      "dl-opt: runs single passes on MLIR text\n\n"
      "exit codes: 0 ok, 1 the text or a pass has errors, 2 bad usage, unreadable input or "
      "unwritable output\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return 2;
  if (std::string same = dlsim::codegen::overwrittenInput(output, {input}); !same.empty())
    return fail("-o " + output + " would overwrite the input " + same);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!buffer)
    return fail(input + ": " + buffer.getError().message());
  std::string text;
  llvm::raw_string_ostream out(text);
  if (failed(mlir::MlirOptMain(out, std::move(*buffer), registry,
                               mlir::MlirOptMainConfig::createFromCLOptions())))
    return 1;
  if (llvm::Error error = dlsim::codegen::writeFile(output, text))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
