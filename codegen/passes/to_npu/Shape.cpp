// Shapes, ranges, masks as data, and reductions.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

LogicalResult Lowering::lowerSplat(tt::SplatOp op) {
  if (!isTensor(op.getSrc()))
    tiles[op.getResult()].splat = scalarOf(op.getSrc());
  else
    return unsupported(op, "only scalars can be splat");
  return success();
}

// Dimensions of size 1 do not exist in buffers, so adding or dropping them is free.
LogicalResult Lowering::lowerReshape(Operation* op, Value src) {
  auto from = llvm::cast<RankedTensorType>(src.getType()),
       to = llvm::cast<RankedTensorType>(op->getResult(0).getType());
  Tile tile = tileOf(src);
  if (!tile.splat && tileShape(from) != tileShape(to))
    return unsupported(op, "only reshapes that add or drop dimensions of size 1 are supported");
  tiles[op->getResult(0)] = tile;
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

LogicalResult Lowering::lowerBroadcast(tt::BroadcastOp op) {
  auto from = llvm::cast<RankedTensorType>(op.getSrc().getType()),
       to = llvm::cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape = tileShape(to);
  Tile tile = tileOf(op.getSrc());
  if (tile.splat || tileShape(from) == shape) {
    tiles[op.getResult()] = tile;
    return success();
  }
  if (shape.size() > 2)
    return unsupported(op, "tiles of more than two dimensions above 1 are not supported");
  if (from.getNumElements() == 1) {
    Value zero = constant(0);
    if (elementOf(op.getSrc()).isInteger(1))
      return unsupported(op, "broadcast of a single i1 element is not supported");
    tiles[op.getResult()].splat =
        builder.create<npu::LoadScalarOp>(loc, elementOf(op.getSrc()), tile.buffer, zero);
    return success();
  }
  if (shape.size() != 2 || elementOf(op.getSrc()).getIntOrFloatBitWidth() == 8)
    return unsupported(op,
                       "a row or a column of 1-, 16- or 32-bit elements can be broadcast to two dimensions");
  // The source is one of the two large dimensions of the result; the other is repeated.
  int64_t repeated = 0, seen = 0;
  for (int64_t d = 0; d < to.getRank(); ++d) {
    if (to.getDimSize(d) == 1)
      continue;
    if (from.getDimSize(d) == 1)
      repeated = seen;
    ++seen;
  }
  return record(op.getResult(), broadcast(tile.buffer, shape, repeated));
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

// Indices as f32, exact up to 2^24 elements a dimension, which no tile reaches.
LogicalResult Lowering::lowerRangeMask(dl::RangeMaskOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape = tileShape(type);
  if (op->use_empty())
    return success();
  if (cube || shape.size() > 2)
    return unsupported(op, cube ? "a mask as data needs the vector unit: a mixed kernel needs dl-split first"
                                : "masks of more than two dimensions above 1 are not supported");
  bool all = type.getNumElements() == 1;
  Value mask;
  int64_t position = 0;
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
      if (!dropped && shape.size() == 2)
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

// add, max or min if the region combines its two arguments by that and nothing else.
static std::optional<npu::ReduceKind> combiner(tt::ReduceOp op) {
  Block& body = op.getCombineOp().front();
  if (body.getNumArguments() != 2 || std::distance(body.begin(), body.end()) != 2)
    return std::nullopt;
  Operation& combine = body.front();
  if (combine.getNumOperands() != 2 || body.getTerminator()->getOperand(0) != combine.getResult(0))
    return std::nullopt;
  Value a = body.getArgument(0), b = body.getArgument(1), x = combine.getOperand(0),
        y = combine.getOperand(1);
  if (!((x == a && y == b) || (x == b && y == a)))
    return std::nullopt;
  if (llvm::isa<arith::AddFOp, arith::AddIOp>(combine))
    return npu::ReduceKind::add;
  if (llvm::isa<arith::MaxNumFOp, arith::MaxSIOp>(combine))
    return npu::ReduceKind::max;
  if (llvm::isa<arith::MinNumFOp, arith::MinSIOp>(combine))
    return npu::ReduceKind::min;
  return std::nullopt;
}

LogicalResult Lowering::lowerReduce(tt::ReduceOp op) {
  std::optional<npu::ReduceKind> kind = op.getSrcs().size() == 1 ? combiner(op) : std::nullopt;
  if (cube)
    return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
  if (!kind)
    return unsupported(op, "reductions of one tensor by addf, maxnumf or minnumf (and addi, maxsi, minsi "
                           "along rows) are supported");
  Value src = op.getSrcs()[0], result = op.getResults()[0];
  auto type = llvm::cast<RankedTensorType>(src.getType());
  int64_t axis = op.getAxis(), bufferAxis = 0;
  for (int64_t d = 0; d < axis; ++d)
    bufferAxis += type.getDimSize(d) != 1;
  SmallVector<int64_t> shape = tileShape(type);
  if (shape.size() > 2)
    return unsupported(op, "tiles of more than two dimensions above 1 are not supported");
  Value from = computeBufferOf(src), reduced;
  Type element = typeOf(from).getElementType();
  if (type.getDimSize(axis) == 1) {
    reduced = from;
  } else {
    bool rowWise = shape.size() == 2 && bufferAxis == 0;
    if (!(element.isF16() || element.isF32() || (element.isInteger(32) && rowWise)))
      return unsupported(
          op, "reductions of f16, bf16 and f32 are supported, of i32 along the first of two dimensions only");
    SmallVector<int64_t> rest = shape;
    rest.erase(rest.begin() + bufferAxis);
    reduced = alloc(element, rest.empty() ? ArrayRef<int64_t>(1) : ArrayRef<int64_t>(rest));
    Value tmp;
    if (int64_t scratch = npu::reduceScratch(typeOf(from), bufferAxis))
      tmp = alloc(element, {scratch});
    builder.create<npu::VReduceOp>(loc, *kind, bufferAxis, reduced, from, tmp);
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
