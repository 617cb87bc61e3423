// dl.gather and dl.scatter. A run of rows that are contiguous in memory is one burst copy; elements get a
// burst each, in blocks of their own, or go through the scalar unit.
#include "codegen/passes/to_npu/Walk.h"

using namespace mlir;

namespace dlsim::codegen {

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
  if (toCube && type.getRank() > 2)
    return unsupported(op,
                       "matrices of " + Twine(type.getRank()) + " dimensions are not supported on the cube");
  SmallVector<Value> storage;
  Walk walk = startWalk(type, op.getWalk(), op.getLo(), op.getHi(), op.getStrides(), storage);
  auto number = gatherArgument(op.getArg(), op.getBody().front());
  IntegerAttr arg = number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  return toCube ? gatherToL1(op, walk, arg) : gatherToUb(op, walk, tileShape(type), arg);
}

// Whether the runs may leave out an element of the tile.
static bool mayLeaveOut(dl::GatherOp op) {
  auto run = llvm::cast<dl::RunOp>(op.getBody().front().back());
  auto type = llvm::cast<RankedTensorType>(op.getType());
  auto starts = [](OperandRange lo) { return llvm::all_of(lo, [](Value v) { return constantOf(v) == 0; }); };
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (constantOf(op.getHi()[d]) != type.getDimSize(d) ||
        (run.getHi()[d] != run.getCount() && constantOf(run.getHi()[d]) != constantOf(run.getCount()) &&
         constantOf(run.getHi()[d]) != type.getDimSize(d)))
      return true;
  return !starts(op.getLo()) || !starts(run.getLo()) || !constantOf(run.getActive()).value_or(0);
}

LogicalResult Lowering::gatherToUb(dl::GatherOp op, Walk& walk, ArrayRef<int64_t> shape, IntegerAttr arg) {
  Type element = elementOf(op.getResult());
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value buffer = alloc(element, shape), other;
  Block& body = op.getBody().front();
  unsigned col = unsigned(walk.dimensions.back());
  bool wholeOther = op.getOther() && isTensor(op.getOther());
  if (op.getOther() && !wholeOther)
    other = scalarOf(op.getOther());
  else if (!wholeOther && mayLeaveOut(op))
    other = constant(element, 0);
  auto known = constantOf(llvm::cast<dl::RunOp>(body.back()).getCount());
  bool oneByOne = known == 1;
  bool contiguous = constantOf(walk.strides[col]) == 1;
  if (!wholeOther && coalesce != Coalesce::off && !(contiguous && !(walk.isLast(col) && oneByOne)) &&
      apartFits(walk, body, element, shape))
    return gatherApart(op, walk, buffer, other, arg);
  walk.listed = walk.backwards = walk.runsInRows =
      walk.isLast(col) && contiguous && !known && !wholeOther && coalesce == Coalesce::full;
  bool bursts = contiguous && walk.dimensions.size() <= 2 && (!walk.isWalked(col) || walk.runsInRows);
  walk.paired = !wholeOther && inPairs(walk, body, unsigned(walk.dimensions.front()), col);
  if (wholeOther)
    unary(npu::UnaryKind::copy, buffer, bufferOf(op.getOther()));
  else if (other)
    bursts ? fillByCopy(buffer, other) : fill(buffer, other);
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
                                    burst->col, burst->rows, burst->cols, rowStep(walk, burst->stride, bytes),
                                    left, Value(), pad, arg, false);
      return success();
    }
    forEachElement(walk, [&](ArrayRef<Value> t) {
      Value value =
          builder.create<npu::GmLoadOp>(loc, bits, address(walk.address, runOffset(walk, t), bytes), arg);
      builder.create<npu::StoreScalarOp>(loc, value, buffer, elementNumber(walk, t));
    });
    return success();
  };
  if (walk.listed && walk.isInOneRow() && llvm::cast<dl::RunOp>(body.back()).getPeriod())
    walk.repeats = [&] {
      return loadRepeats(walk, body, buffer, other ? other : constant(element, 0), arg, emit);
    };
  if (failed(walkFrom(walk, body, 0, emit)))
    return failure();
  return record(op.getResult(), buffer);
}

// The most that elements of one row may take in blocks of their own.
constexpr int64_t mostApart = 64 * 1024; // bytes

bool Lowering::apartFits(const Walk& walk, Block& body, Type element, ArrayRef<int64_t> shape) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if ((bits != 16 && bits != 32) || shape.back() * 16 * int64_t(bits) / 8 > mostApart ||
      walk.dimensions.size() > 2)
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
LogicalResult Lowering::gatherApart(dl::GatherOp op, Walk& walk, Value buffer, Value other, IntegerAttr arg) {
  Type element = typeOf(buffer).getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  unsigned col = unsigned(walk.dimensions.back()), row = unsigned(walk.dimensions.front());
  bool matrix = walk.dimensions.size() == 2;
  Value apart = alloc(element, {typeOf(buffer).getShape().back(), 2}), zero = constant(0), one = constant(1);
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
                                  rows, one, mul(walk.strides[col], constant(bytes)), Value(), Value(),
                                  Value(), arg, false);
  };
  auto start = [&] {
    if (other)
      fillByCopy(apart, other);
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
  Value buffer = bufferOf(op.getValue());
  SmallVector<Value> storage;
  Walk walk = startWalk(type, op.getWalk(), op.getLo(), op.getHi(), op.getStrides(), storage);
  auto number = gatherArgument(op.getArg(), op.getBody().front());
  IntegerAttr arg = number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto atomic = npu::Atomic(op.getAtomic());
  unsigned inner = unsigned(walk.dimensions.back());
  Block& body = op.getBody().front();
  auto run = llvm::cast<dl::RunOp>(body.back());
  walk.runsInRows = walk.isLast(inner) && constantOf(walk.strides[inner]) == 1 && !constantOf(run.getCount());
  // In a loop of equal steps the buffers through which runs go get several slots.
  constexpr int64_t longestList = 4096;
  walk.listed = walk.runsInRows && walk.size <= longestList && coalesce == Coalesce::full;
  auto begin = constantOf(run.getLo()[inner]), bound = constantOf(walk.lo[inner]);
  bool aligned = shape.size() == 2 && begin && bound && std::max(*begin, *bound) * bytes % 32 == 0;
  walk.paired = aligned && inPairs(walk, body, unsigned(walk.dimensions.front()), inner);
  auto emit = [&]() -> LogicalResult {
    auto burst = burstOf(walk, shape);
    if (walk.paired) {
      builder.create<npu::CopyOutOp>(loc, buffer, address(walk.address, burst->offset, bytes), burst->row,
                                     burst->col, burst->rows, burst->cols,
                                     rowStep(walk, burst->stride, bytes), atomic, arg, false);
      return success();
    }
    if (burst) {
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
      storeElement(buffer, elementNumber(walk, t), address(walk.address, runOffset(walk, t), bytes), atomic,
                   arg);
    });
    return success();
  };
  if (walk.listed && run.getPeriod())
    walk.repeats = [&] { return storeRepeats(walk, body, buffer, atomic, arg, emit); };
  return walkFrom(walk, body, 0, emit);
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
  // In memory's terms: tensors of pointers are tiles of integers.
  auto type =
      llvm::cast<RankedTensorType>(op.getTensor().getType()).clone(typeOf(tile.buffer).getElementType());
  SmallVector<Value> lanes;
  for (Value lane : op.getLanes())
    lanes.push_back(scalarOf(lane));
  scalars.map(result, builder
                          .create<npu::LoadScalarOp>(loc, result.getType(), tile.buffer,
                                                     position(lanes, layoutOf(type).strides))
                          .getResult());
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
  walk.paired = inPairs(walk, op.getBody().front(), r, c);
  auto emit = [&]() -> LogicalResult {
    SmallVector<Value> t(2);
    t[r] = walk.from[r];
    t[c] = walk.from[c];
    builder.create<npu::Nd2NzOp>(loc, buffer, address(walk.address, runOffset(walk, t), bytes),
                                 add(walk.lanes[r], walk.from[r]), walk.from[c],
                                 count(walk.from[r], walk.to[r]), count(walk.from[c], walk.to[c]),
                                 rowStep(walk, walk.strides[r], bytes), arg, false);
    return success();
  };
  if (failed(walkFrom(walk, op.getBody().front(), 0, emit)))
    return failure();
  tiles[op.getResult()] = Tile{buffer, Value(), r == 1};
  return success();
}

} // namespace dlsim::codegen
