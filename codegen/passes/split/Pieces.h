// The rows of one vector core in several pieces, so that a tile of many rows fits UB.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace dlsim::codegen {

// How many pieces of one core's rows keep its tiles small.
int64_t choosePieces(mlir::func::FuncOp vector);

// One piece after the other between two crossings to this side or stores of results, so that only one at a
// time needs room for its temporaries. What it loads from the workspace and stores there goes with it: the
// wait for a free place comes first, flags for the other side come behind the last piece's access.
// pieceOf: number of the piece that an operation belongs to; what is missing there is for all pieces.
void orderPieces(mlir::Block& block, int64_t pieces,
                 const llvm::DenseMap<mlir::Operation*, int64_t>& pieceOf);

} // namespace dlsim::codegen
