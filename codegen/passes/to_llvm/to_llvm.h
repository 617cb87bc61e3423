// npu-to-llvm: commands to calls of dlnpu.* functions, the kernel to `void @kernel()` that reads its
// arguments from the argument block. buildToLlvmPipeline goes on to the LLVM dialect, with debug locations.
#pragma once
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace dlsim::codegen {

// On the module after npu-to-llvm: the kernel's part of .dlnpu.meta as JSON text (kernel, kind, chip, args,
// grid, buffers), so that a later stage read from a file still knows it.
inline constexpr llvm::StringLiteral kMetaAttribute = "dlnpu.meta";

std::unique_ptr<mlir::Pass> createNpuToLlvmPass();
std::unique_ptr<mlir::Pass> createDebugLocationsPass();
void buildToLlvmPipeline(mlir::OpPassManager& pm);
void registerToLlvmPasses();

} // namespace dlsim::codegen
