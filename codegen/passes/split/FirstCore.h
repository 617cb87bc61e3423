// What only the first vector core of a group does.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace dlsim::codegen {

// Every vector core of a group computes all rows, and the first one stores them.
void leaveSubCoresUnbound(mlir::func::FuncOp vector);

// The operations that others can see: stores, atomic updates, prints.
std::vector<mlir::Operation*> effects(mlir::func::FuncOp vector);

// The effect happens on the core whose number `sub` is 0.
void leaveToFirstCore(mlir::Operation* effect, mlir::Value sub);

} // namespace dlsim::codegen
