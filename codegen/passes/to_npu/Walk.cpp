// Loops over the walked dimensions of dl.gather and dl.scatter with the body's scalar code inside.
#include "codegen/passes/to_npu/Walk.h"

using namespace mlir;

namespace dlsim::codegen {

// Loops over walked dimension `depth` and those after it; `emit` at every active run.
LogicalResult Lowering::walkFrom(Walk& walk, Block& body, unsigned depth,
                                 llvm::function_ref<LogicalResult()> emit) {
  bool last = depth + 1 == walk.walked.size();
  if (last && walk.before)
    walk.before();
  if (failed(walkLevel(walk, body, depth, emit)))
    return failure();
  if (last && walk.after)
    walk.after();
  return success();
}

LogicalResult Lowering::walkLevel(Walk& walk, Block& body, unsigned depth,
                                  llvm::function_ref<LogicalResult()> emit) {
  bool last = depth + 1 == walk.walked.size();
  int64_t dim = walk.walked[depth];
  auto run = llvm::cast<dl::RunOp>(body.back());
  auto known = constantOf(run.getCount());
  Value lo = walk.lo[unsigned(dim)], hi = walk.hi[unsigned(dim)], one = constant(1);
  OpBuilder::InsertionGuard guard(builder);
  auto enter = [&](Value lane) -> LogicalResult {
    scalars.map(body.getArgument(depth), lane);
    walk.lanes[unsigned(dim)] = lane;
    return last ? walkRun(walk, body, emit) : walkFrom(walk, body, depth + 1, emit);
  };
  if (last && walk.repeats)
    return walk.repeats();
  if (last && walk.listed)
    return walkList(walk, body, emit);
  if (last && walk.paired)
    return walkPairs(walk, body, emit);
  if (!last || known) { // equal steps
    auto loop = builder.create<scf::ForOp>(loc, lo, hi, last ? constant(*known) : one);
    builder.setInsertionPointToStart(loop.getBody());
    return enter(loop.getInductionVar());
  }
  auto steps = unequalSteps(lo, hi, {});
  if (failed(enter(steps.lane)))
    return failure();
  builder.setInsertionPointToEnd(steps.body);
  builder.create<scf::YieldOp>(loc, add(steps.lane, walk.count));
  return success();
}

// A loop from lo to hi whose body, which the builder is left in, decides on the step; `carried` goes along.
Lowering::Steps Lowering::unequalSteps(Value lo, Value hi, ArrayRef<Value> carried) {
  SmallVector<Value> starts{lo};
  starts.append(carried.begin(), carried.end());
  SmallVector<Type> types(starts.size(), builder.getI64Type());
  SmallVector<Location> places(starts.size(), loc);
  auto loop = builder.create<scf::WhileOp>(loc, types, starts);
  Block* before = builder.createBlock(&loop.getBefore(), {}, types, places);
  Value more = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, before->getArgument(0), hi);
  builder.create<scf::ConditionOp>(loc, more, before->getArguments());
  Block* after = builder.createBlock(&loop.getAfter(), {}, types, places);
  return {loop, after, after->getArgument(0)};
}

// First a list of where runs begin, then the runs; from the last one on where each may spoil what lies before
// it.
LogicalResult Lowering::walkList(Walk& walk, Block& body, llvm::function_ref<LogicalResult()> emit) {
  unsigned depth = unsigned(walk.walked.size()) - 1, dim = unsigned(walk.walked[depth]);
  auto run = llvm::cast<dl::RunOp>(body.back());
  Value zero = constant(0), one = constant(1);
  Value list = alloc(builder.getI32Type(), {walk.size});
  OpBuilder::InsertionGuard guard(builder);
  auto steps = unequalSteps(walk.lo[dim], walk.hi[dim], {zero});
  Location place = loc;
  Value number = steps.body->getArgument(1);
  scalars.map(body.getArgument(depth), steps.lane);
  if (failed(lowerBlock(body)))
    return failure();
  loc = place;
  Value begin = builder.createOrFold<arith::TruncIOp>(loc, builder.getI32Type(), steps.lane);
  builder.create<npu::StoreScalarOp>(loc, begin, list, number);
  builder.create<scf::YieldOp>(loc, ValueRange{add(steps.lane, scalarOf(run.getCount())), add(number, one)});
  builder.setInsertionPointAfter(steps.loop);
  Value runs = steps.loop.getResult(1);
  auto loop = builder.create<scf::ForOp>(loc, zero, runs, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = walk.backwards ? sub(sub(runs, one), loop.getInductionVar()) : loop.getInductionVar();
  Value lane = builder.create<npu::LoadScalarOp>(loc, builder.getI32Type(), list, at);
  lane = builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), lane);
  scalars.map(body.getArgument(depth), lane);
  walk.lanes[dim] = lane;
  return walkRun(walk, body, emit);
}

// Rows of contiguous elements of which only the place differs from one to the next.
bool Lowering::inPairs(const Walk& walk, Block& body, unsigned row, unsigned col) {
  auto run = llvm::cast<dl::RunOp>(body.back());
  auto steady = [&](Value v) { return constantOf(v) || v.getParentBlock() != &body; };
  return coalesce == Coalesce::full && walk.dimensions.size() == 2 && walk.isLast(row) &&
         !walk.isWalked(col) && constantOf(walk.strides[col]) == 1 && constantOf(run.getCount()) == 1 &&
         constantOf(run.getActive()).value_or(0) != 0 && llvm::all_of(run.getLo(), steady) &&
         llvm::all_of(run.getHi(), steady);
}

LogicalResult Lowering::walkPairs(Walk& walk, Block& body, llvm::function_ref<LogicalResult()> emit) {
  unsigned depth = unsigned(walk.walked.size()) - 1, dim = unsigned(walk.walked[depth]);
  Value lo = walk.lo[dim], hi = walk.hi[dim], one = constant(1), two = constant(2);
  OpBuilder::InsertionGuard guard(builder);
  auto loop = builder.create<scf::ForOp>(loc, lo, hi, two);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), second = add(first, one);
  auto from = constantOf(lo), to = constantOf(hi);
  walk.pairRows = two;
  if (!from || !to || (*to - *from) % 2 != 0) { // the last row may be alone
    walk.pairRows = min(two, sub(hi, first));
    second = min(second, sub(hi, one));
  }
  Location place = loc;
  scalars.map(body.getArgument(depth), second);
  if (failed(lowerBlock(body)))
    return failure();
  loc = place;
  Value next = scalarOf(llvm::cast<dl::RunOp>(body.back()).getAddress());
  scalars.map(body.getArgument(depth), first);
  walk.lanes[dim] = first;
  return walkRun(walk, body, [&]() -> LogicalResult {
    walk.pairStep = sub(next, walk.address);
    return emit();
  });
}

LogicalResult Lowering::walkRun(Walk& walk, Block& body, llvm::function_ref<LogicalResult()> emit) {
  Location place = loc;
  if (failed(lowerBlock(body)))
    return failure();
  loc = place;
  auto run = llvm::cast<dl::RunOp>(body.back());
  walk.address = scalarOf(run.getAddress());
  walk.count = scalarOf(run.getCount());
  unsigned rank = unsigned(run.getLo().size());
  walk.from.assign(rank, Value());
  walk.to.assign(rank, Value());
  Value zero = constant(0);
  for (unsigned d = 0; d < rank; ++d) {
    Value lo = scalarOf(run.getLo()[d]), hi = scalarOf(run.getHi()[d]);
    if (walk.isLast(d) && walk.paired) {
      hi = walk.pairRows;
    } else if (walk.isLast(d)) { // the run may reach beyond the rectangle
      hi = min(hi, sub(walk.hi[d], walk.lanes[d]));
    } else if (walk.isWalked(d)) {
      lo = zero;
      hi = constant(1);
    } else {
      lo = builder.createOrFold<arith::MaxSIOp>(loc, lo, walk.lo[d]);
      hi = min(hi, walk.hi[d]);
      walk.lanes[d] = zero;
    }
    walk.from[d] = lo;
    walk.to[d] = hi;
  }
  Value active = scalarOf(run.getActive());
  if (constantOf(active).value_or(0) != 0)
    return emit();
  auto branch = builder.create<scf::IfOp>(loc, active, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  return emit();
}

// Where the run's lane `t` of each dimension lies: elements from the run's address.
Value Lowering::runOffset(const Walk& walk, ArrayRef<Value> t) {
  Value offset = constant(0);
  for (unsigned d = 0; d < t.size(); ++d)
    if (t[d] && (!walk.isWalked(d) || walk.isLast(d)))
      offset = add(offset, mul(t[d], walk.strides[d]));
  return offset;
}

// Loops over the elements of the run, by dimension of the buffer: `emit` with their lanes from the run's
// beginning.
void Lowering::forEachElement(const Walk& walk, llvm::function_ref<void(ArrayRef<Value>)> emit) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> t(walk.from.size());
  for (unsigned d = 0; d < t.size(); ++d) {
    if (constantOf(walk.from[d]) == 0 && constantOf(walk.to[d]) == 1) {
      t[d] = walk.from[d];
      continue;
    }
    auto loop = builder.create<scf::ForOp>(loc, walk.from[d], walk.to[d], constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    t[d] = loop.getInductionVar();
  }
  emit(t);
}

// Bytes from a row to the next one, which lies `stride` elements of `bytes` further if the walk has no pairs.
Value Lowering::rowStep(const Walk& walk, Value stride, int64_t bytes) {
  return walk.paired ? walk.pairStep : mul(stride, constant(bytes));
}

// Rows of the buffer are runs of consecutive elements in memory: the rectangle of one copy, else nothing.
std::optional<Lowering::Burst> Lowering::burstOf(const Walk& walk, ArrayRef<int64_t> shape) {
  unsigned rank = unsigned(walk.dimensions.size());
  unsigned col = unsigned(walk.dimensions.back()), row = unsigned(walk.dimensions.front());
  bool contiguous =
      (!walk.isWalked(col) || walk.runsInRows) && (constantOf(walk.strides[col]) == 1 || shape.back() == 1);
  if (!contiguous || rank > 2)
    return std::nullopt;
  Burst burst;
  Value zero = constant(0);
  SmallVector<Value> t(walk.from.size());
  t[col] = walk.from[col];
  burst.col = walk.isWalked(col) ? add(walk.lanes[col], walk.from[col]) : walk.from[col];
  burst.cols = count(walk.from[col], walk.to[col]);
  burst.row = zero;
  burst.rows = constant(1);
  burst.stride = zero;
  for (unsigned d = 0; d < t.size(); ++d) { // dimensions of one lane may be masked off
    if (llvm::is_contained(walk.dimensions, int64_t(d)) || (walk.isWalked(d) && !walk.isLast(d)))
      continue;
    Value inside = count(walk.from[d], walk.to[d]);
    if (constantOf(inside) != 1)
      burst.rows = mul(burst.rows, inside);
  }
  if (rank == 2) {
    t[row] = walk.from[row];
    burst.row = add(walk.lanes[row], walk.from[row]);
    burst.rows = mul(burst.rows, count(walk.from[row], walk.to[row]));
    burst.stride = walk.strides[row];
  }
  burst.offset = runOffset(walk, t);
  return burst;
}

Lowering::Walk Lowering::startWalk(RankedTensorType type, ArrayRef<int64_t> walked, ValueRange lo,
                                   ValueRange hi, ValueRange strides, SmallVectorImpl<Value>& storage) {
  for (ValueRange list : {lo, hi, strides})
    for (Value value : list)
      storage.push_back(scalarOf(value));
  unsigned rank = unsigned(type.getRank());
  Walk walk;
  walk.walked = walked;
  walk.layout = layoutOf(type);
  walk.lo = ValueRange(storage).slice(0, rank);
  walk.hi = ValueRange(storage).slice(rank, rank);
  walk.strides = ValueRange(storage).slice(2 * rank, rank);
  walk.lanes.resize(rank);
  for (unsigned d = 0; d < rank; ++d)
    if (type.getDimSize(d) != 1)
      walk.dimensions.push_back(d);
  walk.size = type.getDimSize(walked.back());
  if (walk.dimensions.empty())
    walk.dimensions.push_back(rank - 1);
  return walk;
}

// Number of an element within the buffer, by the lanes of the walk.
Value Lowering::elementNumber(const Walk& walk, ArrayRef<Value> t) {
  SmallVector<Value> lanes;
  for (unsigned d = 0; d < t.size(); ++d)
    lanes.push_back(walk.layout.strides[d] ? add(walk.lanes[d], t[d]) : Value());
  return position(lanes, walk.layout.strides);
}

} // namespace dlsim::codegen
