// dl.pick, and rows backwards: v.gather by a table of offsets that the vector unit makes once, at the
// beginning of the kernel.
#include "codegen/passes/to_npu/Lowering.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace dlsim::codegen {

// start + the sum of stride * ((i / divisor) mod size), for i below `elements`.
Value Lowering::digitTable(ArrayRef<dl::PickDigit> digits, int64_t start, int64_t elements) {
  std::vector<int64_t> key{start, elements};
  std::map<int64_t, int64_t> factors; // of the quotients by each divisor
  for (const dl::PickDigit& digit : digits) {
    key.insert(key.end(), {digit.divisor, digit.size, digit.stride});
    factors[digit.divisor] += digit.stride;
    if (digit.divisor * digit.size < elements)
      factors[digit.divisor * digit.size] -= digit.stride * digit.size;
  }
  Value& table = digitTables[key];
  if (table)
    return table;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Type i32 = builder.getI32Type();
  auto number = [&](int64_t value) { return constant(i32, double(value)); };
  auto iota = [&](int64_t first, int64_t step) {
    Value line = alloc(i32, {elements});
    builder.create<npu::VIotaOp>(loc, line, number(first), number(step));
    return line;
  };
  table = iota(start, factors[1]);
  factors.erase(1);
  Value numbers = factors.empty() ? Value() : iota(0, 1);
  for (auto [divisor, factor] : factors) {
    if (factor == 0)
      continue;
    Value part = allocLike(table, i32);
    if (llvm::isPowerOf2_64(divisor))
      scalar(npu::ScalarKind::shrs, part, numbers, number(llvm::Log2_64(divisor)));
    else
      quotients(part, divisor);
    scalar(npu::ScalarKind::muls, part, part, number(factor));
    binary(npu::BinaryKind::add, table, table, part);
  }
  return table;
}

// i / divisor. A half more keeps the quotient further from the next integer than f32 errs with numbers of a
// table.
void Lowering::quotients(Value dst, int64_t divisor) {
  Type f32 = builder.getF32Type();
  Value numbers = allocLike(dst, f32);
  builder.create<npu::VIotaOp>(loc, numbers, constant(f32, 0.5), constant(f32, 1));
  scalar(npu::ScalarKind::muls, numbers, numbers, constant(f32, 1.0 / double(divisor)));
  cast(npu::Round::floor, dst, numbers);
}

void Lowering::pickDigits(dl::PickOp op, Value dst, Value src) {
  int64_t bytes = npu::elementBits(typeOf(dst)) / 8, elements = typeOf(dst).getNumElements();
  int64_t chunk = std::min(elements, dl::mostPicked), low = 0;
  SmallVector<dl::PickDigit> inside, across;
  for (auto [divisor, size, stride] : llvm::zip_equal(op.getDivisors(), op.getSizes(), op.getStrides()))
    if (divisor < chunk) {
      inside.push_back({divisor, size, stride * bytes});
      low += std::min<int64_t>(0, stride * (size - 1));
    } else {
      across.push_back({divisor, size, stride});
    }
  Value table = digitTable(inside, -low * bytes, chunk);
  int64_t rowElements = typeOf(dst).getRank() == 2 ? typeOf(dst).getShape().back() : chunk;
  for (int64_t begin = 0; begin < elements; begin += chunk) {
    int64_t base = int64_t(op.getFirst()) + low;
    for (const dl::PickDigit& digit : across)
      base += digit.stride * (begin / digit.divisor % digit.size);
    builder.create<npu::VGatherOp>(loc, dst, src, table, constant(begin / rowElements),
                                   constant(base * bytes), Value());
  }
}

// Each row from its end to its beginning.
void Lowering::reverse(Value dst, Value src) {
  if (throughHalves(dst, src, [&](Value to, Value half) { reverse(to, half); }))
    return;
  MemRefType type = typeOf(dst);
  int64_t bytes = npu::elementBits(type) / 8, columns = type.getShape().back(),
          row = npu::ubRowElements(type);
  int64_t rows = type.getRank() == 2 ? type.getDimSize(0) : 1;
  if (bytes > 4) { // more than v.gather moves
    nest({rows, columns}, [&](ArrayRef<Value> at) {
      Value start = mul(at[0], constant(row));
      Value from = add(start, sub(constant(columns - 1), at[1]));
      Value value = builder.create<npu::LoadScalarOp>(loc, type.getElementType(), src, from);
      builder.create<npu::StoreScalarOp>(loc, value, dst, add(start, at[1]));
    });
    return;
  }
  dl::PickDigit back{1, columns, -bytes};
  int64_t last = (columns - 1) * bytes;
  if (row == columns && llvm::isPowerOf2_64(columns) && rows * columns <= dl::mostPicked) {
    Value table = digitTable({back, {columns, rows, row * bytes}}, last, rows * columns);
    builder.create<npu::VGatherOp>(loc, dst, src, table, constant(0), constant(0), Value());
    return;
  }
  Value table = digitTable(back, last, columns);
  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(rows), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  builder.create<npu::VGatherOp>(loc, dst, src, table, number, mul(number, constant(row * bytes)), Value());
}

// The same rectangle with each row from its end on.
Lowering::Rectangle Lowering::backwards(const Rectangle& rect) {
  Rectangle result = rect;
  unsigned inner = unsigned(rect.size.size()) - 1;
  Value size = constant(rect.size[inner]), last = constant(rect.size[inner] - 1);
  result.base = address(rect.base, mul(last, rect.stride[inner]), rect.elementBytes);
  result.stride[inner] = sub(constant(0), rect.stride[inner]);
  result.lo[inner] = sub(size, rect.hi[inner]);
  result.hi[inner] = sub(size, rect.lo[inner]);
  result.counted = {};
  return result;
}

void Lowering::loadBackwards(const Rectangle& rect, Value buffer, Value other) {
  Value rows = allocLike(buffer, typeOf(buffer).getElementType());
  if (!other) // what is outside of the rectangle is read as well
    other = constant(typeOf(buffer).getElementType(), 0);
  loadRows(backwards(rect), rows, other);
  reverse(buffer, rows);
}

void Lowering::storeBackwards(const Rectangle& rect, Value buffer, npu::Atomic atomic) {
  Value rows = allocLike(buffer, typeOf(buffer).getElementType());
  reverse(rows, buffer);
  storeRows(backwards(rect), rows, atomic);
}

LogicalResult Lowering::lowerPick(dl::PickOp op) {
  if (Value splat = splatOf(op.getSource())) {
    tiles[op.getResult()].splat = splat;
    return success();
  }
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Value src = bufferOf(op.getSource()), dst = alloc(type.getElementType(), tileShape(type));
  auto part = [&](Value to, Value from) { pickDigits(op, to, from); };
  if (!throughHalves(dst, src, part))
    part(dst, src);
  return record(op.getResult(), dst);
}

} // namespace dlsim::codegen
