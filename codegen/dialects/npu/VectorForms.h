// Which commands a whole-tile operation of the vector unit becomes, where there are several ways, and the
// scratch that they need. Both sides ask here: dl-to-npu for the scratch, npu-to-llvm for the commands. Costs
// are cycles of a command's start and of a repeat, as in the 910B1's chip file.
#pragma once
#include "codegen/dialects/npu/NpuDialect.h"

#include "llvm/Support/MathExtras.h"

namespace dlsim::npu {

// How a row of f32 is reduced; empty where npu.vreduce's other trees apply. `elements` are those of a row
// before the stage.
struct ReduceStage {
  enum Kind {
    blocks, // v.cg<kind>: a result a block
    fold,   // elementwise: the row's blocks into one
    whole   // v.c<kind>: a result a row
  } kind;
  int64_t elements;
  int64_t after() const {
    return kind == whole ? 1 : kind == fold ? 8 : int64_t(llvm::divideCeil(elements, 8));
  }
};
llvm::SmallVector<ReduceStage> reduceStages(mlir::MemRefType src, int64_t axis);
// Scratch elements of npu.vreduce and npu.vbrc, 0 if none is needed.
int64_t reduceScratch(mlir::MemRefType src, int64_t axis);
int64_t broadcastScratch(mlir::MemRefType src, int64_t axis);
// Elements of the tile of npu.vblocks for a column of `rows` elements.
int64_t blockElements(int64_t rows, int64_t bits);

// How npu.vcolumn walks over its tile.
enum class ColumnForm {
  rows,   // a command per row
  chunks, // a command per 256 bytes of columns
  copies  // several chunks a command, with blocks of each element in scratch as copies of it
};
ColumnForm columnForm(mlir::MemRefType tile, BinaryKind kind);
int64_t columnScratch(mlir::MemRefType tile, BinaryKind kind); // elements

} // namespace dlsim::npu
