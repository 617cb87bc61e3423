// Tensors of pointers, with masks, for tiles of a strided array.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace dlsim::access {
struct StridedArray {
  mlir::Value base;                              // scalar pointer
  llvm::SmallVector<mlir::Value> shape, strides; // i64, in elements
};
struct TileAddress {
  mlir::Value pointers;
  mlir::Value mask; // null: nothing is checked
};
// `positions`: the tile's coordinates in each dimension, vectors of i64. Coordinates of the dimensions
// `checked` are masked off where they lie outside the array.
TileAddress addressOfTile(mlir::OpBuilder& b, mlir::Location loc, const StridedArray& array,
                          llvm::ArrayRef<mlir::Value> positions, mlir::RankedTensorType tile,
                          llvm::ArrayRef<int32_t> checked);
// start, start + 1, ..: `size` coordinates; start is any integer.
mlir::Value positionsFrom(mlir::OpBuilder& b, mlir::Location loc, mlir::Value start, int64_t size);
// A scalar or vector of integers as i64, sign-extended.
mlir::Value widened(mlir::OpBuilder& b, mlir::Location loc, mlir::Value integers);
// What loads outside the array give: a tile of zeros or NaNs.
mlir::Value paddingOf(mlir::OpBuilder& b, mlir::Location loc, tt::PaddingOption padding,
                      mlir::RankedTensorType tile);
} // namespace dlsim::access
