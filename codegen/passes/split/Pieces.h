// The rows of one vector core in several pieces, so that a tile of many rows fits UB.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace dlsim::codegen {

// How many pieces of one core's rows keep its tiles small.
int64_t choosePieces(mlir::func::FuncOp vector);

// Base and strides that a piece's load or store had before it was cut.
using WholeAccesses =
    llvm::DenseMap<mlir::Operation*, std::pair<mlir::Value, llvm::SmallVector<mlir::Value>>>;

// One piece after the other between two crossings to this side, so that only one at a time needs room for its
// temporaries. What it loads and stores goes with it: the wait for a free place in the workspace comes first,
// flags for the other side come behind the last piece's access. Where a store of results may touch what the
// block loads or what others store, all pieces come to it before one goes on. pieceOf: number of the piece
// that an operation belongs to; what is missing there is for all pieces.
void orderPieces(mlir::Block& block, int64_t pieces, const llvm::DenseMap<mlir::Operation*, int64_t>& pieceOf,
                 const WholeAccesses& wholeOf);

} // namespace dlsim::codegen
