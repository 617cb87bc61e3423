// Rearranging tiles on chip: columns at a stride, transposes. v.trans turns 16 x 16 blocks of 16-bit
// elements; v.gather picks elements by a table of offsets, which all uses of one kind share at the beginning
// of the kernel.
#include "codegen/passes/to_npu/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {

static bool gathers(Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits == 16 || bits == 32;
}

// Byte offsets r * rowStep + c * step of `rows` x `columns` elements; a vector if there is one row.
Value Lowering::offsetTable(int64_t rows, int64_t columns, int64_t rowStep, int64_t step) {
  Value& table = offsetTables[{rows, columns, rowStep, step}];
  if (table)
    return table;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  SmallVector<int64_t> shape{columns};
  if (rows > 1)
    shape.insert(shape.begin(), rows);
  table = alloc(builder.getI32Type(), shape);
  builder.create<npu::VOffsetsOp>(loc, table, uint64_t(rowStep), uint64_t(step));
  return table;
}

// Row `row` of dst: elements of src at byte `base` + i * step, the first `count` of them if given. Elements
// that v.gather cannot move go through the scalar unit.
void Lowering::pickRow(Value dst, Value row, Value src, Value base, int64_t step, Value number) {
  MemRefType type = typeOf(dst);
  int64_t columns = type.getShape().back(), bytes = npu::elementBits(type) / 8;
  if (gathers(type.getElementType()) && coalesce != Coalesce::off) {
    builder.create<npu::VGatherOp>(loc, dst, src, offsetTable(1, columns, 0, step), row, base, number);
    return;
  }
  Value columnCount = number ? number : constant(columns);
  auto loop = builder.create<scf::ForOp>(loc, constant(0), columnCount, constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value from = builder.createOrFold<arith::DivUIOp>(loc, base, constant(bytes));
  Value value = builder.create<npu::LoadScalarOp>(loc, type.getElementType(), src,
                                                  add(from, mul(i, constant(step / bytes))));
  Value rowStart = type.getRank() == 2 ? mul(row, constant(npu::ubRowElements(type))) : constant(0);
  builder.create<npu::StoreScalarOp>(loc, value, dst, add(rowStart, i));
}

// The most elements that one table of offsets has.
constexpr int64_t largestTable = 4096;

// Element (r, c) of dst is the element at byte start + r * rowStep + c * step of src; several rows a command
// where they fit.
void Lowering::pickTile(Value dst, Value src, int64_t rowStep, int64_t step, int64_t start) {
  MemRefType type = typeOf(dst);
  int64_t columns = type.getShape().back(), rows = type.getRank() == 2 ? type.getDimSize(0) : 1, group = 1;
  bool whole = gathers(type.getElementType()) && coalesce != Coalesce::off && columns % 16 == 0;
  while (whole && group < rows && rows % (group * 2) == 0 && group * 2 * columns <= largestTable)
    group *= 2;
  auto pick = [&](Value row, Value base) {
    if (group == 1)
      return pickRow(dst, row, src, base, step, {});
    builder.create<npu::VGatherOp>(loc, dst, src, offsetTable(group, columns, rowStep, step), row, base,
                                   Value());
  };
  if (group == rows)
    return pick(constant(0), constant(start));
  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(rows), constant(group));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  pick(loop.getInductionVar(), add(mul(loop.getInductionVar(), constant(rowStep)), constant(start)));
}

// `part` on tiles of i8 as f16, which holds each of them.
bool Lowering::throughHalves(Value dst, Value src, llvm::function_ref<void(Value, Value)> part) {
  if (!typeOf(src).getElementType().isInteger(8) || coalesce == Coalesce::off)
    return false;
  Type f16 = builder.getF16Type();
  Value from = allocLike(src, f16), to = allocLike(dst, f16);
  cast(npu::Round::rint, from, src);
  part(to, from);
  cast(npu::Round::rint, dst, to);
  return true;
}

// dst[i][j] = src[j][i]
void Lowering::transpose(Value dst, Value src) {
  MemRefType from = typeOf(src);
  int64_t rows = from.getDimSize(0), columns = from.getDimSize(1), bytes = npu::elementBits(from) / 8;
  if (throughHalves(dst, src, [&](Value to, Value half) { transpose(to, half); }))
    return;
  constexpr int64_t longestRow = 4080; // elements: strides of v.trans have 8 bits
  if (coalesce != Coalesce::off && npu::elementBits(from) == 16 && rows % 16 == 0 && columns % 16 == 0 &&
      std::max(rows, columns) <= longestRow)
    builder.create<npu::VTransOp>(loc, dst, src);
  else
    pickTile(dst, src, bytes, npu::ubRowElements(from) * bytes);
}

LogicalResult Lowering::lowerTrans(tt::TransOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getSrc().getType());
  Tile tile = tileOf(op.getSrc());
  SmallVector<int64_t> order; // of the dimensions that the buffer has
  for (int32_t dim : op.getOrder())
    if (type.getDimSize(dim) != 1)
      order.push_back(dim);
  if (tile.splat || llvm::is_sorted(order)) {
    tiles[op.getResult()] = tile;
    return success();
  }
  if (order.size() > 2)
    return record(op.getResult(), permuted(op, tile.buffer));
  SmallVector<int64_t> shape = tileShape(llvm::cast<RankedTensorType>(op.getType()));
  Type element = elementOf(op.getSrc());
  if (element.isInteger(1)) { // through numbers
    Type f16 = builder.getF16Type();
    Value ones = alloc(f16, typeOf(tile.buffer).getShape()), numbers = allocLike(ones, f16);
    fill(ones, constant(f16, 1));
    builder.create<npu::VSelsOp>(loc, numbers, tile.buffer, ones, constant(f16, 0));
    Value turned = alloc(f16, shape);
    transpose(turned, numbers);
    return record(op.getResult(), compare(npu::CmpKind::ne, turned, {}, constant(f16, 0), {}));
  }
  Value dst = alloc(element, shape);
  transpose(dst, tile.buffer);
  return record(op.getResult(), dst);
}

// ---- Rectangles whose rows are not contiguous in memory
// ------------------------------------------------------------

// The largest stride for which the gaps between elements are loaded too.
constexpr int64_t widestGap = 8;

void Lowering::loadStrided(const Rectangle& rect, Value buffer, Value other) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  Type element = typeOf(buffer).getElementType();
  auto stride = constantOf(rect.stride[inner]);
  if (coalesce == Coalesce::full && stride == -1)
    return loadBackwards(rect, buffer, other);
  if (coalesce == Coalesce::full && inner == 1 && constantOf(rect.stride[0]) == 1)
    return loadTransposed(rect, buffer, other, Wrap());
  if (coalesce == Coalesce::full && (gathers(element) || element.isInteger(8)) && stride && *stride > 1 &&
      *stride <= widestGap)
    return loadWithGaps(rect, buffer, other, *stride);
  if (coalesce != Coalesce::off && gathers(element))
    return loadElements(rect, buffer, other);
  if (other)
    fillIfPartial(rect, [&] { fill(buffer, other); });
  forEachLane(rect, [&](ArrayRef<Value> lanes) {
    Type bits = builder.getIntegerType(unsigned(rect.elementBytes * 8));
    Value value = builder.create<npu::GmLoadOp>(loc, bits, laneAddress(rect, lanes), rect.arg);
    builder.create<npu::StoreScalarOp>(loc, value, buffer, laneNumber(buffer, lanes));
  });
  fillIfEmpty(rect, buffer, other);
}

Value Lowering::laneAddress(const Rectangle& rect, ArrayRef<Value> lanes) {
  Value offset = constant(0);
  for (auto [lane, stride] : llvm::zip_equal(lanes, rect.stride))
    offset = add(offset, mul(lane, stride));
  return address(rect.base, offset, rect.elementBytes);
}

void Lowering::forEachLane(const Rectangle& rect, llvm::function_ref<void(ArrayRef<Value>)> emit) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> lanes;
  for (unsigned d = 0; d < rect.size.size(); ++d) {
    auto loop = builder.create<scf::ForOp>(loc, rect.lo[d], rect.hi[d], constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    lanes.push_back(loop.getInductionVar());
  }
  emit(lanes);
}

// Runs emit with each row that counts; once, with 0, for a vector.
void Lowering::forEachRow(const Rectangle& rect, llvm::function_ref<void(Value)> emit) {
  if (rect.size.size() == 1)
    return emit(constant(0));
  OpBuilder::InsertionGuard guard(builder);
  auto loop = builder.create<scf::ForOp>(loc, rect.lo[0], rect.hi[0], constant(1));
  builder.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

// Columns are contiguous in memory: a copy of the transpose.
void Lowering::loadTransposed(const Rectangle& rect, Value buffer, Value other, Wrap wrap) {
  Value turned = alloc(typeOf(buffer).getElementType(), {rect.size[1], rect.size[0]});
  if (!other) // a block of the transposition may lie outside the rectangle
    other = constant(typeOf(buffer).getElementType(), 0);
  if (wrap.dimension) {
    wrap.dimension = 1 - *wrap.dimension;
    loadWrapped(turnedAround(rect), turned, other, wrap);
  } else {
    loadRows(turnedAround(rect), turned, other);
  }
  transpose(buffer, turned);
}

// The gaps come along, up to the last element that counts.
void Lowering::loadWithGaps(const Rectangle& rect, Value buffer, Value other, int64_t stride) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  SmallVector<int64_t> shape(rect.size.begin(), rect.size.end());
  shape[inner] *= stride;
  Value wide = alloc(typeOf(buffer).getElementType(), shape);
  Rectangle whole = rect;
  whole.size[inner] = shape[inner];
  Value step = constant(stride);
  whole.stride[inner] = constant(1);
  whole.lo[inner] = mul(rect.lo[inner], step);
  // from the first element to the last one, without the gap behind it; nothing if there is no element
  Value last = sub(mul(rect.hi[inner], step), constant(stride - 1));
  whole.hi[inner] = builder.createOrFold<arith::MaxSIOp>(loc, last, whole.lo[inner]);
  loadRows(whole, wide, other);
  deinterleave(buffer, wide, 0, stride);
}

// A burst an element, 32 bytes or more apart on chip; a long line in parts.
void Lowering::loadElements(const Rectangle& rect, Value buffer, Value other) {
  constexpr int64_t longest = 1024; // elements
  unsigned inner = unsigned(rect.size.size()) - 1;
  int64_t size = rect.size[inner];
  if (inner || size <= longest || size % longest != 0) {
    if (other && inner)
      fillIfPartial(rect, [&] { fill(buffer, other); });
    forEachRow(rect, [&](Value lane) { loadApart(rect, lane, buffer, lane, other); });
    if (inner)
      fillIfEmpty(rect, buffer, other);
    return;
  }
  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(size / longest), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Rectangle part = rect;
  Value zero = constant(0), all = constant(longest), begin = mul(loop.getInductionVar(), all);
  part.size[0] = longest;
  part.base = address(rect.base, mul(begin, rect.stride[0]), rect.elementBytes);
  auto inside = [&](Value bound) {
    return builder.createOrFold<arith::MaxSIOp>(loc, min(sub(bound, begin), all), zero);
  };
  part.lo[0] = constantOf(rect.lo[0]) == 0 ? zero : inside(rect.lo[0]);
  part.hi[0] = constantOf(rect.hi[0]) == size ? all : inside(rect.hi[0]);
  loadApart(part, zero, buffer, loop.getInductionVar(), other);
}

// Row `lane` of the rectangle; it is row `number` of the buffer.
void Lowering::loadApart(const Rectangle& rect, Value lane, Value buffer, Value number, Value other) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  int64_t columns = rect.size[inner];
  Value apart = alloc(typeOf(buffer).getElementType(), {columns, 2}), zero = constant(0), one = constant(1);
  int64_t step = npu::ubRowElements(typeOf(apart)) * rect.elementBytes;
  if (other)
    fillIfPartial(rect, [&] { fillByCopy(apart, other); });
  SmallVector<Value> first{rect.lo[inner]};
  if (inner)
    first.insert(first.begin(), lane);
  builder.create<npu::CopyInOp>(
      loc, apart, laneAddress(rect, first), rect.lo[inner], zero, count(rect.lo[inner], rect.hi[inner]), one,
      mul(rect.stride[inner], constant(rect.elementBytes)), Value(), Value(), Value(), rect.arg, false);
  fillIfEmpty(rect, apart, other);
  builder.create<npu::VGatherOp>(loc, buffer, apart, offsetTable(1, columns, 0, step), number, zero, Value());
}

// One element of the buffer to memory. Transfers begin at blocks of the buffer, which elements do not: the
// scalar unit stores it, and what combines with memory goes through a tile of its own.
void Lowering::storeElement(Value buffer, Value number, Value to, npu::Atomic atomic, IntegerAttr arg) {
  Type element = typeOf(buffer).getElementType();
  Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
  Value value = builder.create<npu::LoadScalarOp>(loc, bits, buffer, number), zero = constant(0),
        one = constant(1);
  if (atomic == npu::Atomic::none) {
    builder.create<npu::GmStoreOp>(loc, value, to, arg);
    return;
  }
  Value single = alloc(element, {1});
  builder.create<npu::StoreScalarOp>(loc, value, single, zero);
  builder.create<npu::CopyOutOp>(loc, single, to, zero, zero, one, one, zero, atomic, arg, false);
}

// Rows that are contiguous in memory; element by element up to the first block.
void Lowering::storeRows(const Rectangle& rect, Value buffer, npu::Atomic atomic) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  Value zero = constant(0), lo = rect.lo[inner], row = inner ? rect.lo[0] : zero;
  Value stride = inner ? rect.stride[0] : zero;
  int64_t block = 32 / rect.elementBytes;
  auto copy = [&] {
    Value to = address(rect.base, add(mul(row, stride), lo), rect.elementBytes);
    Value inBuffer = rect.firstRow ? add(rect.firstRow, row) : row;
    builder.create<npu::CopyOutOp>(loc, buffer, to, inBuffer, lo,
                                   inner ? count(row, rect.hi[0]) : constant(1), count(lo, rect.hi[inner]),
                                   mul(stride, constant(rect.elementBytes)), atomic, rect.arg, false);
  };
  if (auto known = constantOf(lo); known && *known % block == 0)
    return copy();
  if (gathers(typeOf(buffer).getElementType()) && coalesce != Coalesce::off)
    return storeShifted(rect, buffer, atomic);
  // The part of the first block by elements, the rest from the next block on.
  Value edge = mul(builder.createOrFold<arith::DivSIOp>(loc, add(lo, constant(block - 1)), constant(block)),
                   constant(block));
  Rectangle head = rect;
  head.hi[inner] = min(edge, rect.hi[inner]);
  forEachLane(head, [&](ArrayRef<Value> lanes) {
    storeElement(buffer, laneNumber(buffer, lanes), laneAddress(rect, lanes), atomic, rect.arg);
  });
  lo = edge;
  copy();
}

// Each row moves to the beginning of another one first.
void Lowering::storeShifted(const Rectangle& rect, Value buffer, npu::Atomic atomic) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  MemRefType type = typeOf(buffer);
  int64_t bytes = rect.elementBytes;
  Value zero = constant(0), lo = rect.lo[inner], columns = count(lo, rect.hi[inner]);
  auto row = [&](Value lane) {
    Value shifted = alloc(type.getElementType(), {rect.size[inner]});
    // A row moves faster than its store is done.
    shifted.getDefiningOp()->setAttr("npu.deep", builder.getI64IntegerAttr(7));
    Value number = inner ? add(mul(lane, constant(npu::ubRowElements(type))), lo) : lo;
    pickRow(shifted, zero, buffer, mul(number, constant(bytes)), bytes, columns);
    SmallVector<Value> first{lo};
    if (inner)
      first.insert(first.begin(), lane);
    builder.create<npu::CopyOutOp>(loc, shifted, laneAddress(rect, first), zero, zero, constant(1), columns,
                                   zero, atomic, rect.arg, false);
  };
  forEachRow(rect, row);
}

Value Lowering::laneNumber(Value buffer, ArrayRef<Value> lanes) {
  if (lanes.size() == 1)
    return lanes[0];
  return add(mul(lanes[0], constant(npu::ubRowElements(typeOf(buffer)))), lanes[1]);
}

// The most elements that are spread over blocks at once.
constexpr int64_t widestSpread = 512;

void Lowering::storeTransposed(const Rectangle& rect, Value buffer, npu::Atomic atomic) {
  Value turned = alloc(typeOf(buffer).getElementType(), {rect.size[1], rect.size[0]});
  transpose(turned, buffer);
  storeRows(turnedAround(rect), turned, atomic);
}

void Lowering::storeStrided(const Rectangle& rect, Value buffer, npu::Atomic atomic) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  Type element = typeOf(buffer).getElementType();
  Value zero = constant(0), one = constant(1);
  if (coalesce == Coalesce::full && constantOf(rect.stride[inner]) == -1)
    return storeBackwards(rect, buffer, atomic);
  if (coalesce == Coalesce::full && inner == 1 && constantOf(rect.stride[0]) == 1)
    return storeTransposed(rect, buffer, atomic);
  if (coalesce == Coalesce::off || !gathers(element))
    return forEachLane(rect, [&](ArrayRef<Value> lanes) {
      storeElement(buffer, laneNumber(buffer, lanes), laneAddress(rect, lanes), atomic, rect.arg);
    });
  // A burst an element, from blocks of their own.
  MemRefType type = typeOf(buffer);
  int64_t bytes = rect.elementBytes, rowBytes = npu::ubRowElements(type) * bytes;
  auto part = [&](Value lane, int64_t begin) { // of a row, from column `begin` on
    int64_t columns = std::min(widestSpread, rect.size[inner] - begin);
    Value apart = alloc(element, {int64_t(llvm::alignTo(columns, 8)), 2});
    builder.create<npu::VSpreadOp>(loc, apart, buffer,
                                   add(mul(lane, constant(rowBytes)), constant(begin * bytes)));
    Value lo = builder.createOrFold<arith::MaxSIOp>(loc, rect.lo[inner], constant(begin));
    Value hi = min(rect.hi[inner], constant(begin + columns));
    SmallVector<Value> first{lo};
    if (inner)
      first.insert(first.begin(), lane);
    builder.create<npu::CopyOutOp>(loc, apart, laneAddress(rect, first), sub(lo, constant(begin)), zero,
                                   count(lo, hi), one, mul(rect.stride[inner], constant(bytes)), atomic,
                                   rect.arg, false);
  };
  auto row = [&](Value lane) {
    for (int64_t begin = 0; begin < rect.size[inner]; begin += widestSpread)
      part(lane, begin);
  };
  forEachRow(rect, row);
}

// The same rectangle with its dimensions exchanged.
Lowering::Rectangle Lowering::turnedAround(const Rectangle& rect) {
  Rectangle across = rect;
  for (auto* list : {&across.stride, &across.lo, &across.hi})
    std::swap((*list)[0], (*list)[1]);
  std::swap(across.size[0], across.size[1]);
  return across;
}

} // namespace dlsim::codegen
