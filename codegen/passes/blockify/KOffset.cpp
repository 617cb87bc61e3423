// K offset: cores that share a panel of A or B would read the same lines at the same time; starting core p at
// K tile p mod nK spreads them. The sum's order changes, so values may differ in the last bits.
#include "codegen/passes/blockify/KOffset.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/blockify/Blockify.h"
#include "codegen/passes/blockify/OnlineSoftmax.h"
#include "codegen/passes/blockify/TaskOrder.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::blockify {

Value invariantIncrement(scf::ForOp loop, unsigned index) {
  Value arg = loop.getRegionIterArg(index);
  Operation* next = loop.getYieldedValues()[index].getDefiningOp();
  Value increment;
  if (auto add = dyn_cast_or_null<tt::AddPtrOp>(next))
    increment = add.getPtr() == arg ? add.getOffset() : Value();
  else if (auto add = dyn_cast_or_null<arith::AddIOp>(next))
    increment = add.getLhs() == arg ? add.getRhs() : add.getRhs() == arg ? add.getLhs() : Value();
  return increment && loop.isDefinedOutsideOfLoop(increment) ? increment : Value();
}

namespace {
// The dot of `loop` that adds to the loop-carried value number `index`, if the next value is that sum.
bool isAccumulator(scf::ForOp loop, unsigned index) {
  Value arg = loop.getRegionIterArg(index), next = loop.getYieldedValues()[index];
  if (auto dot = next.getDefiningOp<tt::DotOp>())
    return dot.getC() == arg && arg.hasOneUse();
  if (auto add = next.getDefiningOp<arith::AddFOp>()) {
    Value other = add.getLhs() == arg ? add.getRhs() : add.getRhs() == arg ? add.getLhs() : Value();
    return other && arg.hasOneUse() && other.getDefiningOp<tt::DotOp>();
  }
  return false;
}

// A loop that carries sums whose order is free, or might be meant to.
struct KLoop {
  scf::ForOp loop;
  OnlineSoftmax softmax;

  explicit KLoop(scf::ForOp loop) : loop(loop), softmax(loop) {}

  bool isSum(unsigned index) {
    if (!isAccumulator(loop, index))
      return softmax.carries(index);
    Value arg = loop.getRegionIterArg(index);
    return llvm::all_of(loop.getYieldedValues()[index].getDefiningOp()->getOperands(),
                        [&](Value v) { return v == arg || softmax.isFixed(v); });
  }

  bool hasDot() {
    return llvm::any_of(llvm::seq<unsigned>(0, loop.getNumRegionIterArgs()), [&](unsigned i) {
      Value arg = loop.getRegionIterArg(i);
      return isSum(i) || loop.getYieldedValues()[i].getDefiningOp<tt::DotOp>() ||
             llvm::any_of(arg.getUsers(), [&](Operation* user) {
               auto dot = dyn_cast<tt::DotOp>(user);
               return dot && dot.getC() == arg;
             });
    });
  }
};

// Why the iterations of a loop may not run in another order; empty if they may.
std::string obstacle(KLoop& k) {
  scf::ForOp loop = k.loop;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (!k.isSum(i) && !invariantIncrement(loop, i))
      return "it carries a value that is neither a sum of dots, nor a sum or the largest score of a softmax, "
             "nor "
             "steps by a loop-invariant amount (" +
             sourceLine(loop.getRegionIterArg(i).getLoc()) + ")";
  std::string reason;
  loop.getBody()->walk([&](Operation* op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (effects && effects.hasEffect<MemoryEffects::Write>())
      reason = "it writes memory (" + sourceLine(op->getLoc()) + ")";
  });
  return reason;
}

Value castTo(ScalarEmitter& e, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (type.isIndex() || value.getType().isIndex())
    return e.b.createOrFold<arith::IndexCastOp>(e.loc, type, value);
  if (type.getIntOrFloatBitWidth() < value.getType().getIntOrFloatBitWidth())
    return e.b.createOrFold<arith::TruncIOp>(e.loc, type, value);
  return e.b.createOrFold<arith::ExtSIOp>(e.loc, type, value);
}

// init + count * increment, for integers, pointers and tensors of them.
Value advance(ScalarEmitter& e, Value init, Value increment, Value count) {
  Value factor = castTo(e, count, getElementTypeOrSelf(increment.getType()));
  if (isa<RankedTensorType>(increment.getType()))
    factor = e.b.create<tt::SplatOp>(e.loc, increment.getType(), factor);
  Value step = e.b.createOrFold<arith::MulIOp>(e.loc, increment, factor);
  if (isa<tt::PointerType>(getElementTypeOrSelf(init.getType())))
    return e.b.create<tt::AddPtrOp>(e.loc, init.getType(), init, step);
  return e.b.createOrFold<arith::AddIOp>(e.loc, init, step);
}

void offsetLoop(KLoop& k, Value core) {
  scf::ForOp loop = k.loop;
  OpBuilder b(loop);
  ScalarEmitter e(b, loop.getLoc());
  Type i64 = b.getI64Type(), ivType = loop.getInductionVar().getType();
  Value lower = castTo(e, loop.getLowerBound(), i64), upper = castTo(e, loop.getUpperBound(), i64);
  Value step = castTo(e, loop.getStep(), i64), one = e.constant(1), zero = e.constant(0);
  Value distance = e.max(e.sub(upper, lower), zero);
  Value tiles = e.div(e.add(distance, e.sub(step, one)), step);
  Value offset = e.rem(core, e.max(tiles, one));

  SmallVector<unsigned> sums, steps;
  SmallVector<Value> inits;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    if (k.isSum(i)) {
      sums.push_back(i);
      inits.push_back(loop.getInitArgs()[i]);
    } else {
      steps.push_back(i);
    }
  }
  auto fresh = b.create<scf::ForOp>(loop.getLoc(), zero, tiles, one, inits);
  for (NamedAttribute attr : loop->getDiscardableAttrs())
    fresh->setAttr(attr.getName(), attr.getValue());
  if (!inits.size())
    fresh.getBody()->getTerminator()->erase();
  b.setInsertionPointToStart(fresh.getBody());
  Value sum = e.add(fresh.getInductionVar(), offset);
  Value tile = e.select(e.compare(arith::CmpIPredicate::sge, sum, tiles), e.sub(sum, tiles), sum);
  IRMapping map;
  map.map(loop.getInductionVar(), castTo(e, e.add(lower, e.mul(tile, step)), ivType));
  for (auto [position, index] : llvm::enumerate(sums))
    map.map(loop.getRegionIterArg(index), fresh.getRegionIterArg(position));
  for (unsigned index : steps)
    map.map(loop.getRegionIterArg(index),
            advance(e, loop.getInitArgs()[index], invariantIncrement(loop, index), tile));
  for (Operation& op : loop.getBody()->without_terminator())
    b.clone(op, map);
  SmallVector<Value> yields;
  for (unsigned index : sums)
    yields.push_back(map.lookup(loop.getYieldedValues()[index]));
  b.create<scf::YieldOp>(loop.getLoc(), yields);
  b.setInsertionPointAfter(fresh);
  for (auto [position, index] : llvm::enumerate(sums))
    loop.getResult(index).replaceAllUsesWith(fresh.getResult(position));
  for (unsigned index : steps)
    if (!loop.getResult(index).use_empty())
      loop.getResult(index).replaceAllUsesWith(
          advance(e, loop.getInitArgs()[index], invariantIncrement(loop, index), tiles));
  loop.erase();
}
} // namespace

bool applyKOffset(Operation* root, Value core) {
  SmallVector<scf::ForOp> loops; // inner ones first
  root->walk([&](scf::ForOp loop) {
    if (KLoop(loop).hasDot())
      loops.push_back(loop);
  });
  if (loops.empty())
    emitWarning(root->getLoc()) << "k-offset not applied: no loop carries the accumulator of a dot";
  bool applied = false;
  for (scf::ForOp loop : loops) {
    KLoop k(loop);
    std::string reason = obstacle(k);
    if (!reason.empty()) {
      auto position = sourcePosition(loop.getLoc());
      emitWarning(position ? Location(position) : loop.getLoc())
          << "k-offset not applied to this loop: " << reason;
      continue;
    }
    offsetLoop(k, core);
    applied = true;
  }
  return applied;
}
} // namespace dlsim::blockify
