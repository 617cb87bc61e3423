// The store of a loop's sum, moved into its last iteration.
#pragma once
#include "codegen/passes/panels/KLoop.h"

namespace dlsim::codegen {

// With flags of whole commands the cube may not write an accumulator while the fixpipe reads it. Where L0C
// has no room for a second one, it would wait for the store. Instead it computes the left and the right
// columns one after the other, and each is stored while the cube is at the other: which is possible if the
// store is part of the last iteration.
//
// What follows a loop along K up to the store of its sum: scalars, which may as well be computed before the
// loop, and commands of the fixpipe, which move into it.
struct EarlyStore {
  llvm::SmallVector<mlir::Operation*> scalars, commands;
  dl::AccInitOp start;

  // Nothing where L0C (`available` bytes) has room for a second accumulator, or where something else comes
  // between.
  static std::optional<EarlyStore> after(const KLoop& k, int64_t available);
  // The product is computed in halves of its columns, each stored in the loop's last iteration. The loop must
  // run at least once.
  void moveInto(const KLoop& k);
};

} // namespace dlsim::codegen
