#include "codegen/passes/access/TileAddress.h"

using namespace mlir;

namespace dlsim::access {
namespace {
// A vector that runs along dimension `dim`, in the shape of the tile.
Value spread(OpBuilder& b, Location loc, Value vector, int64_t dim, RankedTensorType type) {
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (axis == dim)
      continue;
    auto from = cast<RankedTensorType>(vector.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape.insert(shape.begin() + axis, 1);
    vector = b.create<tt::ExpandDimsOp>(loc, from.clone(shape), vector, uint32_t(axis));
  }
  return vector.getType() == type ? vector : Value(b.create<tt::BroadcastOp>(loc, type, vector));
}
} // namespace

Value widened(OpBuilder& b, Location loc, Value integers) {
  Type wide = b.getI64Type();
  if (auto tensor = dyn_cast<RankedTensorType>(integers.getType()))
    wide = tensor.clone(wide);
  return integers.getType() == wide ? integers : Value(b.create<arith::ExtSIOp>(loc, wide, integers));
}

Value positionsFrom(OpBuilder& b, Location loc, Value start, int64_t size) {
  auto line = RankedTensorType::get({size}, b.getI64Type());
  Value range = b.create<tt::MakeRangeOp>(loc, line.clone(b.getI32Type()), 0, uint32_t(size));
  Value first = b.create<tt::SplatOp>(loc, line, widened(b, loc, start));
  return b.create<arith::AddIOp>(loc, first, widened(b, loc, range));
}

Value paddingOf(OpBuilder& b, Location loc, tt::PaddingOption padding, RankedTensorType tile) {
  Attribute pad = b.getZeroAttr(tile.getElementType());
  if (padding == tt::PaddingOption::PAD_NAN)
    pad = b.getFloatAttr(tile.getElementType(),
                         APFloat::getNaN(cast<FloatType>(tile.getElementType()).getFloatSemantics()));
  return b.create<arith::ConstantOp>(loc, SplatElementsAttr::get(tile, pad));
}

TileAddress addressOfTile(OpBuilder& b, Location loc, const StridedArray& array, ArrayRef<Value> positions,
                          RankedTensorType tile, ArrayRef<int32_t> checked) {
  auto index = tile.clone(b.getI64Type());
  Value offset, mask;
  for (int64_t d = 0; d < tile.getRank(); ++d) {
    Value position = positions[size_t(d)];
    auto line = cast<RankedTensorType>(position.getType());
    Value stride = b.create<tt::SplatOp>(loc, line, array.strides[size_t(d)]);
    Value part = spread(b, loc, b.create<arith::MulIOp>(loc, position, stride), d, index);
    offset = offset ? Value(b.create<arith::AddIOp>(loc, offset, part)) : part;
    if (!llvm::is_contained(checked, int32_t(d)))
      continue;
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(line));
    Value size = b.create<tt::SplatOp>(loc, line, array.shape[size_t(d)]);
    Value inside =
        b.create<arith::AndIOp>(loc, b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, position, zero),
                                b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, position, size));
    inside = spread(b, loc, inside, d, tile.clone(b.getI1Type()));
    mask = mask ? Value(b.create<arith::AndIOp>(loc, mask, inside)) : inside;
  }
  auto pointers = tile.clone(array.base.getType());
  Value all = b.create<tt::SplatOp>(loc, pointers, array.base);
  return {b.create<tt::AddPtrOp>(loc, pointers, all, offset), mask};
}
} // namespace dlsim::access
