#include "codegen/passes/to_npu/ToNpu.h"

#include "codegen/passes/to_npu/Lowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

class ToNpuPass : public PassWrapper<ToNpuPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToNpuPass)
  explicit ToNpuPass(Coalesce mode = Coalesce::full) { coalesce = mode; }
  ToNpuPass(const ToNpuPass& other) : PassWrapper(other) { coalesce = Coalesce(other.coalesce); }
  StringRef getArgument() const final { return "dl-to-npu"; }
  StringRef getDescription() const final {
    return "Bufferisation: tensors to on-chip tiles, operations to unit commands";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<npu::NpuDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<FunctionOpInterface> functions(getOperation().getOps<FunctionOpInterface>());
    for (FunctionOpInterface function : functions) {
      if (function.isExternal())
        continue;
      OpBuilder builder(function);
      if (failed(Lowering(function, builder, coalesce).run()))
        return signalPassFailure();
      function.erase();
    }
  }

private:
  Option<Coalesce> coalesce{*this, "coalesce", llvm::cl::desc("accesses that are not contiguous"),
                            llvm::cl::init(Coalesce::full),
                            llvm::cl::values(clEnumValN(Coalesce::off, "off", "element by element"),
                                             clEnumValN(Coalesce::copy, "copy", "strided burst copies"),
                                             clEnumValN(Coalesce::full, "full", "whole runs"))};
};

} // namespace

std::unique_ptr<Pass> createDlToNpuPass(Coalesce coalesce) { return std::make_unique<ToNpuPass>(coalesce); }
void registerDlToNpuPasses() {
  PassRegistration<ToNpuPass>();
  registerPass([] { return createNpuInplacePass(); });
  registerPass([] { return createNpuJoinPiecesPass(); });
}

} // namespace dlsim::codegen
