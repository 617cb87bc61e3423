// Shapes, ranges, masks as data, and reductions.
#include "codegen/passes/to_npu/Lowering.h"
#include "codegen/support/Combine.h"

using namespace mlir;

namespace dlsim::codegen {

LogicalResult Lowering::lowerSplat(tt::SplatOp op) {
  tiles[op.getResult()].splat = scalarOf(op.getSrc());
  return success();
}

Value Lowering::broadcast(Value src, ArrayRef<int64_t> shape, int64_t axis) {
  Type element = typeOf(src).getElementType();
  if (element.isInteger(1)) { // through numbers: bits have no layout that repeats
    Type f16 = builder.getF16Type();
    Value ones = alloc(f16, typeOf(src).getShape()), numbers = alloc(f16, typeOf(src).getShape());
    fill(ones, constant(f16, 1));
    builder.create<npu::VSelsOp>(loc, numbers, src, ones, constant(f16, 0));
    return compare(npu::CmpKind::ne, broadcast(numbers, shape, axis), {}, constant(f16, 0), {});
  }
  Value dst = alloc(element, shape), tmp;
  if (int64_t scratch = npu::broadcastScratch(typeOf(src), axis))
    tmp = alloc(element, {scratch});
  builder.create<npu::VBrcOp>(loc, axis, dst, src, tmp);
  return dst;
}

// Whether the result is nothing but an operand of arithmetic that follows in the same block: commands that
// read it need no tile of it. In a loop around another block they would spread the column again and again.
bool Lowering::onlyOperands(tt::BroadcastOp op) {
  Type element = elementOf(op.getResult());
  unsigned bits = element.getIntOrFloatBitWidth();
  return computeType(element) == element && (bits == 16 || bits == 32) &&
         llvm::all_of(op->getUsers(), [&](Operation* user) {
           return user->getBlock() == op->getBlock() && binaryForm(user);
         });
}

LogicalResult Lowering::lowerBroadcast(tt::BroadcastOp op) {
  auto from = llvm::cast<RankedTensorType>(op.getSrc().getType()),
       to = llvm::cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape = tileShape(to);
  Tile tile = tileOf(op.getSrc());
  if (tile.splat || tileShape(from) == shape) {
    tiles[op.getResult()] = tile;
    return success();
  }
  if (cube)
    return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
  if (from.getNumElements() == 1) {
    tiles[op.getResult()].splat =
        builder.create<npu::LoadScalarOp>(loc, elementOf(op.getSrc()), tile.buffer, constant(0));
    return success();
  }
  SmallVector<int64_t> large;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (to.getDimSize(d) != 1)
      large.push_back(d);
  unsigned bits = from.getElementTypeBitWidth();
  bool isColumn = large.size() == 2 && from.getDimSize(large[0]) != 1;
  if (isColumn && onlyOperands(op)) {
    Value blocks = alloc(elementOf(op.getSrc()), {npu::blockElements(from.getNumElements(), bits)});
    builder.create<npu::VBlocksOp>(loc, blocks, tile.buffer);
    tiles[op.getResult()].column = tile.buffer;
    tiles[op.getResult()].blocks = blocks;
    return success();
  }
  if (large.size() == 2 && bits != 8 && bits != 64) // a row or a column; one of the two is repeated
    return record(op.getResult(), broadcast(tile.buffer, shape, isColumn ? 1 : 0));
  TileLayout source = layoutOf(from);
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (from.getDimSize(d) == 1)
      source.strides[d] = 0;
  Side target{elementBuffer(to), {}, layoutOf(to).strides};
  move(to.getShape(), target, Side{tile.buffer, {}, source.strides});
  return record(op.getResult(), target.buffer);
}

LogicalResult Lowering::lowerRange(tt::MakeRangeOp op) {
  if (!elementOf(op.getResult()).isInteger(32))
    return unsupported(op, "ranges are of i32");
  Value buffer = alloc(builder.getI32Type(), tileShape(llvm::cast<RankedTensorType>(op.getType())));
  builder.create<npu::VIotaOp>(loc, buffer, constant(builder.getI32Type(), double(op.getStart())),
                               constant(builder.getI32Type(), 1));
  return record(op.getResult(), buffer);
}

// lo <= index < hi over an f32 tile of indices, bounds that always hold left out; null if both do.
Value Lowering::boundMask(Value index, Value lo, Value hi, int64_t size, Value mask) {
  auto bound = [&](npu::CmpKind kind, Value limit) {
    Value scalar = builder.create<arith::SIToFPOp>(loc, builder.getF32Type(), limit);
    Value part = compare(kind, index, {}, scalar, {});
    if (mask)
      binary(npu::BinaryKind::and_, mask, mask, part);
    else
      mask = part;
  };
  if (constantOf(lo) != 0)
    bound(npu::CmpKind::ge, lo);
  if (constantOf(hi) != size)
    bound(npu::CmpKind::lt, hi);
  return mask;
}

// A tile of the type's shape that repeats `line` along every dimension but d.
Value Lowering::alongDimension(Value line, RankedTensorType type, int64_t d) {
  auto tile = RankedTensorType::get(type.getShape(), typeOf(line).getElementType());
  SmallVector<int64_t> strides(type.getRank(), 0);
  strides[d] = 1;
  Side target{elementBuffer(tile), {}, layoutOf(tile).strides};
  move(tile.getShape(), target, Side{line, {}, strides});
  return target.buffer;
}

// Indices as f32, exact up to 2^24 elements a dimension, which no tile reaches.
LogicalResult Lowering::lowerRangeMask(dl::RangeMaskOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape = tileShape(type);
  if (op->use_empty())
    return success();
  if (cube)
    return unsupported(op, "a mask as data needs the vector unit: a mixed kernel needs dl-split first");
  bool all = type.getNumElements() == 1;
  Value mask;
  int64_t position = 0, large = llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; });
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t size = type.getDimSize(d);
    Value lo = scalarOf(op.getLo()[d]), hi = scalarOf(op.getHi()[d]);
    bool whole = constantOf(lo) == 0 && constantOf(hi) == size;
    bool dropped = size == 1 && !(all && d + 1 == type.getRank());
    if (!whole) {
      Value index = alloc(builder.getF32Type(), dropped ? ArrayRef<int64_t>(shape) : ArrayRef<int64_t>(size));
      if (dropped)
        fill(index, constant(builder.getF32Type(), 0));
      else
        builder.create<npu::VIotaOp>(loc, index, constant(builder.getF32Type(), 0),
                                     constant(builder.getF32Type(), 1));
      if (!dropped && large > 2)
        index = alongDimension(index, type, d);
      else if (!dropped && shape.size() == 2)
        index = broadcast(index, shape, position == 0 ? 1 : 0);
      mask = boundMask(index, lo, hi, size, mask);
    }
    position += !dropped;
  }
  if (mask)
    return record(op.getResult(), mask);
  tiles[op.getResult()].splat = builder.create<arith::ConstantIntOp>(loc, 1, 1);
  return success();
}

// Of a reduction that the vector unit has.
static npu::ReduceKind kindOf(tt::ReduceOp op) {
  Operation* combine = combineOf(op);
  if (llvm::isa<arith::AddFOp, arith::AddIOp>(combine))
    return npu::ReduceKind::add;
  return llvm::isa<arith::MaxNumFOp, arith::MaxSIOp>(combine) ? npu::ReduceKind::max : npu::ReduceKind::min;
}

LogicalResult Lowering::lowerReduce(tt::ReduceOp op) {
  if (cube)
    return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
  if (!reducesInVectors(op))
    return lowerReduceLoop(op);
  Value src = op.getSrcs()[0], result = op.getResults()[0];
  auto type = llvm::cast<RankedTensorType>(src.getType());
  SmallVector<int64_t> shape = tileShape(type);
  Value from = computeBufferOf(src), reduced;
  Type element = typeOf(from).getElementType();
  if (type.getDimSize(op.getAxis()) == 1) {
    reduced = from;
  } else {
    int64_t axis = 0; // of the buffer
    for (unsigned d = 0; d < op.getAxis(); ++d)
      axis |= type.getDimSize(d) != 1;
    SmallVector<int64_t> rest = shape;
    rest.erase(rest.begin() + axis);
    reduced = alloc(element, rest.empty() ? ArrayRef<int64_t>(1) : ArrayRef<int64_t>(rest));
    Value tmp;
    if (int64_t scratch = npu::reduceScratch(typeOf(from), axis))
      tmp = alloc(element, {scratch});
    builder.create<npu::VReduceOp>(loc, kindOf(op), axis, reduced, from, tmp);
    if (auto tensor = llvm::dyn_cast<RankedTensorType>(result.getType()); tensor && tileShape(tensor) != rest)
      reduced = reshaped(reduced, RankedTensorType::get(rest, element), tensor.clone(element));
  }
  if (isTensor(result))
    return finish(result, reduced);
  Value value = builder.create<npu::LoadScalarOp>(loc, element, reduced, constant(0));
  if (value.getType() != result.getType())
    value = builder.create<arith::TruncFOp>(loc, result.getType(), value);
  scalars.map(result, value);
  return success();
}

} // namespace dlsim::codegen
