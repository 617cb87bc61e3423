// Functions of libdevice as builders of expressions, by the names without `__nv_`.
#pragma once
#include "codegen/passes/expand/Expression.h"

#include "llvm/ADT/StringRef.h"

namespace dlsim::codegen {

using MakeFunction = mlir::Value (*)(mlir::OpBuilder&, mlir::Location, mlir::ValueRange operands);

// Null if there is none of that name. Names of functions of floats come without their final f.
MakeFunction specialFunction(llvm::StringRef name); // error functions, gamma, Bessel
MakeFunction bitFunction(llvm::StringRef name);     // integers, and floats by their bits

} // namespace dlsim::codegen
