// dl.gather and dl.scatter: loops over the walked dimensions with the body's scalar code inside. A run of
// rows that are contiguous in memory is one burst copy; all else goes element by element.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

// The walked tile, by dimension of the buffer.
struct Lowering::Walk {
  SmallVector<int64_t> dimensions; // of the tensor that the buffer has, in order
  ArrayRef<int64_t> walked;
  int64_t size = 0; // of the last walked dimension
  ValueRange lo, hi, strides;
  Value address, count;        // of the run
  SmallVector<Value> lanes;    // where the run begins, by dimension of the tensor
  SmallVector<Value> from, to; // which lanes count, by dimension of the tensor, from the run's beginning
  std::function<void()> before, after; // around the loop over the last walked dimension
  bool backwards = false;              // the last run comes first
  bool runsInRows = false;             // runs along the rows of the buffer count as bursts
  bool isLast(int64_t dim) const { return dim == walked.back(); }
  bool isWalked(int64_t dim) const { return llvm::is_contained(walked, dim); }
};

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
  if (last && walk.backwards)
    return walkBackwards(walk, body, emit);
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

// First a list of where runs begin, then the runs from the last one on: each may spoil what lies before it.
LogicalResult Lowering::walkBackwards(Walk& walk, Block& body, llvm::function_ref<LogicalResult()> emit) {
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
  Value at = sub(sub(runs, one), loop.getInductionVar());
  Value lane = builder.create<npu::LoadScalarOp>(loc, builder.getI32Type(), list, at);
  lane = builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), lane);
  scalars.map(body.getArgument(depth), lane);
  walk.lanes[dim] = lane;
  return walkRun(walk, body, emit);
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
    if (walk.isLast(d)) { // the run may reach beyond the rectangle
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
Value Lowering::elementNumber(const Walk& walk, Value buffer, ArrayRef<Value> t) {
  Value number = constant(0);
  for (auto [position, dim] : llvm::enumerate(walk.dimensions)) {
    int64_t step = position + 1 == walk.dimensions.size() ? 1 : npu::ubRowElements(typeOf(buffer));
    number = add(number, mul(add(walk.lanes[unsigned(dim)], t[unsigned(dim)]), constant(step)));
  }
  return number;
}

std::optional<int64_t> Lowering::gatherArgument(std::optional<uint64_t> arg, Block& body) {
  if (arg)
    return int64_t(*arg);
  return argumentOf(llvm::cast<dl::RunOp>(body.back()).getAddress());
}

LogicalResult Lowering::lowerGather(dl::GatherOp op) {
  if (op->use_empty())
    return success();
  bool toCube = llvm::any_of(op->getUsers(), [](Operation* user) { return llvm::isa<dl::DotOp>(user); });
  if (cube && !toCube)
    return unsupported(op, "a gather needs the vector unit: a mixed kernel needs dl-split first");
  auto type = llvm::cast<RankedTensorType>(op.getType());
  if (type.getElementTypeBitWidth() % 8 != 0)
    return unsupported(op, "elements of i1 in global memory are not supported; load i8 and compare");
  SmallVector<int64_t> shape = toCube ? SmallVector<int64_t>(type.getShape()) : tileShape(type);
  if (shape.size() > 2)
    return unsupported(op, "tiles of more than two dimensions above 1 are not supported");
  SmallVector<Value> storage;
  Walk walk = startWalk(type, op.getWalk(), op.getLo(), op.getHi(), op.getStrides(), storage);
  auto number = gatherArgument(op.getArg(), op.getBody().front());
  IntegerAttr arg = number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  return toCube ? gatherToL1(op, walk, arg) : gatherToUb(op, walk, shape, arg);
}

LogicalResult Lowering::gatherToUb(dl::GatherOp op, Walk& walk, ArrayRef<int64_t> shape, IntegerAttr arg) {
  Type element = elementOf(op.getResult());
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value buffer = alloc(element, shape), other;
  Block& body = op.getBody().front();
  unsigned col = unsigned(walk.dimensions.back());
  bool wholeOther = op.getOther() && isTensor(op.getOther());
  auto known = constantOf(llvm::cast<dl::RunOp>(body.back()).getCount());
  bool single = known == 1;
  bool contiguous = constantOf(walk.strides[col]) == 1;
  if (!wholeOther && coalesce != Coalesce::off && !(contiguous && !(walk.isLast(col) && single)) &&
      apartFits(walk, body, element, shape))
    return gatherApart(op, walk, buffer, arg);
  if (wholeOther)
    unary(npu::UnaryKind::copy, buffer, bufferOf(op.getOther()));
  else if (op.getOther())
    fill(buffer, other = scalarOf(op.getOther()));
  walk.backwards = walk.runsInRows =
      walk.isLast(col) && contiguous && !single && !known && !wholeOther && coalesce == Coalesce::full;
  Type bits = builder.getIntegerType(unsigned(bytes * 8));
  auto emit = [&]() -> LogicalResult {
    if (auto burst = burstOf(walk, shape); burst && !wholeOther) {
      int64_t block = 32 / bytes;
      auto start = constantOf(burst->col);
      Value left, pad;
      if (!start || *start % block != 0) {
        left = builder.createOrFold<arith::RemSIOp>(loc, burst->col, constant(block));
        pad = other ? other : constant(element, 0);
      }
      builder.create<npu::CopyInOp>(loc, buffer, address(walk.address, burst->offset, bytes), burst->row,
                                    burst->col, burst->rows, burst->cols, mul(burst->stride, constant(bytes)),
                                    left, pad, arg, false);
      return success();
    }
    forEachElement(walk, [&](ArrayRef<Value> t) {
      Value value =
          builder.create<npu::GmLoadOp>(loc, bits, address(walk.address, runOffset(walk, t), bytes), arg);
      builder.create<npu::StoreScalarOp>(loc, value, buffer, elementNumber(walk, buffer, t));
    });
    return success();
  };
  if (failed(walkFrom(walk, body, 0, emit)))
    return failure();
  return record(op.getResult(), buffer);
}

// The most that elements of one row may take in blocks of their own.
constexpr int64_t mostApart = 64 * 1024; // bytes

bool Lowering::apartFits(const Walk& walk, Block& body, Type element, ArrayRef<int64_t> shape) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if ((bits != 16 && bits != 32) || shape.back() * 16 * int64_t(bits) / 8 > mostApart)
    return false;
  unsigned col = unsigned(walk.dimensions.back()), row = unsigned(walk.dimensions.front());
  if (walk.isWalked(col) && !walk.isLast(col))
    return false;
  if (walk.dimensions.size() == 1 || walk.isWalked(row))
    return true;
  auto run = llvm::cast<dl::RunOp>(body.back()); // each row walks by itself
  return constantOf(run.getLo()[row]) == 0 && constantOf(run.getHi()[row]) == shape.front();
}

// Elements in blocks of their own, a burst each, then picked into rows.
LogicalResult Lowering::gatherApart(dl::GatherOp op, Walk& walk, Value buffer, IntegerAttr arg) {
  Type element = typeOf(buffer).getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  unsigned col = unsigned(walk.dimensions.back()), row = unsigned(walk.dimensions.front());
  bool matrix = walk.dimensions.size() == 2;
  Value apart = alloc(element, {typeOf(buffer).getShape().back(), 2}), zero = constant(0), one = constant(1);
  Value other = op.getOther() ? scalarOf(op.getOther()) : Value();
  int64_t step = npu::ubRowElements(typeOf(apart)) * bytes;
  Block& body = op.getBody().front();
  auto copy = [&](Value t) { // of the run's row t
    SmallVector<Value> from(walk.from.size());
    from[col] = walk.from[col];
    if (matrix)
      from[row] = t;
    Value lane = walk.isWalked(col) ? add(walk.lanes[col], walk.from[col]) : walk.from[col];
    Value rows = count(walk.from[col], walk.to[col]);
    for (unsigned d = 0; d < from.size(); ++d) // dimensions of one lane may be masked off
      if (!llvm::is_contained(walk.dimensions, int64_t(d)) && (!walk.isWalked(d) || walk.isLast(d)))
        if (Value inside = count(walk.from[d], walk.to[d]); constantOf(inside) != 1)
          rows = mul(rows, inside);
    builder.create<npu::CopyInOp>(loc, apart, address(walk.address, runOffset(walk, from), bytes), lane, zero,
                                  rows, one, mul(walk.strides[col], constant(bytes)), Value(), Value(), arg,
                                  false);
  };
  auto start = [&] {
    if (other)
      fill(apart, other);
  };
  auto finish = [&](Value to) { pickRow(buffer, to, apart, zero, step, {}); };
  if (other && matrix)
    fill(buffer, other); // rows that are masked off
  if (walk.isWalked(col)) {
    auto all = [&](Value t) {
      walk.before = start;
      walk.after = [&] { finish(!matrix ? zero : walk.isWalked(row) ? walk.lanes[row] : t); };
      return walkFrom(walk, body, 0, [&]() -> LogicalResult {
        copy(t);
        return success();
      });
    };
    if (matrix && !walk.isWalked(row)) {
      auto loop = builder.create<scf::ForOp>(loc, walk.lo[row], walk.hi[row], one);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      if (failed(all(loop.getInductionVar())))
        return failure();
    } else if (failed(all(zero))) {
      return failure();
    }
    return record(op.getResult(), buffer);
  }
  auto emit = [&]() -> LogicalResult { // rows of the run, elements at a stride
    auto loop =
        builder.create<scf::ForOp>(loc, matrix ? walk.from[row] : zero, matrix ? walk.to[row] : one, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value t = loop.getInductionVar();
    start();
    copy(t);
    finish(matrix ? add(walk.lanes[row], t) : zero);
    return success();
  };
  if (failed(walkFrom(walk, body, 0, emit)))
    return failure();
  return record(op.getResult(), buffer);
}

LogicalResult Lowering::lowerScatter(dl::ScatterOp op) {
  if (cube)
    return unsupported(op, "stores a tensor of the vector unit: a mixed kernel needs dl-split first");
  auto type = llvm::cast<RankedTensorType>(op.getValue().getType());
  if (type.getElementTypeBitWidth() % 8 != 0)
    return unsupported(op, "elements of i1 in global memory are not supported; convert to i8");
  SmallVector<int64_t> shape = tileShape(type);
  if (shape.size() > 2)
    return unsupported(op, "tiles of more than two dimensions above 1 are not supported");
  Value buffer = bufferOf(op.getValue());
  SmallVector<Value> storage;
  Walk walk = startWalk(type, op.getWalk(), op.getLo(), op.getHi(), op.getStrides(), storage);
  auto number = gatherArgument(op.getArg(), op.getBody().front());
  IntegerAttr arg = number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto atomic = npu::Atomic(op.getAtomic());
  int64_t col = walk.dimensions.back();
  auto run = llvm::cast<dl::RunOp>(op.getBody().front().back());
  walk.runsInRows =
      walk.isLast(col) && constantOf(walk.strides[unsigned(col)]) == 1 && !constantOf(run.getCount());
  return walkFrom(walk, op.getBody().front(), 0, [&]() -> LogicalResult {
    if (auto burst = burstOf(walk, shape)) {
      Rectangle rect;
      rect.base = sub(address(walk.address, burst->offset, bytes),
                      mul(add(mul(burst->row, burst->stride), burst->col), constant(bytes)));
      rect.size.append(shape.begin(), shape.end());
      rect.elementBytes = bytes;
      rect.arg = arg;
      if (shape.size() == 2) {
        rect.stride.push_back(burst->stride);
        rect.lo.push_back(burst->row);
        rect.hi.push_back(add(burst->row, burst->rows));
      }
      rect.stride.push_back(constant(1));
      rect.lo.push_back(burst->col);
      Value cols = shape.size() == 2 ? burst->cols : mul(burst->cols, burst->rows); // rows: 0 if masked off
      rect.hi.push_back(add(burst->col, cols));
      storeRows(rect, buffer, atomic);
      return success();
    }
    forEachElement(walk, [&](ArrayRef<Value> t) {
      storeElement(buffer, elementNumber(walk, buffer, t), address(walk.address, runOffset(walk, t), bytes),
                   atomic, arg);
    });
    return success();
  });
}

LogicalResult Lowering::lowerExtract(dl::ExtractOp op) {
  Tile tile = tileOf(op.getTensor());
  Value result = op.getResult();
  if (tile.splat) {
    scalars.map(result, tile.splat);
    return success();
  }
  if (!tile.buffer || cube)
    return unsupported(op,
                       "an address depends on a tensor of the vector unit, which the cube core does not see");
  auto type = llvm::cast<RankedTensorType>(op.getTensor().getType());
  if (typeOf(tile.buffer).getRank() > 2)
    return unsupported(op, "tiles of more than two dimensions above 1 are not supported");
  Value number = constant(0);
  int64_t dimensions = llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; }), seen = 0;
  for (auto [size, lane] : llvm::zip(type.getShape(), op.getLanes())) {
    if (size == 1)
      continue;
    int64_t step = ++seen == dimensions ? 1 : npu::ubRowElements(typeOf(tile.buffer));
    number = add(number, mul(scalarOf(lane), constant(step)));
  }
  scalars.map(result,
              builder.create<npu::LoadScalarOp>(loc, result.getType(), tile.buffer, number).getResult());
  return success();
}

// Rows of an operand of the cube: one conversion to Nz a run.
LogicalResult Lowering::gatherToL1(dl::GatherOp op, Walk& walk, IntegerAttr arg) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  if (!dl::cubeLoads(op))
    return unsupported(
        op, "an operand of tt.dot that the cube core cannot load: a mixed kernel needs dl-split first");
  Type element = type.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  unsigned r = unsigned(op.getWalk().front()), c = 1 - r;
  Value buffer = alloc(element, {type.getDimSize(r), type.getDimSize(c)}, npu::Space::L1);
  if (op.getOther())
    builder.create<npu::FillL1Op>(loc, buffer, scalarOf(op.getOther()));
  auto emit = [&]() -> LogicalResult {
    SmallVector<Value> t(2);
    t[r] = walk.from[r];
    t[c] = walk.from[c];
    builder.create<npu::Nd2NzOp>(loc, buffer, address(walk.address, runOffset(walk, t), bytes),
                                 add(walk.lanes[r], walk.from[r]), walk.from[c],
                                 count(walk.from[r], walk.to[r]), count(walk.from[c], walk.to[c]),
                                 mul(walk.strides[r], constant(bytes)), arg, false);
    return success();
  };
  if (failed(walkFrom(walk, op.getBody().front(), 0, emit)))
    return failure();
  tiles[op.getResult()] = Tile{buffer, Value(), r == 1};
  return success();
}

} // namespace dlsim::codegen
