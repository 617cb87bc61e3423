// Structured control flow with tensors: a carried tensor is a buffer outside, written at the end of each
// iteration or branch.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

// The dl.acc_init whose L0C buffer an accumulator value lives in; null for other tensors.
static Value accumulatorRoot(Value value) {
  while (value) {
    Operation* op = value.getDefiningOp();
    auto argument = llvm::dyn_cast<BlockArgument>(value);
    if (argument)
      op = argument.getOwner()->getParentOp();
    if (auto dot = llvm::dyn_cast<dl::DotOp>(op))
      value = dot.getAcc();
    else if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      value = argument ? loop.getTiedLoopInit(argument)->get()
                       : loop.getInitArgs()[llvm::cast<OpResult>(value).getResultNumber()];
    else if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
      value = branch.thenYield()->getOperand(llvm::cast<OpResult>(value).getResultNumber());
    else
      return llvm::isa<dl::AccInitOp>(op) ? value : Value();
  }
  return {};
}

// Operations whose result shares its operand's buffer.
static bool isAlias(Operation* op) {
  return llvm::isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp, tt::BitcastOp>(op);
}

// Whether something behind `loop` is computed straight into the buffer while the loop's result is still
// wanted.
bool Lowering::promised(Value buffer, Value result, Operation* loop) {
  return llvm::any_of(destinations, [&](auto& entry) {
    Operation* op = entry.first.getDefiningOp();
    if (entry.second != buffer || entry.first == result || op->getBlock() != loop->getBlock() ||
        !loop->isBeforeInBlock(op))
      return false;
    return !result || !llvm::all_of(result.getUses(), [&](OpOperand& use) {
      Operation* user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      bool takenOver = use.getOwner() == op && (isElementwise(op) || isa<scf::ForOp>(op));
      return user && !isAlias(use.getOwner()) && (takenOver || user->isBeforeInBlock(op));
    });
  });
}

Tile Lowering::carriedTile(Value init, Value argument, Value result, Operation* loop) {
  if (Value root = accumulatorRoot(init))
    return tileOf(root);
  Tile start = tileOf(init);
  Operation* op = init.getDefiningOp();
  bool endsHere = init.hasOneUse() && init.getParentBlock() == loop->getBlock() && !(op && isAlias(op));
  if (start.buffer && endsHere && !promised(start.buffer, result, loop))
    return start;
  Location saved = loc;
  loc = argument.getLoc();
  Value place = destinations.lookup(result);
  if (!place)
    place = alloc(elementOf(init), tileShape(llvm::cast<RankedTensorType>(init.getType())));
  Tile tile{place, Value(), false};
  if (start.splat)
    fill(tile.buffer, start.splat);
  else
    unary(npu::UnaryKind::copy, tile.buffer, start.buffer);
  loc = saved;
  return tile;
}

// A carried tensor that is produced elementwise or by a loop, after the last use of its old value, is
// computed in place; so is what this is made from, step by step back, as long as nobody else wants it.
void Lowering::planDestinations(Block& body, ValueRange yielded, ArrayRef<Tile> carried,
                                ValueRange arguments) {
  for (size_t i = 0; i < yielded.size(); ++i) {
    Value value = yielded[i];
    auto inPlace = [&](Value step) {
      Operation* op = step.getDefiningOp();
      if (!op || op->getBlock() != &body || !(isElementwise(op) || isa<scf::ForOp>(op)) ||
          destinations.count(step))
        return false;
      return arguments.empty() || llvm::all_of(arguments[i].getUses(), [&](OpOperand& use) {
               Operation* user = body.findAncestorOpInBlock(*use.getOwner());
               bool last = user == op && isElementwise(op); // a loop writes the start before its body reads
               return user && !isAlias(use.getOwner()) && (last || user->isBeforeInBlock(op));
             });
    };
    for (Value step = carried[i].buffer ? value : Value(); step && inPlace(step);) {
      destinations[step] = carried[i].buffer;
      Value before;
      if (!arguments.empty() && !isa<scf::ForOp>(step.getDefiningOp()))
        for (Value operand : step.getDefiningOp()->getOperands())
          if (operand.getType() == value.getType() && operand.hasOneUse())
            before = operand;
      step = before;
    }
  }
}

LogicalResult Lowering::assign(ValueRange yielded, ArrayRef<Tile> carried, Operation* at) {
  SmallVector<std::pair<Value, Value>> copies; // to, from
  for (auto [value, tile] : llvm::zip_equal(yielded, carried)) {
    if (!tile.buffer)
      continue;
    Tile source = tileOf(value);
    if (source.buffer == tile.buffer)
      continue;
    if (npu::spaceOf(typeOf(tile.buffer)) == npu::Space::L0C)
      return unsupported(
          at, "an accumulator that changes its place is not supported; carry one accumulator a loop");
    if (source.splat)
      source.buffer = bufferOf(value);
    copies.push_back({tile.buffer, source.buffer});
  }
  while (!copies.empty()) {
    auto* next = llvm::find_if(copies, [&](auto& copy) { // overwrites nothing that another copy still reads
      return llvm::none_of(copies,
                           [&](auto& other) { return &other != &copy && other.second == copy.first; });
    });
    if (next == copies.end()) { // they go round in a circle: what the first one overwrites is saved
      next = copies.begin();
      Value saved = allocLike(next->first, typeOf(next->first).getElementType());
      unary(npu::UnaryKind::copy, saved, next->first);
      for (auto& copy : copies)
        if (copy.second == next->first)
          copy.second = saved;
    }
    unary(npu::UnaryKind::copy, next->first, next->second);
    copies.erase(next);
  }
  return success();
}

LogicalResult Lowering::lowerFor(scf::ForOp op) {
  SmallVector<Value> inits;
  SmallVector<Tile> carried;
  for (auto [init, argument, result] :
       llvm::zip_equal(op.getInitArgs(), op.getRegionIterArgs(), op.getResults())) {
    carried.push_back(isTensor(init) ? carriedTile(init, argument, result, op) : Tile());
    if (!isTensor(init))
      inits.push_back(scalarOf(init));
  }
  auto loop = builder.create<scf::ForOp>(op.getLoc(), scalarOf(op.getLowerBound()),
                                         scalarOf(op.getUpperBound()), scalarOf(op.getStep()), inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  scalars.map(op.getInductionVar(), loop.getInductionVar());
  unsigned next = 0;
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    if (isTensor(argument)) {
      tiles[argument] = carried[i];
      tiles[op.getResult(i)] = carried[i];
      continue;
    }
    scalars.map(argument, loop.getRegionIterArg(next));
    scalars.map(op.getResult(i), loop.getResult(next++));
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  planDestinations(*op.getBody(), op.getYieldedValues(), carried, op.getRegionIterArgs());
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  loc = op.getBody()->getTerminator()->getLoc();
  if (failed(assign(op.getYieldedValues(), carried, op)))
    return failure();
  SmallVector<Value> yields;
  for (Value value : op.getYieldedValues())
    if (!isTensor(value))
      yields.push_back(scalarOf(value));
  if (!yields.empty())
    builder.create<scf::YieldOp>(loc, yields);
  return success();
}

LogicalResult Lowering::lowerBranch(Block& from, Block& to, ArrayRef<Tile> results, Operation* at) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&to);
  Operation* end = from.getTerminator();
  planDestinations(from, end->getOperands(), results, {});
  if (failed(lowerBlock(from)))
    return failure();
  loc = end->getLoc();
  if (failed(assign(end->getOperands(), results, at)))
    return failure();
  SmallVector<Value> yields;
  for (Value value : end->getOperands())
    if (!isTensor(value))
      yields.push_back(scalarOf(value));
  if (!yields.empty())
    builder.create<scf::YieldOp>(loc, yields);
  return success();
}

LogicalResult Lowering::lowerIf(scf::IfOp op) {
  if (op->hasAttr("dl.halves")) // a store that its product has lowered
    return success();
  SmallVector<Type> types;
  SmallVector<Tile> results;
  for (Value result : op.getResults()) {
    Tile tile;
    if (!isTensor(result))
      types.push_back(convert(result.getType()));
    else if (Value root = accumulatorRoot(result))
      tile = tileOf(root);
    else
      tile.buffer = alloc(elementOf(result), tileShape(llvm::cast<RankedTensorType>(result.getType())));
    results.push_back(tile);
  }
  auto branch =
      builder.create<scf::IfOp>(op.getLoc(), types, scalarOf(op.getCondition()), op.elseBlock() != nullptr);
  branch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (failed(lowerBranch(*op.thenBlock(), *branch.thenBlock(), results, op)))
    return failure();
  if (op.elseBlock() && failed(lowerBranch(*op.elseBlock(), *branch.elseBlock(), results, op)))
    return failure();
  unsigned next = 0;
  for (auto [result, tile] : llvm::zip_equal(op.getResults(), results)) {
    if (isTensor(result))
      tiles[result] = tile;
    else
      scalars.map(result, branch.getResult(next++));
  }
  return success();
}

LogicalResult Lowering::lowerWhile(scf::WhileOp op) {
  SmallVector<Value> inits;
  SmallVector<Tile> carried, results;
  for (auto [init, argument] : llvm::zip_equal(op.getInits(), op.getBeforeArguments())) {
    carried.push_back(isTensor(init) ? carriedTile(init, argument, Value(), op) : Tile());
    tiles[argument] = carried.back();
    if (!isTensor(init))
      inits.push_back(scalarOf(init));
  }
  SmallVector<Type> types;
  for (auto [value, result] : llvm::zip_equal(op.getConditionOp().getArgs(), op.getResults())) {
    Tile tile;
    auto argument = llvm::dyn_cast<BlockArgument>(value);
    if (!isTensor(value))
      types.push_back(convert(value.getType()));
    else if (argument && argument.getOwner() == op.getBeforeBody()) // handed on as it is
      tile = carried[argument.getArgNumber()];
    else
      tile.buffer = alloc(elementOf(value), tileShape(llvm::cast<RankedTensorType>(value.getType())));
    results.push_back(tile);
  }
  auto loop = builder.create<scf::WhileOp>(op.getLoc(), types, inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  auto enter = [&](Region& region, Block* old, TypeRange blockTypes) {
    SmallVector<Location> locations(blockTypes.size(), op.getLoc());
    Block* block = builder.createBlock(&region, region.end(), blockTypes, locations);
    unsigned next = 0;
    for (Value argument : old->getArguments())
      if (!isTensor(argument))
        scalars.map(argument, block->getArgument(next++));
  };
  SmallVector<Type> initTypes;
  for (Value init : inits)
    initTypes.push_back(init.getType());
  enter(loop.getBefore(), op.getBeforeBody(), initTypes);
  if (failed(lowerBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  loc = condition.getLoc();
  if (failed(assign(condition.getArgs(), results, op)))
    return failure();
  SmallVector<Value> forwarded;
  for (Value value : condition.getArgs())
    if (!isTensor(value))
      forwarded.push_back(scalarOf(value));
  builder.create<scf::ConditionOp>(loc, scalarOf(condition.getCondition()), forwarded);
  unsigned next = 0;
  for (auto [i, argument] : llvm::enumerate(op.getAfterArguments())) {
    tiles[argument] = results[i];
    tiles[op.getResult(i)] = results[i];
    if (!isTensor(argument))
      scalars.map(op.getResult(i), loop.getResult(next++));
  }
  enter(loop.getAfter(), op.getAfterBody(), types);
  if (failed(lowerBlock(*op.getAfterBody())))
    return failure();
  loc = op.getYieldOp().getLoc();
  if (failed(assign(op.getYieldOp().getOperands(), carried, op)))
    return failure();
  SmallVector<Value> yields;
  for (Value value : op.getYieldOp().getOperands())
    if (!isTensor(value))
      yields.push_back(scalarOf(value));
  builder.create<scf::YieldOp>(loc, yields);
  return success();
}

} // namespace dlsim::codegen
