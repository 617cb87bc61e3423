// A walk over the lanes of dl.gather or dl.scatter while it is lowered.
#pragma once
#include "codegen/passes/to_npu/Lowering.h"

#include <functional>

namespace dlsim::codegen {

// The walked tile, by dimension of the buffer.
struct Lowering::Walk {
  llvm::SmallVector<int64_t> dimensions; // of the tensor that the buffer has, in order
  TileLayout layout;                     // of the tensor in the buffer
  llvm::ArrayRef<int64_t> walked;
  int64_t size = 0; // of the last walked dimension
  mlir::ValueRange lo, hi, strides;
  mlir::Value address, count;           // of the run
  llvm::SmallVector<mlir::Value> lanes; // where the run begins, by dimension of the tensor
  llvm::SmallVector<mlir::Value> from,
      to; // which lanes count, by dimension of the tensor, from the run's beginning
  std::function<void()> before, after;          // around the loop over the last walked dimension
  std::function<mlir::LogicalResult()> repeats; // in place of that loop: runs that repeat
  bool listed = false;     // where runs begin is found out first, so that the loop over them has equal steps
  bool backwards = false;  // of a list: the last run comes first
  bool runsInRows = false; // runs along the rows of the buffer count as bursts
  bool paired = false;     // two rows at a time: whatever their distance is, it is the stride of a command
  mlir::Value pairRows, pairStep; // of the pair: rows that count, bytes from the first to the second
  bool isLast(int64_t dim) const { return dim == walked.back(); }
  bool isWalked(int64_t dim) const { return llvm::is_contained(walked, dim); }
  // A run never has lanes in several rows of the buffer.
  bool isInOneRow() const { return dimensions.size() == 1 || isWalked(dimensions.front()); }
};

} // namespace dlsim::codegen
