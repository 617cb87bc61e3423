#include "codegen/passes/access/Access.h"
#include "codegen/support/GrowLoop.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dlsim::access {
llvm::SmallVector<CarriedSlot> addCarriedSlots(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
  SmallVector<CarriedSlot> slots;
  IRRewriter rewriter(function.getContext());
  for (scf::ForOp loop : loops) {
    SmallVector<unsigned> followed;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (Analysis::followsThroughLoops(loop.getInitArgs()[i].getType()))
        followed.push_back(i);
    if (followed.empty())
      continue;
    rewriter.setInsertionPoint(loop);
    Value zero = rewriter.create<arith::ConstantIntOp>(loop.getLoc(), 0, 64);
    SmallVector<Value> inits(followed.size(), zero);
    unsigned first = loop.getNumRegionIterArgs();
    auto grown = growLoop(rewriter, loop, inits);
    for (auto [position, value] : llvm::enumerate(followed))
      slots.push_back({grown, value, first + unsigned(position)});
  }
  return slots;
}

void fillCarriedSlots(ArrayRef<CarriedSlot> slots, Analysis& analysis, Materializer& materializer) {
  for (auto [loop, value, base] : slots) {
    if (!analysis.carriesBase(loop, value))
      continue;
    materializer.setCarriedBase(loop.getRegionIterArg(value), loop.getRegionIterArg(base));
    materializer.setCarriedBase(loop.getResult(value), loop.getResult(base));
  }
  for (auto [loop, value, base] : slots) {
    if (!analysis.carriesBase(loop, value))
      continue;
    OpBuilder before(loop);
    Value init = loop.getInitArgs()[value];
    loop.getInitArgsMutable()[base].set(materializer.emit(before, init.getLoc(), *analysis.base(init)));
    Operation* yield = loop.getBody()->getTerminator();
    OpBuilder end(yield);
    Value next = yield->getOperand(value);
    yield->setOperand(base, materializer.emit(end, next.getLoc(), *analysis.base(next)));
  }
}

namespace {
// Values that reach an operation with an effect, a branch or a bound.
class Liveness {
public:
  explicit Liveness(func::FuncOp function) {
    function.walk([&](Operation* op) {
      if (isa<scf::ForOp>(op))
        useAll(op->getOperands().take_front(3));
      else if (isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp()))
        return;
      else if (!wouldOpBeTriviallyDead(op) && !isMemoryEffectFree(op))
        useAll(op->getOperands());
      else if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions())
        useAll(op->getOperands());
    });
    while (!work.empty())
      propagate(work.pop_back_val());
  }
  bool isLive(Value value) const { return live.contains(value); }

private:
  void use(Value value) {
    if (live.insert(value).second)
      work.push_back(value);
  }
  void useAll(ValueRange values) {
    for (Value value : values)
      use(value);
  }
  void propagate(Value value) {
    if (auto carried = carriedBy(value)) {
      auto [loop, i] = *carried;
      use(loop.getRegionIterArg(i));
      use(loop.getInitArgs()[i]);
      use(loop.getYieldedValues()[i]);
    } else if (Operation* op = value.getDefiningOp()) {
      useAll(op->getOperands());
    }
  }
  DenseSet<Value> live;
  SmallVector<Value> work;
};

void dropDeadValues(scf::ForOp loop, const Liveness& liveness) {
  SmallVector<unsigned> kept, dropped;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    bool live = liveness.isLive(loop.getRegionIterArg(i)) || liveness.isLive(loop.getResult(i));
    (live ? kept : dropped).push_back(i);
  }
  if (dropped.empty())
    return;
  OpBuilder b(loop);
  SmallVector<Value> inits;
  for (unsigned i : kept)
    inits.push_back(loop.getInitArgs()[i]);
  auto slim =
      b.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  slim->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (Block* fresh = slim.getBody(); !fresh->empty())
    fresh->getTerminator()->erase();
  loop.getInductionVar().replaceAllUsesWith(slim.getInductionVar());
  for (auto [position, i] : llvm::enumerate(kept)) {
    loop.getRegionIterArg(i).replaceAllUsesWith(slim.getRegionIterArg(position));
    loop.getResult(i).replaceAllUsesWith(slim.getResult(position));
  }
  // Uses of dropped values are dead code: tie them to the start value until that code goes.
  for (unsigned i : dropped) {
    loop.getRegionIterArg(i).replaceAllUsesWith(loop.getInitArgs()[i]);
    loop.getResult(i).replaceAllUsesWith(loop.getInitArgs()[i]);
  }
  auto* yield = loop.getBody()->getTerminator();
  SmallVector<Value> yields;
  for (unsigned i : kept)
    yields.push_back(yield->getOperand(i));
  slim.getBody()->getOperations().splice(slim.getBody()->end(), loop.getBody()->getOperations());
  b.setInsertionPoint(yield);
  b.create<scf::YieldOp>(yield->getLoc(), yields);
  yield->erase();
  loop.erase();
}
} // namespace

void removeDeadCarriedValues(func::FuncOp function) {
  Liveness liveness(function);
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    dropDeadValues(loop, liveness);
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
}
} // namespace dlsim::access
