// What a loop carries besides sums.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dlsim::blockify {

// The loop-invariant increment of the loop-carried pointer or index number `index`, or null.
mlir::Value invariantIncrement(mlir::scf::ForOp loop, unsigned index);

} // namespace dlsim::blockify
