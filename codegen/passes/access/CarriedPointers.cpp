// Tensors of pointers that loops carry and that change their strides from turn to turn: a loop carries their
// distance from where they began, a tensor of integers, instead.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/support/GrowLoop.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace dlsim::access {
namespace {
// What the loop adds to carried pointer `i` in a turn; empty if it does anything else to it.
SmallVector<Value> stepsOf(scf::ForOp loop, unsigned i) {
  SmallVector<Value> steps;
  Value pointer = loop.getYieldedValues()[i];
  while (pointer != loop.getRegionIterArg(i)) {
    auto add = pointer.getDefiningOp<tt::AddPtrOp>();
    if (!add)
      return {};
    steps.push_back(add.getOffset());
    pointer = add.getPtr();
  }
  return steps;
}

Type widest(ArrayRef<Value> steps) {
  Type result = steps.front().getType();
  for (Value step : steps)
    if (getElementTypeOrSelf(step.getType()).getIntOrFloatBitWidth() >
        getElementTypeOrSelf(result).getIntOrFloatBitWidth())
      result = step.getType();
  return result;
}

void carryDistance(IRRewriter& rewriter, scf::ForOp loop, unsigned i, ArrayRef<Value> steps) {
  Location loc = loop.getLoc();
  Type type = widest(steps);
  Value start = loop.getInitArgs()[i];
  rewriter.setInsertionPoint(loop);
  Value zero = rewriter.create<arith::ConstantOp>(loc, cast<TypedAttr>(rewriter.getZeroAttr(type)));
  auto advance = [&](OpBuilder& b, Location, ArrayRef<BlockArgument> args) -> SmallVector<Value> {
    Value distance = args.front();
    for (Value step : steps) {
      if (step.getType() != type)
        step = b.create<arith::ExtSIOp>(loc, type, step);
      distance = b.create<arith::AddIOp>(loc, distance, step);
    }
    return {distance};
  };
  auto grown = growLoop(rewriter, loop, zero, advance);
  Value argument = grown.getRegionIterArg(i), result = grown.getResult(i);
  grown.getBody()->getTerminator()->setOperand(i, argument);
  rewriter.setInsertionPointToStart(grown.getBody());
  Value here = rewriter.create<tt::AddPtrOp>(loc, start.getType(), start, grown.getRegionIterArgs().back());
  argument.replaceUsesWithIf(
      here, [&](OpOperand& use) { return use.getOwner() != grown.getBody()->getTerminator(); });
  rewriter.setInsertionPointAfter(grown);
  Value after = rewriter.create<tt::AddPtrOp>(loc, start.getType(), start, grown.getResults().back());
  result.replaceAllUsesExcept(after, after.getDefiningOp());
}

// One loop that needs it, inner loops last.
bool carryOne(func::FuncOp function) {
  Analysis analysis(function);
  IRRewriter rewriter(function.getContext());
  WalkResult found = function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      Type type = loop.getInitArgs()[i].getType();
      if (!isa<RankedTensorType>(type) || !isa<tt::PointerType>(getElementTypeOrSelf(type)) ||
          analysis.carriesBase(loop, i))
        continue;
      SmallVector<Value> steps = stepsOf(loop, i);
      if (steps.empty())
        continue;
      carryDistance(rewriter, loop, i, steps);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found.wasInterrupted();
}
} // namespace

void carryDistances(func::FuncOp function) {
  bool pointers = false;
  function.walk([&](scf::ForOp loop) {
    for (Type type : loop->getResultTypes())
      pointers |= isa<RankedTensorType>(type) && isa<tt::PointerType>(getElementTypeOrSelf(type));
  });
  while (pointers && carryOne(function)) {
  }
}
} // namespace dlsim::access
