#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/support/SourceLine.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dlsim::access {
namespace {
struct AccessPass : PassWrapper<AccessPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AccessPass)
  AccessPass() = default;
  AccessPass(const AccessPass& other) : PassWrapper(other), stream(other.stream) {
    report = bool(other.report);
    coalesce = codegen::Coalesce(other.coalesce);
  }
  explicit AccessPass(const AccessOptions& options) : stream(options.stream) {
    report = options.report;
    coalesce = options.coalesce;
  }
  StringRef getArgument() const final { return "dl-access"; }
  StringRef getDescription() const final {
    return "loads and stores through pointer tensors to tile accesses";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry
        .insert<arith::ArithDialect, dl::DlDialect, scf::SCFDialect, tensor::TensorDialect, tt::TtDialect>();
  }

  void runOnOperation() final {
    func::FuncOp function = getOperation();
    if (failed(expandDescriptors(function)) || failed(expandBlockPointers(function)))
      return signalPassFailure();
    unbatchDots(function);
    pairNeighbours(function);
    hoistPointerCasts(function);
    carryDistances(function);
    auto slots = addCarriedSlots(function);
    Analysis analysis(function);
    Materializer materializer(analysis);
    fillCarriedSlots(slots, analysis, materializer);
    llvm::raw_ostream* out = !report ? nullptr : stream ? stream : &llvm::errs();
    if (failed(rewriteAccesses(function, analysis, materializer, coalesce, out)))
      return signalPassFailure();
    removeDeadCarriedValues(function);
    if (failed(checkNoPointerTensors(function)))
      signalPassFailure();
  }

  // Pointers may only be left as scalars.
  LogicalResult checkNoPointerTensors(func::FuncOp function) {
    auto result = function.walk([&](Operation* op) {
      for (Type type : op->getResultTypes()) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (!tensor || !isa<tt::PointerType>(tensor.getElementType()))
          continue;
        errorAt(op) << "'" << op->getName()
                    << "' keeps a tensor of pointers that is more than the address of a load or store; "
                    << "compute with offsets, and add them to the pointer where it is used";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  llvm::raw_ostream* stream = nullptr;
  Option<bool> report{*this, "report", llvm::cl::desc("print one line for each access"),
                      llvm::cl::init(false)};
  Option<codegen::Coalesce> coalesce{
      *this, "coalesce", llvm::cl::desc("accesses that are not contiguous"),
      llvm::cl::init(codegen::Coalesce::full),
      llvm::cl::values(clEnumValN(codegen::Coalesce::off, "off", "lane by lane"),
                       clEnumValN(codegen::Coalesce::copy, "copy", "strided burst copies"),
                       clEnumValN(codegen::Coalesce::full, "full", "whole runs"))};
};
} // namespace

std::unique_ptr<Pass> createAccessPass(AccessOptions options) {
  return std::make_unique<AccessPass>(options);
}

void buildAccessPipeline(OpPassManager& passes, AccessOptions options) {
  passes.addNestedPass<func::FuncOp>(createAccessPass(options));
  passes.addPass(createCanonicalizerPass());
  passes.addNestedPass<func::FuncOp>(createFoldBoundsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createCSEPass()); // equal address parts of different accesses meet outside the loops
}

void registerAccessPass() {
  PassRegistration<AccessPass>();
  registerFoldBoundsPass();
  PassPipelineRegistration<>("dl-access-stage", "dl-access with its clean-up",
                             [](OpPassManager& passes) { buildAccessPipeline(passes); });
}
} // namespace dlsim::access
