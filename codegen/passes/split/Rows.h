// The vector cores of a group share the rows of every tile.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dlsim::codegen {

// Each of the two vector cores takes half of the rows, where every operation works row by row. Otherwise (a
// remark says why) both compute everything, so that their flags stay in step, and the first one stores.
mlir::LogicalResult bindSubCores(mlir::func::FuncOp vector);

} // namespace dlsim::codegen
