// Elements of 64 bits taken apart into words of 32 and put together: v.gather moves words as a table of
// offsets says.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

static constexpr int64_t wordBytes = 4, wordBits = 32;

static Value shift(OpBuilder& builder, Location loc, bool left, Value x) {
  Value by = builder.create<arith::ConstantIntOp>(loc, wordBits, 64);
  return left ? builder.createOrFold<arith::ShLIOp>(loc, x, by)
              : builder.createOrFold<arith::ShRUIOp>(loc, x, by);
}

static Value scalarHalf(OpBuilder& builder, Location loc, Value x, bool high) {
  return builder.createOrFold<arith::TruncIOp>(loc, builder.getI32Type(),
                                               high ? shift(builder, loc, false, x) : x);
}

static Value scalarWide(OpBuilder& builder, Location loc, Value low, Value high) {
  Type i64 = builder.getI64Type();
  Value lower = builder.createOrFold<arith::ExtUIOp>(loc, i64, low);
  Value upper = shift(builder, loc, true, builder.createOrFold<arith::ExtUIOp>(loc, i64, high));
  return builder.createOrFold<arith::OrIOp>(loc, upper, lower);
}

LogicalResult Lowering::lowerHalf(dl::HalfOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Tile tile = tileOf(op.getSource());
  if (tile.splat) {
    tiles[op.getResult()].splat = scalarHalf(builder, loc, tile.splat, op.getHigh());
    return success();
  }
  Value dst = alloc(type.getElementType(), tileShape(type));
  if (!op.getHigh())
    cast(npu::Round::rint, dst, tile.buffer);
  else if (coalesce != Coalesce::off)
    pickTile(dst, tile.buffer, npu::ubRowElements(typeOf(tile.buffer)) * 2 * wordBytes, 2 * wordBytes,
             wordBytes);
  else
    nest(type.getShape(), [&](ArrayRef<Value> indices) {
      setElement(dst, type, indices, scalarHalf(builder, loc, element(op.getSource(), indices), true));
    });
  return record(op.getResult(), dst);
}

// Byte offsets of words that are taken in turn from two rows `gap` bytes apart: 0, gap, 4, gap + 4, ..
Value Lowering::wordTable(int64_t words, int64_t gap) {
  Value& table = wordTables[{words, gap}];
  if (table)
    return table;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Type i32 = builder.getI32Type();
  table = alloc(i32, {words});
  Value odd = alloc(i32, {words});
  builder.create<npu::VIotaOp>(loc, table, constant(i32, 0), constant(i32, wordBytes / 2));
  builder.create<npu::VIotaOp>(loc, odd, constant(i32, 0), constant(i32, 1));
  auto scalar = [&](npu::ScalarKind kind, int64_t number) {
    builder.create<npu::VScalarOp>(loc, kind, odd, odd, constant(i32, number));
  };
  scalar(npu::ScalarKind::shls, wordBits - 1);
  scalar(npu::ScalarKind::shrs, wordBits - 1); // -1 for odd words
  scalar(npu::ScalarKind::muls, wordBytes / 2 - gap);
  binary(npu::BinaryKind::add, table, table, odd);
  return table;
}

LogicalResult Lowering::lowerWide(dl::WideOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Tile low = tileOf(op.getLow()), high = tileOf(op.getHigh());
  if (low.splat && high.splat) {
    tiles[op.getResult()].splat = scalarWide(builder, loc, low.splat, high.splat);
    return success();
  }
  Value dst = alloc(type.getElementType(), tileShape(type));
  if (coalesce == Coalesce::off) {
    nest(type.getShape(), [&](ArrayRef<Value> indices) {
      Value lower = element(op.getLow(), indices), upper = element(op.getHigh(), indices);
      setElement(dst, type, indices, scalarWide(builder, loc, lower, upper));
    });
    return record(op.getResult(), dst);
  }
  int64_t elements = npu::ubElements(typeOf(dst)); // padded rows are as long in all three tiles
  Value rows = alloc(builder.getI32Type(), {2, elements}), same = offsetTable(1, elements, 0, wordBytes);
  for (auto [row, half] : {std::pair(0, op.getLow()), std::pair(1, op.getHigh())})
    builder.create<npu::VGatherOp>(loc, rows, bufferOf(half), same, constant(row), constant(0), Value());
  Value words = wordTable(2 * elements, npu::ubRowElements(typeOf(rows)) * wordBytes);
  builder.create<npu::VGatherOp>(loc, dst, rows, words, constant(0), constant(0), Value());
  return record(op.getResult(), dst);
}

} // namespace dlsim::codegen
