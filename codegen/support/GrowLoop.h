// Loops that carry more values than before.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace dlsim {

// Replaces the loop by one that carries `inits` behind what it carries already, with the loop's discardable
// attributes, which MLIR's replacement drops. `next` makes the values of the next iteration.
inline mlir::scf::ForOp growLoop(mlir::RewriterBase& rewriter, mlir::scf::ForOp loop, mlir::ValueRange inits,
                                 const mlir::NewYieldValuesFn& next) {
  auto attributes = loop->getDiscardableAttrDictionary();
  auto replaced =
      loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, next);
  assert(succeeded(replaced) && "scf.for always takes another iter_arg");
  auto grown = llvm::cast<mlir::scf::ForOp>(replaced->getOperation());
  grown->setDiscardableAttrs(attributes);
  return grown;
}

// The new values stay what they are until the caller sets what the loop yields.
inline mlir::scf::ForOp growLoop(mlir::RewriterBase& rewriter, mlir::scf::ForOp loop,
                                 mlir::ValueRange inits) {
  return growLoop(rewriter, loop, inits,
                  [](mlir::OpBuilder&, mlir::Location, mlir::ArrayRef<mlir::BlockArgument> arguments) {
                    return mlir::SmallVector<mlir::Value>(arguments.begin(), arguments.end());
                  });
}

} // namespace dlsim
