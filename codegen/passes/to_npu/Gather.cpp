// dl.gather and dl.scatter: loops over the walked dimensions with the body's scalar code inside. A run of
// rows that are contiguous in memory is one burst copy; all else goes element by element.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

// The walked tile, by dimension of the buffer.
struct Lowering::Walk {
  SmallVector<int64_t> dimensions; // of the tensor that the buffer has, in order
  ArrayRef<int64_t> walked;
  ValueRange lo, hi, strides;
  Value address, count;        // of the run
  SmallVector<Value> lanes;    // where the run begins, by dimension of the tensor
  SmallVector<Value> from, to; // which lanes count, by dimension of the tensor, from the run's beginning
  bool isLast(int64_t dim) const { return dim == walked.back(); }
  bool isWalked(int64_t dim) const { return llvm::is_contained(walked, dim); }
};

// Loops over walked dimension `depth` and those after it; `emit` at every active run.
LogicalResult Lowering::walkFrom(Walk& walk, Block& body, unsigned depth,
                                 llvm::function_ref<LogicalResult()> emit) {
  int64_t dim = walk.walked[depth];
  auto run = llvm::cast<dl::RunOp>(body.back());
  bool last = depth + 1 == walk.walked.size();
  auto known = constantOf(run.getCount());
  Value lo = walk.lo[unsigned(dim)], hi = walk.hi[unsigned(dim)], one = constant(1);
  OpBuilder::InsertionGuard guard(builder);
  auto enter = [&](Value lane) -> LogicalResult {
    scalars.map(body.getArgument(depth), lane);
    walk.lanes[unsigned(dim)] = lane;
    return last ? walkRun(walk, body, emit) : walkFrom(walk, body, depth + 1, emit);
  };
  if (!last || known) { // equal steps
    auto loop = builder.create<scf::ForOp>(loc, lo, hi, last ? constant(*known) : one);
    builder.setInsertionPointToStart(loop.getBody());
    return enter(loop.getInductionVar());
  }
  auto loop = builder.create<scf::WhileOp>(loc, TypeRange(builder.getI64Type()), ValueRange(lo));
  Block* before = builder.createBlock(&loop.getBefore(), {}, {builder.getI64Type()}, {loc});
  Value more = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, before->getArgument(0), hi);
  builder.create<scf::ConditionOp>(loc, more, before->getArguments());
  Block* after = builder.createBlock(&loop.getAfter(), {}, {builder.getI64Type()}, {loc});
  Value lane = after->getArgument(0);
  if (failed(enter(lane)))
    return failure();
  builder.setInsertionPointToEnd(after);
  builder.create<scf::YieldOp>(loc, add(lane, walk.count));
  return success();
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
  bool contiguous = !walk.isWalked(col) && (constantOf(walk.strides[col]) == 1 || shape.back() == 1);
  if (!contiguous || rank > 2)
    return std::nullopt;
  Burst burst;
  Value zero = constant(0);
  SmallVector<Value> t(walk.from.size());
  burst.col = t[col] = walk.from[col];
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
  Value buffer = alloc(element, shape), other;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (op.getOther() && isTensor(op.getOther()))
    unary(npu::UnaryKind::copy, buffer, bufferOf(op.getOther()));
  else if (op.getOther())
    fill(buffer, other = scalarOf(op.getOther()));
  Type bits = builder.getIntegerType(unsigned(bytes * 8));
  auto emit = [&]() -> LogicalResult {
    if (auto burst = burstOf(walk, shape); burst && !(op.getOther() && isTensor(op.getOther()))) {
      int64_t block = 32 / bytes;
      auto known = constantOf(burst->col);
      Value left, pad;
      if (!known || *known % block != 0) {
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
  if (failed(walkFrom(walk, op.getBody().front(), 0, emit)))
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
