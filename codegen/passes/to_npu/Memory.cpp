// Loads and stores of rectangles. Only elements of the rectangle are moved; where a tile is partly outside,
// the copies write `other` themselves, behind rows and where there are none. The vector unit would hold them
// up.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

Value Lowering::address(Value base, Value elements, int64_t size) {
  return add(base, mul(elements, constant(size)));
}

Value Lowering::count(Value lo, Value hi) {
  if (constantOf(lo) == 0)
    return hi; // producers clamp hi to [0, size]
  return builder.createOrFold<arith::MaxSIOp>(loc, sub(hi, lo), constant(0));
}

FailureOr<Lowering::Rectangle> Lowering::rectangle(Operation* op, Value memory, Value tile,
                                                   ValueRange strides, ValueRange lo, ValueRange hi,
                                                   std::optional<uint64_t> arg, bool dropUnits) {
  auto type = llvm::cast<RankedTensorType>(tile.getType());
  if (type.getElementTypeBitWidth() % 8 != 0)
    return unsupported(op, "elements of i1 in global memory are not supported; load i8 and compare");
  Rectangle rect;
  rect.base = scalarOf(memory);
  rect.elementBytes = type.getElementTypeBitWidth() / 8;
  std::optional<int64_t> number = arg ? std::optional<int64_t>(*arg) : argumentOf(memory);
  rect.arg = number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  Value taken; // 0 when a dropped dimension is masked off
  bool all = llvm::all_of(type.getShape(), [](int64_t size) { return size == 1; });
  for (int64_t d = 0; d < type.getRank(); ++d) {
    bool last = d + 1 == type.getRank();
    if (dropUnits && type.getDimSize(d) == 1 && !(all && last)) {
      Value inside = count(scalarOf(lo[d]), scalarOf(hi[d]));
      if (constantOf(inside) != 1)
        taken = taken ? mul(taken, inside) : inside;
      continue;
    }
    rect.size.push_back(type.getDimSize(d));
    rect.stride.push_back(scalarOf(strides[d]));
    rect.lo.push_back(scalarOf(lo[d]));
    rect.hi.push_back(scalarOf(hi[d]));
    rect.dimension.push_back(d);
  }
  if (rect.size.size() > 2 && !dropUnits)
    return unsupported(op,
                       "tensors of " + Twine(type.getRank()) + " dimensions are not supported on the cube");
  if (taken)
    rect.hi[0] = mul(rect.hi[0], taken);
  return rect;
}

// Runs emit for each plane of the two innermost dimensions that has elements in the rectangle.
void Lowering::forEachPlane(const Rectangle& rect, llvm::function_ref<void(const Rectangle& plane)> emit) {
  OpBuilder::InsertionGuard guard(builder);
  Rectangle plane = rect;
  size_t outer = rect.size.size() > 2 ? rect.size.size() - 2 : 0;
  for (size_t d = 0; d < outer; ++d) {
    auto loop = builder.create<scf::ForOp>(loc, rect.lo[d], rect.hi[d], constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    Value index = loop.getInductionVar();
    plane.base = address(plane.base, mul(index, rect.stride[d]), rect.elementBytes);
    Value row = plane.firstRow ? add(plane.firstRow, index) : index;
    plane.firstRow = mul(row, constant(rect.size[d + 1]));
  }
  auto drop = [&](auto& list) { list.erase(list.begin(), list.begin() + outer); };
  drop(plane.size), drop(plane.stride), drop(plane.lo), drop(plane.hi), drop(plane.dimension);
  emit(plane);
}

// Tiles of more than two dimensions: plane by plane, or element by element where rows are not contiguous.
void Lowering::loadPlanes(const Rectangle& rect, RankedTensorType type, Value buffer, Value other) {
  bool contiguous = constantOf(rect.stride.back()) == 1;
  if (other)
    fillIfPartial(rect, [&] { contiguous ? fillByCopy(buffer, other) : fill(buffer, other); });
  if (contiguous)
    return forEachPlane(rect, [&](const Rectangle& plane) { copyRows(plane, buffer, other); });
  forEachLane(rect, [&](ArrayRef<Value> lanes) {
    Type bits = builder.getIntegerType(unsigned(rect.elementBytes * 8));
    Value value = builder.create<npu::GmLoadOp>(loc, bits, laneAddress(rect, lanes), rect.arg);
    builder.create<npu::StoreScalarOp>(loc, value, buffer, position(lanes, rectangleStrides(rect, type)));
  });
}

void Lowering::storePlanes(const Rectangle& rect, RankedTensorType type, Value buffer, npu::Atomic atomic) {
  auto begin = constantOf(rect.lo.back());
  if (constantOf(rect.stride.back()) == 1 && begin && *begin * rect.elementBytes % 32 == 0)
    return forEachPlane(rect, [&](const Rectangle& plane) { storeRows(plane, buffer, atomic); });
  forEachLane(rect, [&](ArrayRef<Value> lanes) {
    storeElement(buffer, position(lanes, rectangleStrides(rect, type)), laneAddress(rect, lanes), atomic,
                 rect.arg);
  });
}

// Strides in the buffer of the rectangle's dimensions.
SmallVector<int64_t> Lowering::rectangleStrides(const Rectangle& rect, RankedTensorType type) {
  TileLayout layout = layoutOf(type);
  SmallVector<int64_t> strides;
  for (int64_t d : rect.dimension)
    strides.push_back(layout.strides[d]);
  return strides;
}

Lowering::Wrap Lowering::wrapOf(dl::LoadOp op, Rectangle& rect) {
  Wrap wrap;
  if (!op.getWrapDim())
    return wrap;
  wrap.start = scalarOf(op.getWrapStart());
  wrap.modulus = scalarOf(op.getWrapModulus());
  auto found = llvm::find(rect.dimension, int64_t(*op.getWrapDim()));
  if (found != rect.dimension.end()) {
    wrap.dimension = unsigned(found - rect.dimension.begin());
    return wrap;
  }
  // A dimension of one element: a plain offset.
  Value index = builder.createOrFold<arith::RemSIOp>(loc, wrap.start, wrap.modulus);
  rect.base = address(rect.base, mul(index, scalarOf(op.getStrides()[*op.getWrapDim()])), rect.elementBytes);
  return wrap;
}

// Runs of elements that are consecutive in memory. Those after a wrap come first, from the last to the first,
// so that each run may spoil what lies before it in the tile; usually there is none.
void Lowering::forEachSegment(const Wrap& wrap, Value lo, Value hi,
                              llvm::function_ref<void(Value, Value, Value)> emit) {
  Value from = builder.createOrFold<arith::RemSIOp>(loc, add(wrap.start, lo), wrap.modulus);
  Value all = count(lo, hi), first = min(all, sub(wrap.modulus, from));
  {
    Value wraps = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, first, all);
    auto branch = builder.create<scf::IfOp>(loc, wraps, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value zero = constant(0), one = constant(1), rest = sub(all, first);
    Value runs = builder.create<arith::DivSIOp>(loc, add(rest, sub(wrap.modulus, one)), wrap.modulus);
    auto loop = builder.create<scf::ForOp>(loc, zero, runs, one);
    builder.setInsertionPointToStart(loop.getBody());
    Value before = mul(sub(sub(runs, one), loop.getInductionVar()), wrap.modulus);
    emit(add(add(lo, first), before), zero, min(wrap.modulus, sub(rest, before)));
  }
  emit(lo, from, first);
}

// Runs emit where some element of the tile that counts is outside the rectangle.
void Lowering::fillIfPartial(const Rectangle& rect, llvm::function_ref<void()> emit) {
  Value partial;
  auto either = [&](arith::CmpIPredicate predicate, Value bound, Value limit) {
    Value outside = builder.create<arith::CmpIOp>(loc, predicate, bound, limit);
    partial = partial ? Value(builder.create<arith::OrIOp>(loc, partial, outside)) : outside;
  };
  for (unsigned d = 0; d < rect.size.size(); ++d) {
    Value counted = rect.counted && rect.countedDimension == d ? rect.counted : constant(rect.size[d]);
    auto lo = constantOf(rect.lo[d]), hi = constantOf(rect.hi[d]), end = constantOf(counted);
    if ((lo && *lo > 0) || (hi && end && *hi < *end))
      return emit();
    if (!lo)
      either(arith::CmpIPredicate::sgt, rect.lo[d], constant(0));
    if (rect.hi[d] != counted && !(hi && end))
      either(arith::CmpIPredicate::slt, rect.hi[d], counted);
  }
  if (!partial)
    return;
  auto branch = builder.create<scf::IfOp>(loc, partial, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emit();
}

// Of a larger tile, a command may work on a part that lies outside of the rectangle altogether.
constexpr int64_t mostOfACommand = 255 * 256; // bytes: repeats of a command

// A rectangle that has no element leaves its buffer as it was, and nothing may have written it before: zeros,
// for what computes with the tile all the same.
void Lowering::fillIfEmpty(const Rectangle& rect, Value buffer, Value other) {
  if (other)
    return; // in place already
  Value empty;
  for (unsigned d = 0; d < rect.size.size(); ++d) {
    auto lo = constantOf(rect.lo[d]), hi = constantOf(rect.hi[d]);
    if (lo && hi && *lo < *hi)
      continue;
    Value none = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, rect.lo[d], rect.hi[d]);
    empty = empty ? Value(builder.create<arith::OrIOp>(loc, empty, none)) : none;
  }
  if (!empty)
    return;
  auto branch = builder.create<scf::IfOp>(loc, empty, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  fillByCopy(buffer, constant(typeOf(buffer).getElementType(), 0));
}

LogicalResult Lowering::lowerLoad(dl::LoadOp op) {
  bool toCube = llvm::any_of(op->getUsers(), [](Operation* user) { return llvm::isa<dl::DotOp>(user); });
  if (toCube)
    return lowerLoadL1(op);
  if (cube && !op->use_empty())
    return unsupported(op, "used by " + op->user_begin()->getName().getStringRef() +
                               ", which needs the vector unit: a mixed kernel needs dl-split first");
  return op->use_empty() ? success() : lowerLoadUb(op);
}

// A stride that only the launch knows is often 1: of a row's elements, or of the rows of a transposed matrix.
void Lowering::ifContiguous(const Rectangle& rect, llvm::function_ref<void()> rows,
                            llvm::function_ref<void()> columns, llvm::function_ref<void()> strided) {
  auto otherwise = [&](Value stride, llvm::function_ref<void()> unit, llvm::function_ref<void()> other) {
    if (constantOf(stride) || coalesce == Coalesce::off)
      return other();
    Value one = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, stride, constant(1));
    auto branch = builder.create<scf::IfOp>(loc, one, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    unit();
    builder.setInsertionPointToStart(branch.elseBlock());
    other();
  };
  constexpr int64_t largest = 32 * 1024; // bytes: the transposed tile is there twice
  bool matrix = rect.size.size() == 2 && rect.size[0] > 1 && coalesce == Coalesce::full &&
                rect.size[0] * rect.size[1] * rect.elementBytes <= largest;
  otherwise(rect.stride.back(), rows,
            [&] { matrix ? otherwise(rect.stride[0], columns, strided) : strided(); });
}

LogicalResult Lowering::lowerLoadUb(dl::LoadOp op) {
  auto rect =
      rectangle(op, op.getBase(), op.getResult(), op.getStrides(), op.getLo(), op.getHi(), op.getArg(), true);
  if (failed(rect))
    return failure();
  unsigned inner = unsigned(rect->size.size()) - 1;
  Wrap wrap = wrapOf(op, *rect);
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Value buffer = alloc(type.getElementType(), tileShape(type)), other;
  if (op.getOther())
    other = scalarOf(op.getOther());
  else if (npu::slotBytes(typeOf(buffer)) > mostOfACommand)
    other = constant(type.getElementType(), 0);
  if (rect->size.size() > 2) {
    loadPlanes(*rect, type, buffer, other);
    fillIfEmpty(*rect, buffer, other);
    return record(op.getResult(), buffer);
  }
  if (constantOf(rect->stride[inner]) != 1 && rect->size[inner] > 1) {
    if (wrap.dimension)
      loadTransposed(*rect, buffer, other, wrap); // dl-access makes walks of others
    else
      ifContiguous(
          *rect, [&] { loadRows(*rect, buffer, other); },
          [&] { loadTransposed(*rect, buffer, other, Wrap()); }, [&] { loadStrided(*rect, buffer, other); });
  } else if (wrap.dimension) {
    loadWrapped(*rect, buffer, other, wrap);
  } else {
    loadRows(*rect, buffer, other);
  }
  return record(op.getResult(), buffer);
}

// The padding of a copy has 16 bits for its bytes.
static bool padsRows(Value buffer) {
  MemRefType type = typeOf(buffer);
  return npu::ubRowElements(type) * npu::elementBits(type) / 8 < 1 << 16;
}

// Rows first..last-1 of the buffer, all of each, get the value from a copy that loads nothing.
void Lowering::padRows(Value buffer, Value first, Value last, Value value) {
  Value zero = constant(0), width = constant(npu::ubRowElements(typeOf(buffer)));
  builder.create<npu::CopyInOp>(loc, buffer, zero, first, zero, sub(last, first), zero, zero, Value(), width,
                                value, IntegerAttr(), false);
}

// The whole buffer gets the value, from the unit that copies into it next: it need not wait for another one.
void Lowering::fillByCopy(Value buffer, Value value) {
  if (!padsRows(buffer))
    return fill(buffer, value);
  int64_t rows = typeOf(buffer).getRank() == 2 ? typeOf(buffer).getDimSize(0) : 1;
  padRows(buffer, constant(0), constant(rows), value);
}

void Lowering::padRowsIfAny(Value buffer, Value first, Value last, Value value) {
  auto from = constantOf(first), to = constantOf(last);
  if (from && to)
    return *from < *to ? padRows(buffer, first, last, value) : void();
  Value some = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, first, last);
  auto branch = builder.create<scf::IfOp>(loc, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  padRows(buffer, first, last, value);
}

// Rows that wrap around: each run of elements that follow one another in memory is a copy.
void Lowering::loadWrapped(const Rectangle& rect, Value buffer, Value other, const Wrap& wrap) {
  if (other)
    fillIfPartial(rect, [&] { fillByCopy(buffer, other); });
  unsigned along = *wrap.dimension;
  forEachSegment(wrap, rect.lo[along], rect.hi[along], [&](Value to, Value from, Value n) {
    Rectangle part = rect;
    part.base = address(rect.base, mul(sub(from, to), rect.stride[along]), rect.elementBytes);
    part.lo[along] = to;
    part.hi[along] = add(to, n);
    copyRows(part, buffer, other);
  });
  fillIfEmpty(rect, buffer, other);
}

// Rows that are contiguous in memory; what is outside the rectangle gets `other`.
void Lowering::loadRows(const Rectangle& rect, Value buffer, Value other) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  if (!other) {
    copyRows(rect, buffer, other);
    return fillIfEmpty(rect, buffer, other);
  }
  if (constantOf(rect.lo[inner]) != 0 || !padsRows(buffer)) {
    fillIfPartial(rect, [&] { fillByCopy(buffer, other); });
    return copyRows(rect, buffer, other);
  }
  Value right;
  if (constantOf(rect.hi[inner]) != rect.size[inner])
    right = sub(constant(npu::ubRowElements(typeOf(buffer))), rect.hi[inner]);
  copyRows(rect, buffer, other, right);
  if (!inner)
    return;
  Value lo = rect.lo[0], hi = rect.hi[0], all = constant(rect.size[0]);
  padRowsIfAny(buffer, constant(0), min(lo, all), other);
  padRowsIfAny(buffer, constantOf(lo) == 0 ? hi : builder.createOrFold<arith::MaxSIOp>(loc, lo, hi), all,
               other);
}

// `right` elements of `other` go behind each row.
void Lowering::copyRows(const Rectangle& rect, Value buffer, Value other, Value right) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  // A row that begins inside a 32-byte block is padded to the left, with what is there anyway.
  int64_t block = 32 / rect.elementBytes;
  Value lo = rect.lo[inner], left, pad = right ? other : Value(), zero = constant(0);
  auto known = constantOf(lo);
  if (!known || *known % block != 0) {
    left = builder.createOrFold<arith::RemSIOp>(loc, lo, constant(block));
    pad = other ? other : constant(typeOf(buffer).getElementType(), 0);
  }
  Value row = inner ? rect.lo[0] : zero, inBuffer = rect.firstRow ? add(rect.firstRow, row) : row;
  Value rows = inner ? count(rect.lo[0], rect.hi[0]) : constant(1);
  Value stride = inner ? rect.stride[0] : zero;
  builder.create<npu::CopyInOp>(loc, buffer, address(rect.base, add(mul(row, stride), lo), rect.elementBytes),
                                inBuffer, lo, rows, count(lo, rect.hi[inner]),
                                mul(stride, constant(rect.elementBytes)), left, right, pad, rect.arg, false);
}

LogicalResult Lowering::lowerStore(dl::StoreOp op) {
  if (cube)
    return unsupported(op, "stores a tensor of the vector unit: a mixed kernel needs dl-split first");
  auto rect =
      rectangle(op, op.getBase(), op.getValue(), op.getStrides(), op.getLo(), op.getHi(), op.getArg(), true);
  if (failed(rect))
    return failure();
  unsigned inner = unsigned(rect->size.size()) - 1;
  Value buffer = bufferOf(op.getValue());
  if (rect->size.size() > 2) {
    storePlanes(*rect, llvm::cast<RankedTensorType>(op.getValue().getType()), buffer,
                npu::Atomic(op.getAtomic()));
    return success();
  }
  bool contiguous = constantOf(rect->stride[inner]) == 1 || rect->size[inner] == 1;
  if (contiguous)
    storeRows(*rect, buffer, npu::Atomic(op.getAtomic()));
  else
    ifContiguous(
        *rect, [&] { storeRows(*rect, buffer, npu::Atomic(op.getAtomic())); },
        [&] { storeTransposed(*rect, buffer, npu::Atomic(op.getAtomic())); },
        [&] { storeStrided(*rect, buffer, npu::Atomic(op.getAtomic())); });
  return success();
}

} // namespace dlsim::codegen
