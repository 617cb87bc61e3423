// The kernel function's signature and what the binary's metadata says of it.
#pragma once
#include "codegen/passes/to_llvm/emitter.h"

#include "llvm/Support/JSON.h"

namespace dlsim::codegen {

// Metadata of an npu-level kernel: kernel, kind, args, grid, buffers, workspace. A mixed kernel has two
// functions, the cube's first.
llvm::json::Object describeKernel(llvm::ArrayRef<mlir::func::FuncOp> functions);

// Name of the function in the LLVM module.
llvm::StringRef entryName(mlir::func::FuncOp function);

// Replaces the arguments by loads from the argument block and the signature by `()`.
void loadArguments(mlir::func::FuncOp function, Emitter& emitter);

} // namespace dlsim::codegen
