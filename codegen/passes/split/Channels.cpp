#include "codegen/passes/split/Channels.h"

#include "codegen/passes/dot/Accumulator.h"
#include "codegen/passes/dot/Scale.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

bool vectorDefined(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !isa<scf::ForOp>(argument.getOwner()->getParentOp());
  return !isa<tt::DotOp, scf::ForOp, scf::IfOp>(value.getDefiningOp());
}

SmallVector<tt::DotOp> dotsOf(func::FuncOp function) {
  SmallVector<tt::DotOp> dots;
  function.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  return dots;
}

void startFromZero(tt::DotOp dot) {
  OpBuilder builder(dot);
  auto type = cast<RankedTensorType>(dot.getType());
  Value start = dot.getC();
  dot.getCMutable().set(builder.create<arith::ConstantOp>(dot.getLoc(), builder.getZeroAttr(type)));
  builder.setInsertionPointAfter(dot);
  Operation* sum = type.getElementType().isInteger(32)
                       ? builder.create<arith::AddIOp>(dot.getLoc(), dot.getD(), start).getOperation()
                       : builder.create<arith::AddFOp>(dot.getLoc(), dot.getD(), start).getOperation();
  dot.getD().replaceAllUsesExcept(sum->getResult(0), sum);
}

// Vector code hands the product on, here to the operation that has `use`. The choice that is none goes with
// the next canonicalisation.
void leaveToVectors(OpOperand& use) {
  OpBuilder builder(use.getOwner());
  Location loc = use.get().getLoc();
  Value always = builder.create<arith::ConstantIntOp>(loc, 1, 1);
  use.set(builder.create<arith::SelectOp>(loc, always, use.get(), use.get()));
}

// Branches, or loops, that hand on either a product or something else; false if there are none.
template <class Parent> bool leaveChoices(const Accumulator& group) {
  SmallVector<OpOperand*> found;
  for (OpOperand* flow : group.flows) {
    Operation* made = flow->get().getDefiningOp();
    bool sum = isa_and_nonnull<tt::DotOp>(made) ||
               (std::is_same_v<Parent, scf::IfOp> && isa_and_nonnull<scf::ForOp>(made));
    if (sum && isa<scf::YieldOp>(flow->getOwner()) && isa<Parent>(flow->getOwner()->getParentOp()))
      found.push_back(flow);
  }
  llvm::for_each(found, [](OpOperand* use) { leaveToVectors(*use); });
  return !found.empty();
}

// Loops with a condition carry no accumulators: nothing in their two regions says where they begin.
void leaveWhileLoopsToVectors(func::FuncOp function) {
  function.walk([&](scf::WhileOp loop) {
    SmallVector<OpOperand*> carried(llvm::make_pointer_range(loop->getOpOperands()));
    llvm::append_range(carried, llvm::make_pointer_range(loop.getConditionOp().getArgsMutable()));
    llvm::append_range(carried, llvm::make_pointer_range(loop.getYieldOp()->getOpOperands()));
    for (OpOperand* use : carried)
      if (isTile(use->get()) && !vectorDefined(use->get()))
        leaveToVectors(*use);
  });
}

// The fixpipe scales, casts and stores by itself; false if vector code reads `use`.
bool fixpipeReads(OpOperand& use, SmallVectorImpl<Operation*>& fused) {
  Operation* user = use.getOwner();
  if (isScaled(user, use.get())) {
    fused.push_back(user);
    return !user->use_empty() && llvm::all_of(user->getUses(), [&](OpOperand& next) {
      return !isa<arith::MulFOp>(next.getOwner()) && fixpipeReads(next, fused);
    });
  }
  auto stores = [](Operation* op) {
    auto store = dyn_cast<dl::StoreOp>(op);
    return store && dl::fixpipeStores(store);
  };
  if (stores(user)) {
    fused.push_back(user);
    return true;
  }
  if (!isa<arith::TruncFOp, tt::FpToFpOp>(user))
    return false;
  Type to = getElementTypeOrSelf(user->getResult(0).getType());
  if (!to.isF16() && !to.isBF16())
    return false;
  if (!llvm::all_of(user->getUsers(), stores))
    return false;
  fused.push_back(user);
  fused.append(user->getUsers().begin(), user->getUsers().end());
  return true;
}

// What vector code reads of an accumulator: it, or its product with a scalar if nothing else does.
Value readByVectors(Value accumulator, ArrayRef<OpOperand*> uses) {
  Operation* user = uses.front()->getOwner();
  if (uses.size() != 1 || !isScaled(user, accumulator))
    return accumulator;
  bool stays = llvm::any_of(user->getUsers(), [](Operation* next) {
    return isa<tt::DotOp, tt::TransOp, LoopLikeOpInterface>(next) || next->hasTrait<OpTrait::IsTerminator>();
  });
  return stays ? accumulator : user->getResult(0);
}

} // namespace

Value operandSource(Value operand) {
  while (auto trans = operand.getDefiningOp<tt::TransOp>())
    operand = trans.getSrc();
  return operand;
}

void separateAccumulators(func::FuncOp function) {
  leaveWhileLoopsToVectors(function);
  for (bool again = true; again;) {
    again = false;
    for (tt::DotOp dot : dotsOf(function)) {
      Accumulator group(dot.getD());
      group.grow();
      if (llvm::none_of(group.values, vectorDefined))
        continue;
      SmallVector<tt::DotOp> direct, carried;
      for (OpOperand* flow : group.flows) {
        auto user = dyn_cast<tt::DotOp>(flow->getOwner());
        if (!user || isZero(flow->get()))
          continue;
        if (vectorDefined(flow->get()))
          direct.push_back(user);
        else if (!flow->get().getDefiningOp<tt::DotOp>())
          carried.push_back(user);
      }
      ArrayRef<tt::DotOp> chosen = direct.empty() ? carried : direct;
      for (tt::DotOp one : chosen)
        startFromZero(one);
      if (!chosen.empty() || leaveChoices<scf::IfOp>(group) || leaveChoices<scf::ForOp>(group)) {
        again = true;
        break;
      }
    }
  }
}

Place placeAt(OpBuilder& builder, Location loc, RankedTensorType type, int64_t offset) {
  auto constant = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIntOp>(loc, value, 64);
  };
  Place place;
  place.base = builder.create<npu::WorkspaceOp>(loc, builder.getI64Type());
  place.base = builder.create<arith::AddIOp>(loc, place.base, constant(offset));
  int64_t stride = type.getNumElements();
  for (int64_t size : type.getShape()) {
    stride /= size;
    place.strides.push_back(constant(stride));
    place.lo.push_back(constant(0));
    place.hi.push_back(constant(size));
  }
  return place;
}

void afterDefinition(OpBuilder& builder, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    builder.setInsertionPointToStart(argument.getOwner());
  else
    builder.setInsertionPointAfterValue(value);
}

Crossing findCrossing(func::FuncOp function, int64_t placesBefore, int64_t bytesBefore) {
  Crossing crossing;
  crossing.workspaceBytes = bytesBefore;
  llvm::SetVector<OpOperand*> flows;
  SmallVector<tt::DotOp> dots = dotsOf(function);
  for (tt::DotOp dot : dots) {
    if (crossing.accumulators.contains(dot.getD()))
      continue;
    Accumulator group(dot.getD());
    group.grow();
    for (Value value : group.values)
      crossing.accumulators.insert(value);
    flows.insert(group.flows.begin(), group.flows.end());
  }
  llvm::SetVector<Value> toVector, toCube;
  for (tt::DotOp dot : dots)
    for (Value operand : {dot.getA(), dot.getB()}) {
      Value source = operandSource(operand);
      if (!dl::cubeLoads(source))
        toCube.insert(source);
    }
  for (Value value : crossing.accumulators) {
    SmallVector<OpOperand*> others;
    for (OpOperand& use : value.getUses()) {
      SmallVector<Operation*> fused;
      if (flows.contains(&use))
        continue;
      if (fixpipeReads(use, fused))
        crossing.fused.insert(fused.begin(), fused.end());
      else
        others.push_back(&use);
    }
    if (!others.empty())
      toVector.insert(readByVectors(value, others));
  }
  auto add = [&](Value value, bool vectorReads) {
    auto type = cast<RankedTensorType>(value.getType());
    crossing.channels.push_back(
        {value, vectorReads, placesBefore + int64_t(crossing.channels.size()), crossing.workspaceBytes});
    crossing.workspaceBytes += placeBytes(type);
  };
  for (Value value : toVector)
    add(value, true);
  for (Value value : toCube)
    add(value, false);
  return crossing;
}

} // namespace dlsim::codegen
