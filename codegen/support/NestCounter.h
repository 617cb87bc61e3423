// A counter that runs on through a whole loop nest, for things that are used in rotation.
#pragma once

#include "codegen/support/GrowLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dlsim::codegen {

// Adds a carried i64 to `loop` and to every scf.for around it: 0 at first, then `step` more after each
// iteration of `loop`, and 0 again when it reaches `end` (a multiple of `step`). Loops of the nest are
// replaced (their blocks are gone, the operations stay); returns the counter's value inside `loop`.
inline mlir::Value addNestCounter(mlir::RewriterBase& rewriter, mlir::scf::ForOp loop, int64_t step,
                                  int64_t end) {
  using namespace mlir;
  llvm::SmallVector<scf::ForOp> nest{loop};
  while (auto outer = llvm::dyn_cast<scf::ForOp>(nest.back()->getParentOp()))
    nest.push_back(outer);
  auto advance = [&](OpBuilder& b, Location loc, Value counter) -> Value {
    auto constant = [&](int64_t v) { return b.create<arith::ConstantIntOp>(loc, v, 64); };
    Value next = b.create<arith::AddIOp>(loc, counter, constant(step));
    if (step == 1 && llvm::isPowerOf2_64(uint64_t(end)))
      return b.create<arith::AndIOp>(loc, next, constant(end - 1));
    Value wrapped = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, constant(end));
    return b.create<arith::SelectOp>(loc, wrapped, constant(0), next);
  };
  rewriter.setInsertionPoint(nest.back());
  Value carried = rewriter.create<arith::ConstantIntOp>(loop.getLoc(), 0, 64);
  scf::ForOp outer;
  for (scf::ForOp level : llvm::reverse(nest)) {
    bool innermost = level == nest.front();
    rewriter.setInsertionPoint(level);
    auto yields = [&](OpBuilder& b, Location loc, ArrayRef<BlockArgument> args) -> SmallVector<Value> {
      return {innermost ? advance(b, loc, args.front()) : Value(args.front())};
    };
    scf::ForOp newLoop = growLoop(rewriter, level, carried, yields);
    if (outer)
      outer.getBody()->getTerminator()->setOperand(outer.getNumResults() - 1,
                                                   newLoop.getResult(newLoop.getNumResults() - 1));
    outer = newLoop;
    carried = newLoop.getRegionIterArgs().back();
  }
  return carried;
}

} // namespace dlsim::codegen
