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

// 0, step, 2 * step ..: byte offsets of `count` elements.
Value Lowering::offsetTable(int64_t count, int64_t step) {
  Value& table = offsetTables[{count, step}];
  if (table)
    return table;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Type i32 = builder.getI32Type();
  table = alloc(i32, {count});
  builder.create<npu::VIotaOp>(loc, table, constant(i32, 0), constant(i32, double(step)));
  return table;
}

// Row `row` of dst: elements of src at byte `base` + i * step. Elements that v.gather cannot move go through
// the scalar unit.
void Lowering::pickRow(Value dst, Value row, Value src, Value base, int64_t step) {
  MemRefType type = typeOf(dst);
  int64_t count = type.getShape().back(), bytes = npu::elementBits(type) / 8;
  if (gathers(type.getElementType()) && coalesce != Coalesce::off) {
    builder.create<npu::VGatherOp>(loc, dst, src, offsetTable(count, step), row, base);
    return;
  }
  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(count), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value from = builder.createOrFold<arith::DivUIOp>(loc, base, constant(bytes));
  Value value = builder.create<npu::LoadScalarOp>(loc, type.getElementType(), src,
                                                  add(from, mul(i, constant(step / bytes))));
  Value rowStart = type.getRank() == 2 ? mul(row, constant(npu::ubRowElements(type))) : constant(0);
  builder.create<npu::StoreScalarOp>(loc, value, dst, add(rowStart, i));
}

// dst[i][j] = src[j][i]
void Lowering::transpose(Value dst, Value src) {
  MemRefType from = typeOf(src), to = typeOf(dst);
  int64_t rows = from.getDimSize(0), columns = from.getDimSize(1), bytes = npu::elementBits(from) / 8;
  if (coalesce != Coalesce::off && npu::elementBits(from) == 16 && rows % 16 == 0 && columns % 16 == 0) {
    builder.create<npu::VTransOp>(loc, dst, src);
    return;
  }
  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(to.getDimSize(0)), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  pickRow(dst, row, src, mul(row, constant(bytes)), npu::ubRowElements(from) * bytes);
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
    return unsupported(op, "tiles of more than two dimensions above 1 are not supported");
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
  if (coalesce == Coalesce::full && inner == 1 && constantOf(rect.stride[0]) == 1)
    return loadTransposed(rect, buffer, other);
  if (coalesce == Coalesce::full && gathers(element) && stride && *stride > 1 && *stride <= widestGap)
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

// Columns are contiguous in memory: a copy of the transpose.
void Lowering::loadTransposed(const Rectangle& rect, Value buffer, Value other) {
  Value turned = alloc(typeOf(buffer).getElementType(), {rect.size[1], rect.size[0]});
  if (other)
    fillIfPartial(rect, [&] { fill(turned, other); });
  copyRows(turnedAround(rect), turned, other);
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
  Value step = constant(stride), one = constant(1), zero = constant(0);
  whole.stride[inner] = one;
  whole.lo[inner] = mul(rect.lo[inner], step);
  // from the first element to the last one, without the gap behind it; nothing if there is no element
  Value last = sub(mul(rect.hi[inner], step), constant(stride - 1));
  whole.hi[inner] = builder.createOrFold<arith::MaxSIOp>(loc, last, whole.lo[inner]);
  if (other)
    fillIfPartial(rect, [&] { fill(wide, other); });
  copyRows(whole, wide, other);
  int64_t bytes = rect.elementBytes;
  if (!inner)
    return pickRow(buffer, zero, wide, zero, stride * bytes);
  auto loop = builder.create<scf::ForOp>(loc, zero, constant(rect.size[0]), one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  pickRow(buffer, row, wide, mul(row, constant(npu::ubRowElements(typeOf(wide)) * bytes)), stride * bytes);
}

// A burst an element, 32 bytes or more apart on chip.
void Lowering::loadElements(const Rectangle& rect, Value buffer, Value other) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  Type element = typeOf(buffer).getElementType();
  Value apart = alloc(element, {rect.size[inner], 2}), zero = constant(0), one = constant(1);
  int64_t step = npu::ubRowElements(typeOf(apart)) * rect.elementBytes;
  if (other && inner)
    fillIfPartial(rect, [&] { fill(buffer, other); });
  auto row = [&](Value lane) {
    if (other)
      fillIfPartial(rect, [&] { fill(apart, other); });
    SmallVector<Value> first{rect.lo[inner]};
    if (inner)
      first.insert(first.begin(), lane);
    builder.create<npu::CopyInOp>(
        loc, apart, laneAddress(rect, first), rect.lo[inner], zero, count(rect.lo[inner], rect.hi[inner]),
        one, mul(rect.stride[inner], constant(rect.elementBytes)), Value(), Value(), rect.arg, false);
    pickRow(buffer, lane, apart, zero, step);
  };
  if (!inner)
    return row(zero);
  auto loop = builder.create<scf::ForOp>(loc, rect.lo[0], rect.hi[0], one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  row(loop.getInductionVar());
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

// Rows that are contiguous in memory; element by element where they begin inside a block.
void Lowering::storeRows(const Rectangle& rect, Value buffer, npu::Atomic atomic) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  Value zero = constant(0), lo = rect.lo[inner], row = inner ? rect.lo[0] : zero;
  Value stride = inner ? rect.stride[0] : zero;
  int64_t block = 32 / rect.elementBytes;
  auto copy = [&] {
    Value to = address(rect.base, add(mul(row, stride), lo), rect.elementBytes);
    builder.create<npu::CopyOutOp>(loc, buffer, to, row, lo, inner ? count(row, rect.hi[0]) : constant(1),
                                   count(lo, rect.hi[inner]), mul(stride, constant(rect.elementBytes)),
                                   atomic, rect.arg, false);
  };
  if (auto known = constantOf(lo); known && *known % block == 0)
    return copy();
  Value rest = builder.createOrFold<arith::RemSIOp>(loc, lo, constant(block));
  Value aligned = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest, zero);
  auto branch = builder.create<scf::IfOp>(loc, aligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  copy();
  builder.setInsertionPointToStart(branch.elseBlock());
  forEachLane(rect, [&](ArrayRef<Value> lanes) {
    storeElement(buffer, laneNumber(buffer, lanes), laneAddress(rect, lanes), atomic, rect.arg);
  });
}

Value Lowering::laneNumber(Value buffer, ArrayRef<Value> lanes) {
  if (lanes.size() == 1)
    return lanes[0];
  return add(mul(lanes[0], constant(npu::ubRowElements(typeOf(buffer)))), lanes[1]);
}

// The largest row whose elements are spread over blocks.
constexpr int64_t widestSpread = 512;

void Lowering::storeStrided(const Rectangle& rect, Value buffer, npu::Atomic atomic) {
  unsigned inner = unsigned(rect.size.size()) - 1;
  Type element = typeOf(buffer).getElementType();
  Value zero = constant(0), one = constant(1);
  if (coalesce == Coalesce::full && inner == 1 && constantOf(rect.stride[0]) == 1) {
    Value turned = alloc(element, {rect.size[1], rect.size[0]});
    transpose(turned, buffer);
    return storeRows(turnedAround(rect), turned, atomic);
  }
  if (coalesce == Coalesce::off || !gathers(element) || rect.size[inner] > widestSpread)
    return forEachLane(rect, [&](ArrayRef<Value> lanes) {
      storeElement(buffer, laneNumber(buffer, lanes), laneAddress(rect, lanes), atomic, rect.arg);
    });
  // A burst an element, from blocks of their own.
  auto row = [&](Value lane) {
    Value apart = alloc(element, {int64_t(llvm::alignTo(rect.size[inner], 8)), 2});
    builder.create<npu::VSpreadOp>(loc, apart, buffer, lane);
    SmallVector<Value> first{rect.lo[inner]};
    if (inner)
      first.insert(first.begin(), lane);
    builder.create<npu::CopyOutOp>(
        loc, apart, laneAddress(rect, first), rect.lo[inner], zero, count(rect.lo[inner], rect.hi[inner]),
        one, mul(rect.stride[inner], constant(rect.elementBytes)), atomic, rect.arg, false);
  };
  if (!inner)
    return row(zero);
  auto loop = builder.create<scf::ForOp>(loc, rect.lo[0], rect.hi[0], one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  row(loop.getInductionVar());
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
