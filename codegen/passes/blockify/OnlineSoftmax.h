// Loops that compute a softmax and what it weighs tile by tile: they carry the largest score so far and sums
// that shrink whenever a larger one turns up.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dlsim::blockify {

// The recurrence largest' = max(largest, scores), sum' = sum * exp(largest - largest') + weights, with
// weights proportional to exp(scores - largest') and scores that depend on nothing else that the loop
// carries: then sum * exp(largest) is a plain sum over tiles, whose order is free but for rounding. Scores
// must be finite: an order in which a tile without any score comes first would compute -inf minus -inf.
class OnlineSoftmax {
public:
  explicit OnlineSoftmax(mlir::scf::ForOp loop);
  // Whether carried value number `index` is the largest score or one of the sums.
  bool carries(unsigned index);
  // Whether a value is the same in whichever order the tiles come.
  bool isFixed(mlir::Value value) const { return !changing.contains(value); }

private:
  bool isLargest(unsigned index);
  bool isSum(unsigned index);
  // Proportional to exp(scores - largest'); `exp` is the operation's name.
  bool areWeights(mlir::Value value, llvm::StringRef exp);
  // One side is weights and the other one is fixed.
  bool weighs(mlir::Value a, mlir::Value b, llvm::StringRef exp);

  mlir::scf::ForOp loop;
  llvm::DenseSet<mlir::Value> changing;
  std::optional<unsigned> largest; // number of the carried value
};

} // namespace dlsim::blockify
