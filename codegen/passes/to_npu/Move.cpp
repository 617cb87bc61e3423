// Operations that put elements elsewhere: reshape, trans, join, split, cat, slices, gather, histogram.
#include "codegen/passes/to_npu/Lowering.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;

namespace dlsim::codegen {

// dst[dstStart + sum(i * dstStrides)] = src[srcStart + sum(i * srcStrides)] for all i below sizes.
void Lowering::move(ArrayRef<int64_t> sizes, const Side& to, const Side& from) {
  nest(sizes, [&](ArrayRef<Value> indices) {
    Value source =
        from.start ? add(from.start, position(indices, from.strides)) : position(indices, from.strides);
    Value value =
        builder.create<npu::LoadScalarOp>(loc, typeOf(from.buffer).getElementType(), from.buffer, source);
    Value target = to.start ? add(to.start, position(indices, to.strides)) : position(indices, to.strides);
    builder.create<npu::StoreScalarOp>(loc, value, to.buffer, target);
  });
}

// Elements keep their row-major order. Tiles without row padding hold the same bytes.
Value Lowering::reshaped(Value src, RankedTensorType from, RankedTensorType to) {
  SmallVector<int64_t> before = tileShape(from), after = tileShape(to);
  if (before == after)
    return src;
  Value dst = elementBuffer(to);
  auto dense = [](Value buffer) {
    MemRefType type = typeOf(buffer);
    return npu::ubElements(type) == type.getNumElements();
  };
  if (dense(src) && dense(dst)) {
    unary(npu::UnaryKind::copy, dst, src);
    return dst;
  }
  // Runs that lie within one row on both sides.
  int64_t run = std::gcd(before.back(), after.back()), runs = from.getNumElements() / run;
  nest({runs, run}, [&](ArrayRef<Value> indices) {
    auto at = [&](Value buffer) {
      int64_t perRow = typeOf(buffer).getShape().back() / run;
      Value row = builder.createOrFold<arith::DivUIOp>(loc, indices[0], constant(perRow));
      Value part = builder.createOrFold<arith::RemUIOp>(loc, indices[0], constant(perRow));
      Value start = add(mul(row, constant(npu::ubRowElements(typeOf(buffer)))), mul(part, constant(run)));
      return add(start, indices[1]);
    };
    Value value = builder.create<npu::LoadScalarOp>(loc, from.getElementType(), src, at(src));
    builder.create<npu::StoreScalarOp>(loc, value, dst, at(dst));
  });
  return dst;
}

// Dimensions of size 1 do not exist in buffers, so adding or dropping them is free.
LogicalResult Lowering::lowerReshape(Operation* op, Value src) {
  auto from = llvm::cast<RankedTensorType>(src.getType()),
       to = llvm::cast<RankedTensorType>(op->getResult(0).getType());
  Tile tile = tileOf(src);
  if (!tile.splat && tileShape(from) != tileShape(to)) {
    if (cube)
      return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
    tile.buffer = reshaped(tile.buffer, from, to);
  }
  tiles[op->getResult(0)] = tile;
  return success();
}

// Any order of any number of dimensions.
Value Lowering::permuted(tt::TransOp op, Value src) {
  auto from = llvm::cast<RankedTensorType>(op.getSrc().getType()),
       to = llvm::cast<RankedTensorType>(op.getType());
  TileLayout source = layoutOf(from), target = layoutOf(to);
  Side toSide{elementBuffer(to), {}, target.strides}, fromSide{src, {}, {}};
  for (int32_t d : op.getOrder())
    fromSide.strides.push_back(source.strides[d]);
  move(to.getShape(), toSide, fromSide);
  return toSide.buffer;
}

// Copies all of `src` into the part of dst that begins at `start`, with dst's strides for src's dimensions.
void Lowering::place(Value src, Value dst, Value start, ArrayRef<int64_t> strides) {
  auto type = llvm::cast<RankedTensorType>(src.getType());
  move(type.getShape(), Side{dst, start, SmallVector<int64_t>(strides)},
       Side{bufferOf(src), {}, layoutOf(type).strides});
}

LogicalResult Lowering::lowerJoin(tt::JoinOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Value dst = elementBuffer(type);
  SmallVector<int64_t> outer = layoutOf(type).strides;
  outer.pop_back();
  place(op.getLhs(), dst, {}, outer);
  place(op.getRhs(), dst, constant(1), outer);
  return record(op.getResult(), dst);
}

LogicalResult Lowering::lowerSplit(tt::SplitOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getSrc().getType()),
       half = llvm::cast<RankedTensorType>(op.getOutLHS().getType());
  Tile tile = tileOf(op.getSrc());
  SmallVector<int64_t> strides = layoutOf(type).strides;
  strides.pop_back();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (tile.splat) {
      tiles[result] = tile;
      continue;
    }
    if (result.use_empty())
      continue;
    Side to{elementBuffer(half), {}, layoutOf(half).strides},
        from{tile.buffer, constant(int64_t(i)), strides};
    move(half.getShape(), to, from);
    (void)record(result, to.buffer);
  }
  return success();
}

LogicalResult Lowering::lowerCat(tt::CatOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType()),
       part = llvm::cast<RankedTensorType>(op.getLhs().getType());
  Value dst = elementBuffer(type);
  int64_t bits = npu::ubElements(typeOf(dst)) / 2 * npu::elementBits(typeOf(dst));
  bool alike = tileShape(type).size() == tileShape(part).size(); // else a row has become a line
  if (coalesce != Coalesce::off && alike && npu::elementBits(typeOf(dst)) >= 8 && bits % (32 * 8) == 0) {
    for (auto [number, half] : llvm::enumerate(op.getOperands()))
      builder.create<npu::VMoveOp>(loc, dst, bufferOf(half), constant(int64_t(number) * bits / 8),
                                   constant(0), 1, bits / 8, 0, 0);
    return record(op.getResult(), dst);
  }
  SmallVector<int64_t> strides = layoutOf(type).strides;
  place(op.getLhs(), dst, {}, strides);
  place(op.getRhs(), dst, constant(part.getDimSize(0) * strides[0]), strides);
  return record(op.getResult(), dst);
}

// ---- Slices
// Offsets of a slice as i64, and the strides of its own dimensions in the buffer of `whole`.
static SmallVector<int64_t> sliceStrides(RankedTensorType whole, ArrayRef<int64_t> steps,
                                         const llvm::SmallBitVector& dropped) {
  TileLayout layout = layoutOf(whole);
  SmallVector<int64_t> strides;
  for (auto [d, step] : llvm::enumerate(steps))
    if (!dropped[d])
      strides.push_back(layout.strides[d] * step);
  return strides;
}

Value Lowering::sliceStart(RankedTensorType whole, ArrayRef<OpFoldResult> offsets) {
  SmallVector<Value> indices;
  for (OpFoldResult offset : offsets)
    indices.push_back(indexOf(offset));
  return position(indices, layoutOf(whole).strides);
}

Value Lowering::indexOf(OpFoldResult index) {
  if (auto known = getConstantIntValue(index))
    return constant(*known);
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(),
                                                  scalarOf(llvm::cast<Value>(index)));
}

// Where a slice begins, in bytes of its source's buffer, if it is one stretch of whole blocks there.
static std::optional<int64_t> stretchOf(tensor::ExtractSliceOp op) {
  constexpr int64_t blockBits = 256;
  auto whole = llvm::cast<RankedTensorType>(op.getSource().getType());
  RankedTensorType part = op.getType();
  if (part.getRank() != whole.getRank() || llvm::is_contained(op.getStaticOffsets(), ShapedType::kDynamic) ||
      llvm::any_of(op.getStaticStrides(), [](int64_t step) { return step != 1; }))
    return std::nullopt;
  int64_t bits = whole.getElementTypeBitWidth(), begin = 0;
  TileLayout layout = layoutOf(whole), own = layoutOf(part);
  bool outermost = true; // of the dimensions that the buffer has
  for (auto [d, size] : llvm::enumerate(whole.getShape())) {
    if (size == 1)
      continue;
    if (!outermost && (part.getDimSize(d) != size || own.strides[d] != layout.strides[d]))
      return std::nullopt;
    if (outermost) {
      begin = op.getStaticOffset(d) * layout.strides[d] * bits;
      if (part.getDimSize(d) == 1 || own.strides[d] != layout.strides[d] ||
          part.getDimSize(d) * own.strides[d] * bits % blockBits != 0)
        return std::nullopt;
    }
    outermost = false;
  }
  return begin % blockBits == 0 ? std::optional(begin / 8) : std::nullopt;
}

LogicalResult Lowering::lowerExtractSlice(tensor::ExtractSliceOp op) {
  auto whole = llvm::cast<RankedTensorType>(op.getSource().getType());
  RankedTensorType part = op.getType();
  Tile tile = tileOf(op.getSource());
  if (tile.splat) {
    tiles[op.getResult()] = tile;
    return success();
  }
  if (!part.hasStaticShape() || llvm::is_contained(op.getStaticStrides(), ShapedType::kDynamic))
    return unsupported(op, "sizes and strides of a slice must be constants");
  if (std::optional<int64_t> begin = stretchOf(op)) {
    MemRefType source = typeOf(tile.buffer);
    auto type = MemRefType::get(tileShape(part), source.getElementType(), source.getLayout(),
                                source.getMemorySpace());
    Value src = builder.create<npu::PartOp>(loc, type, tile.buffer, *begin);
    if (op->hasAttr(dl::inPlace))
      return record(op.getResult(), src);
    Value copy = alloc(part.getElementType(), tileShape(part));
    unary(npu::UnaryKind::copy, copy, src);
    return record(op.getResult(), copy);
  }
  Side to{elementBuffer(part), {}, layoutOf(part).strides};
  Side from{tile.buffer, sliceStart(whole, op.getMixedOffsets()),
            sliceStrides(whole, op.getStaticStrides(), op.getDroppedDims())};
  move(part.getShape(), to, from);
  return record(op.getResult(), to.buffer);
}

LogicalResult Lowering::lowerInsertSlice(tensor::InsertSliceOp op) {
  RankedTensorType whole = op.getType(), part = op.getSourceType();
  if (!part.hasStaticShape() || llvm::is_contained(op.getStaticStrides(), ShapedType::kDynamic))
    return unsupported(op, "sizes and strides of a slice must be constants");
  Value dst = alloc(whole.getElementType(), tileShape(whole));
  unary(npu::UnaryKind::copy, dst, bufferOf(op.getDest()));
  place(op.getSource(), dst, sliceStart(whole, op.getMixedOffsets()),
        sliceStrides(whole, op.getStaticStrides(), op.getDroppedDims()));
  return record(op.getResult(), dst);
}

LogicalResult Lowering::lowerTensorExtract(tensor::ExtractOp op) {
  SmallVector<Value> indices;
  for (Value index : op.getIndices())
    indices.push_back(indexOf(index));
  scalars.map(op.getResult(), element(op.getTensor(), indices));
  return success();
}

// ---- By index
LogicalResult Lowering::lowerTileGather(tt::GatherOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  if (Value splat = splatOf(op.getSrc())) {
    tiles[op.getResult()].splat = splat;
    return success();
  }
  Value dst = elementBuffer(type);
  nest(type.getShape(), [&](ArrayRef<Value> indices) {
    Value index = element(op.getIndices(), indices);
    SmallVector<Value> from(indices);
    from[op.getAxis()] = index.getType().isInteger(64)
                             ? index
                             : builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), index);
    setElement(dst, type, indices, element(op.getSrc(), from));
  });
  return record(op.getResult(), dst);
}

// Values that name no bin count nowhere.
LogicalResult Lowering::lowerHistogram(tt::HistogramOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType()),
       from = llvm::cast<RankedTensorType>(op.getSrc().getType());
  Value dst = alloc(type.getElementType(), tileShape(type));
  fill(dst, constant(type.getElementType(), 0));
  nest(from.getShape(), [&](ArrayRef<Value> indices) {
    Value bin = element(op.getSrc(), indices);
    if (!bin.getType().isInteger(64))
      bin = builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), bin);
    Value counts =
        builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, bin, constant(type.getDimSize(0)));
    if (op.getMask())
      counts = builder.create<arith::AndIOp>(loc, counts, element(op.getMask(), indices));
    auto branch = builder.create<scf::IfOp>(loc, counts, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value old = builder.create<npu::LoadScalarOp>(loc, type.getElementType(), dst, bin);
    builder.create<npu::StoreScalarOp>(loc, add(old, constant(type.getElementType(), 1)), dst, bin);
  });
  return record(op.getResult(), dst);
}

// ---- Constants
LogicalResult Lowering::lowerConstant(arith::ConstantOp op) {
  auto elements = llvm::dyn_cast<DenseElementsAttr>(op.getValue());
  constexpr int64_t most = 4096;
  if (!elements || (!elements.isSplat() && elements.getNumElements() > most))
    return unsupported(op, "constant tensors have one value everywhere or at most 4096 values");
  if (elements.isSplat()) {
    tiles[op.getResult()].splat =
        builder.create<arith::ConstantOp>(loc, llvm::cast<TypedAttr>(elements.getSplatValue<Attribute>()));
    return success();
  }
  if (cube)
    return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Value dst = elementBuffer(type);
  int64_t cols = typeOf(dst).getShape().back(), row = npu::ubRowElements(typeOf(dst)), i = 0;
  for (Attribute value : elements.getValues<Attribute>()) {
    Value scalar = builder.create<arith::ConstantOp>(loc, llvm::cast<TypedAttr>(value));
    builder.create<npu::StoreScalarOp>(loc, scalar, dst, constant(i / cols * row + i % cols));
    ++i;
  }
  return record(op.getResult(), dst);
}

LogicalResult Lowering::lowerBitcast(Operation* op) {
  Value src = op->getOperand(0), result = op->getResult(0);
  Type from = elementOf(src), to = elementOf(result);
  if (Value splat = splatOf(src)) {
    tiles[result].splat = from == to ? splat : Value(builder.create<arith::BitcastOp>(loc, to, splat));
    return success();
  }
  Value dst = alloc(to, tileShape(llvm::cast<RankedTensorType>(result.getType())));
  unary(npu::UnaryKind::copy, dst, bufferOf(src));
  return record(result, dst);
}

} // namespace dlsim::codegen
