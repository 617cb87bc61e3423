// The rows of every tile in parts: one a vector core of a group, and several pieces one after the other.
#pragma once
#include "codegen/support/RowPieces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dlsim::codegen {

// Each of the two vector cores takes half of the rows, where every operation works row by row. Otherwise (a
// remark says why) both compute everything, so that their flags stay in step, and the first one stores. A
// half is computed in `leastPieces` pieces or more.
mlir::LogicalResult bindSubCores(mlir::func::FuncOp vector, int64_t leastPieces);

// The same for a function that runs on its own on each vector core: it keeps its tiles if their rows cannot
// be cut.
void cutRows(mlir::func::FuncOp function, int64_t pieces);

} // namespace dlsim::codegen
