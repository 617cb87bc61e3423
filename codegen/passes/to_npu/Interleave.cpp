// Elements of several tiles in turn, and back. Pairs of 16 bits are words of 32, which shifts make and take
// apart; other elements go through v.gather, five a cycle.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

constexpr int64_t halfBits = 16, blockBytes = 32;

// Without padding behind rows: elements lie one after the other.
static bool isDense(Value buffer) {
  MemRefType type = typeOf(buffer);
  return npu::ubElements(type) == type.getNumElements();
}

// The same bits as elements of another type of as many bits.
Value Lowering::asType(Value buffer, Type element) {
  if (typeOf(buffer).getElementType() == element)
    return buffer;
  Value same = allocLike(buffer, element);
  unary(npu::UnaryKind::copy, same, buffer);
  return same;
}

static Value halfAmount(OpBuilder& b, Location loc) {
  return b.create<arith::ConstantIntOp>(loc, halfBits, 32);
}

// Words whose low half is an element of `even` and whose high half one of `odd`.
void Lowering::interleavePair(Value dst, Value even, Value odd) {
  Type i16 = builder.getI16Type(), i32 = builder.getI32Type();
  Value low = allocLike(even, i32), high = allocLike(odd, i32), amount = halfAmount(builder, loc);
  cast(npu::Round::rint, low, asType(even, i16));
  cast(npu::Round::rint, high, asType(odd, i16));
  scalar(npu::ScalarKind::shls, low, low, amount);
  builder.create<npu::VScalarOp>(loc, npu::ScalarKind::shrs, low, low, amount, /*is_unsigned=*/true);
  scalar(npu::ScalarKind::shls, high, high, amount);
  binary(npu::BinaryKind::or_, dst, low, high);
}

// dst = element `number` of each pair of src.
void Lowering::deinterleavePair(Value dst, Value src, int64_t number) {
  Value words = allocLike(dst, builder.getI32Type());
  if (number)
    scalar(npu::ScalarKind::shrs, words, src, halfAmount(builder, loc));
  else
    unary(npu::UnaryKind::copy, words, src);
  Type element = typeOf(dst).getElementType(), i16 = builder.getI16Type();
  Value low = element == i16 ? dst : allocLike(dst, i16);
  cast(npu::Round::rint, low, words);
  if (low != dst)
    unary(npu::UnaryKind::copy, dst, low);
}

// One tile behind the other, then one table of offsets for as many of their elements as it has.
bool Lowering::interleaveByTable(Value dst, ArrayRef<Value> sources) {
  MemRefType type = typeOf(dst), part = typeOf(sources.front());
  int64_t count = int64_t(sources.size()), elements = part.getNumElements(),
          bytes = npu::elementBits(type) / 8;
  int64_t row = type.getRank() == 2 ? part.getShape().back() : 1, chunk = elements;
  while (chunk * count > dl::mostPicked && chunk % (2 * row) == 0)
    chunk /= 2;
  if (chunk * count > dl::mostPicked || chunk * count * bytes % blockBytes != 0 ||
      elements * bytes % blockBytes != 0)
    return false;
  Value all = alloc(type.getElementType(), {count * elements});
  for (auto [k, source] : llvm::enumerate(sources))
    builder.create<npu::VMoveOp>(loc, all, source, constant(int64_t(k) * elements * bytes), constant(0), 1,
                                 elements * bytes, 0, 0);
  Value table = digitTable({{1, count, elements * bytes}, {count, chunk, bytes}}, 0, chunk * count);
  for (int64_t begin = 0; begin < elements; begin += chunk)
    builder.create<npu::VGatherOp>(loc, dst, all, table,
                                   constant(type.getRank() == 2 ? begin / row : begin / chunk),
                                   constant(begin * bytes), Value());
  return true;
}

// Element n * count + k of a row of dst is element n of that row of source k; false where that takes other
// means.
bool Lowering::interleave(Value dst, ArrayRef<Value> sources) {
  MemRefType type = typeOf(dst);
  if (coalesce == Coalesce::off || !isDense(dst) || !llvm::all_of(sources, isDense))
    return false;
  if (type.getElementType().isInteger(8)) { // as f16, which holds each of them
    Value to = allocLike(dst, builder.getF16Type());
    SmallVector<Value> halves;
    for (Value source : sources) {
      halves.push_back(allocLike(source, builder.getF16Type()));
      cast(npu::Round::rint, halves.back(), source);
    }
    if (!interleave(to, halves))
      return false;
    cast(npu::Round::rint, dst, to);
    return true;
  }
  unsigned bits = npu::elementBits(type);
  if (bits != 16 && bits != 32)
    return false;
  constexpr int64_t least = 1024; // elements: fewer are not worth the start of seven commands
  bool pairs = bits == 16 && sources.size() == 2;
  if ((!pairs || type.getNumElements() < least) && interleaveByTable(dst, sources))
    return true;
  if (pairs)
    interleavePair(dst, sources[0], sources[1]);
  return pairs;
}

// dst = element `number` of each `count` of src's rows.
void Lowering::deinterleave(Value dst, Value src, int64_t number, int64_t count) {
  if (throughHalves(dst, src, [&](Value to, Value from) { deinterleave(to, from, number, count); }))
    return;
  MemRefType type = typeOf(dst);
  int64_t bytes = npu::elementBits(type) / 8;
  if (coalesce == Coalesce::off || bytes != 2 || count != 2 || !isDense(dst) || !isDense(src))
    return pickTile(dst, src, npu::ubRowElements(typeOf(src)) * bytes, count * bytes, number * bytes);
  deinterleavePair(dst, src, number);
}

LogicalResult Lowering::lowerInterleave(dl::InterleaveOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Value dst = elementBuffer(type);
  SmallVector<Value> sources;
  for (Value source : op.getSources())
    sources.push_back(bufferOf(source));
  int64_t count = int64_t(sources.size());
  if (!interleave(dst, sources)) {
    SmallVector<int64_t> strides = layoutOf(type).strides;
    strides.back() *= count;
    for (auto [k, source] : llvm::enumerate(op.getSources()))
      place(source, dst, constant(int64_t(k)), strides);
  }
  return record(op.getResult(), dst);
}

LogicalResult Lowering::lowerDeinterleave(dl::DeinterleaveOp op) {
  if (Value splat = splatOf(op.getSource())) {
    tiles[op.getResult()].splat = splat;
    return success();
  }
  auto type = llvm::cast<RankedTensorType>(op.getType()),
       from = llvm::cast<RankedTensorType>(op.getSource().getType());
  int64_t number = int64_t(op.getNumber()), count = int64_t(op.getCount());
  Value dst = elementBuffer(type), src = bufferOf(op.getSource());
  bool line = tileShape(type).size() == tileShape(from).size(); // else rows of one element
  unsigned bits = npu::elementBits(typeOf(dst));
  if (line && (bits == 16 || bits == 32 || type.getElementType().isInteger(8))) {
    deinterleave(dst, src, number, count);
  } else {
    SmallVector<int64_t> strides = layoutOf(from).strides;
    strides.back() *= count;
    move(type.getShape(), Side{dst, {}, layoutOf(type).strides}, Side{src, constant(number), strides});
  }
  return record(op.getResult(), dst);
}

} // namespace dlsim::codegen
