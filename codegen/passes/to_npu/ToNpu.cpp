#include "codegen/passes/to_npu/ToNpu.h"

#include "codegen/passes/to_npu/Erf.h"
#include "codegen/passes/to_npu/Lowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

class ToNpuPass : public PassWrapper<ToNpuPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToNpuPass)
  StringRef getArgument() const final { return "dl-to-npu"; }
  StringRef getDescription() const final {
    return "Bufferisation: tensors to on-chip tiles, operations to unit commands";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<npu::NpuDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    scf::SCFDialect>();
  }
  void runOnOperation() final {
    expandErf(getOperation());
    SmallVector<FunctionOpInterface> functions(getOperation().getOps<FunctionOpInterface>());
    for (FunctionOpInterface function : functions) {
      if (function.isExternal())
        continue;
      OpBuilder builder(function);
      if (failed(Lowering(function, builder).run()))
        return signalPassFailure();
      function.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createDlToNpuPass() { return std::make_unique<ToNpuPass>(); }
void registerDlToNpuPasses() {
  PassRegistration<ToNpuPass>();
  registerPass([] { return createNpuInplacePass(); });
}

} // namespace dlsim::codegen
