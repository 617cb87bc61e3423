// Siblings: one contiguous copy for several strided loads or stores.
#include "codegen/passes/access/Rewriter.h"

using namespace mlir;

namespace dlsim::access {

// All elements of the siblings, as one rectangle.
Rewriter::Access Rewriter::wholeOf(const Siblings& family) {
  Access access{family.pointer, family.mask, family.shape};
  access.shape.back() *= family.size();
  access.memberMask = family.maskOfMember ? family.size() : 1;
  return access;
}

void Rewriter::loadTogether(const Siblings& family) {
  auto first = cast<tt::LoadOp>(family.first);
  OpBuilder b(first);
  Location loc = first.getLoc();
  Access access = wholeOf(family);
  auto part = cast<RankedTensorType>(first.getType());
  Value other;
  if (family.other)
    other = b.create<arith::ConstantOp>(loc, cast<TypedAttr>(family.other));
  Value whole = tileLoad(b, first, part.clone(access.shape), access, other);
  for (auto [number, member] : llvm::enumerate(family.members)) {
    auto load = cast<tt::LoadOp>(member);
    Value value = b.create<dl::DeinterleaveOp>(load.getLoc(), part, whole, int64_t(number), family.size());
    replaced.push_back({load.getResult(), value});
  }
}

// Bytes from the lowest to behind the highest element of a tile.
static std::pair<Value, Value> span(OpBuilder& b, Location loc, Materializer& materializer,
                                    const Pointer& pointer, ArrayRef<int64_t> shape, int64_t bytes) {
  Value low = materializer.emit(b, loc, pointer.offset.base), zero = materializer.constant(b, loc, 0),
        one = materializer.constant(b, loc, 1), high = b.createOrFold<arith::AddIOp>(loc, low, one);
  for (auto [dim, size] : llvm::zip_equal(pointer.offset.dims, shape)) {
    Value reach = materializer.emit(b, loc, dim.coefficient * Polynomial(size - 1));
    low = b.createOrFold<arith::AddIOp>(loc, low, b.createOrFold<arith::MinSIOp>(loc, reach, zero));
    high = b.createOrFold<arith::AddIOp>(loc, high, b.createOrFold<arith::MaxSIOp>(loc, reach, zero));
  }
  Value size = materializer.constant(b, loc, bytes);
  Value root = b.create<tt::PtrToIntOp>(loc, b.getI64Type(), pointer.root);
  auto address = [&](Value elements) {
    return b.createOrFold<arith::AddIOp>(loc, root, b.createOrFold<arith::MulIOp>(loc, elements, size));
  };
  return {address(low), address(high)};
}

// Whether the stores may become one, as far as that is found out at run time.
Value Rewriter::mayStoreTogether(OpBuilder& b, const Siblings& family) {
  Location loc = family.first->getLoc();
  using P = arith::CmpIPredicate;
  Value all;
  auto require = [&](Value condition) {
    all = all ? b.createOrFold<arith::AndIOp>(loc, all, condition) : condition;
  };
  Value zero = materializer.constant(b, loc, 0), count = materializer.constant(b, loc, family.size());
  for (const Polynomial& stride : family.multiples) {
    Value rest = b.createOrFold<arith::RemSIOp>(loc, materializer.emit(b, loc, stride), count);
    require(b.createOrFold<arith::CmpIOp>(loc, P::eq, rest, zero));
  }
  if (family.apart.empty())
    return all;
  Type element =
      cast<RankedTensorType>(cast<tt::StoreOp>(family.first).getValue().getType()).getElementType();
  auto [low, high] =
      span(b, loc, materializer, family.start, wholeOf(family).shape, element.getIntOrFloatBitWidth() / 8);
  for (auto& [pointer, shape, bytes] : family.apart) {
    auto [from, to] = span(b, loc, materializer, pointer, shape, bytes);
    Value below = b.createOrFold<arith::CmpIOp>(loc, P::sle, to, low);
    Value above = b.createOrFold<arith::CmpIOp>(loc, P::sle, high, from);
    require(b.createOrFold<arith::OrIOp>(loc, below, above));
  }
  return all;
}

void Rewriter::storeTogether(OpBuilder& b, const Siblings& family) {
  Location loc = family.last->getLoc();
  Access access = wholeOf(family);
  SmallVector<Value> values;
  for (Operation* member : family.members)
    values.push_back(cast<tt::StoreOp>(member).getValue());
  auto type = cast<RankedTensorType>(values.front().getType()).clone(access.shape);
  Value whole = b.create<dl::InterleaveOp>(loc, type, values);
  auto limits = bounds(b, loc, access);
  b.create<dl::StoreOp>(loc, whole, address(b, loc, access.pointer), strides(b, loc, access), limits.lo,
                        limits.hi, dl::AtomicKind::none, argument(b, access.pointer), hints(family.last));
}

// A member of siblings. What is found out at run time is found out at the first one; each but the last then
// stores only where they do not go together.
LogicalResult Rewriter::storeSibling(tt::StoreOp op, const Siblings& family) {
  auto access = analyse(op, op.getPtr(), op.getMask());
  if (failed(access))
    return failure();
  OpBuilder b(op);
  if (op == family.first && !family.always())
    together[op] = mayStoreTogether(b, family);
  Value choice = together.lookup(family.first);
  if (!choice) {
    if (op == family.last)
      storeTogether(b, family);
    return success();
  }
  auto branch = b.create<scf::IfOp>(op.getLoc(), choice, /*withElseRegion=*/true);
  OpBuilder inside = branch.getThenBodyBuilder(), outside = branch.getElseBodyBuilder();
  if (op == family.last)
    storeTogether(inside, family);
  return laneStore(outside, op, op.getValue(), *access, dl::AtomicKind::none);
}

} // namespace dlsim::access
