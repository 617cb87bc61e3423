// Integer arithmetic that the vector unit has no command for.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/expand/Expression.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

using I = arith::CmpIPredicate;

Expr zeroOf(Expr x) { return x.constant(0); }
Expr negative(Expr x) { return compare(I::slt, x, zeroOf(x)); }
// Unsigned order as signed order.
Expr biased(Expr x) { return x ^ double(INT32_MIN); }

// a / b towards zero and the remainder, for i32. The f32 quotient is within 2^-22 of the true one, relative;
// the rest that it leaves is divided again, after which the quotient is at most one off, either way.
std::pair<Expr, Expr> divide(Expr a, Expr b) {
  Type f32 = a.builder->getF32Type(), i32 = a.builder->getI32Type();
  Expr divisor = b.to<arith::SIToFPOp>(f32), quotient = zeroOf(a), rest = a;
  for (int step = 0; step < 2; ++step) {
    Expr part = (rest.to<arith::SIToFPOp>(f32) / divisor).apply<math::RoundEvenOp>().to<arith::FPToSIOp>(i32);
    quotient = step ? quotient + part : part;
    rest = rest - part * b;
  }
  // The rest takes the sign of a and is smaller than b.
  Expr size = absolute(b), sign = shiftRightSigned(a ^ b, 31) | 1, step = sign; // of the quotient: 1 or -1
  Expr ofA = shiftRightSigned(a, 31) | 1, along = rest * ofA; // the rest, seen along the sign of a
  Expr under = negative(along), over = compare(I::sge, along, size), none = zeroOf(a);
  Expr change = select(under, none - step, select(over, step, none));
  quotient = quotient + change;
  along = along + select(under, size, select(over, none - size, none));
  return {quotient, along * ofA};
}

std::pair<Expr, Expr> divideUnsigned(Expr a, Expr b) {
  // 2 * ((a >> 1) / b) is the quotient or one less; a divisor of 2^31 or more goes in once at most.
  Expr half = shiftLeft(divide(shiftRight(a, 1), b).first, 1), rest = a - half * b;
  Expr one = a.constant(1), none = zeroOf(a), large = negative(b);
  Expr more = compare(I::uge, rest, b), once = compare(I::uge, a, b);
  Expr quotient = select(large, select(once, one, none), half + select(more, one, none));
  return {quotient, a - quotient * b};
}

// The high halves of unsigned products, by halves of the width.
Expr multiplyHigh(Expr a, Expr b, unsigned width) {
  double low = double((1ull << width / 2) - 1);
  Expr a0 = a & low, a1 = shiftRight(a, width / 2), b0 = b & low, b1 = shiftRight(b, width / 2);
  Expr middle = a1 * b0 + shiftRight(a0 * b0, width / 2), other = a0 * b1 + (middle & low);
  return a1 * b1 + shiftRight(middle, width / 2) + shiftRight(other, width / 2);
}

// By vectors: the amount's bits, one constant shift each.
template <class Shift> Expr shiftBySteps(Expr x, Expr amount, unsigned width) {
  for (unsigned step = 1; step < width; step *= 2) {
    Expr on = compare(I::ne, amount & double(step), zeroOf(amount));
    x = select(on, x.apply<Shift>(x.constant(step).value), x);
  }
  return x;
}

Expr wider(Operation* op, Expr x, Type to) {
  bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp, arith::MaxUIOp, arith::MinUIOp>(op);
  if (auto compareOp = dyn_cast<arith::CmpIOp>(op))
    isUnsigned = compareOp.getPredicate() >= I::ult;
  return isUnsigned ? x.to<arith::ExtUIOp>(to) : x.to<arith::ExtSIOp>(to);
}

// The operation on wider integers; nothing if it is fine as it is.
LogicalResult widen(Operation* op, Type to, PatternRewriter& rewriter) {
  Expr x{&rewriter, op->getLoc(), op->getOperand(0)};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(x.with(operand).element().isInteger(1) ? operand
                                                              : wider(op, x.with(operand), to).value);
  Type from = getElementTypeOrSelf(op->getResult(0).getType());
  bool truth = from.isInteger(1);
  OperationState state(op->getLoc(), op->getName(), operands,
                       {x.with(op->getResult(0)).shaped(truth ? from : to)}, op->getAttrs());
  Value result = rewriter.create(state)->getResult(0);
  rewriter.replaceOp(op, truth ? result : x.with(result).to<arith::TruncIOp>(from).value);
  return success();
}

// Arithmetic of single bits is logic.
std::optional<Expr> logic(Operation* op, Expr a, Expr b) {
  using Result = std::optional<Expr>;
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return a ^ b;
  if (isa<arith::MulIOp, arith::MinUIOp, arith::MaxSIOp>(op)) // true is -1 when signed
    return a & b;
  if (isa<arith::MaxUIOp, arith::MinSIOp>(op))
    return a | b;
  auto compareOp = dyn_cast<arith::CmpIOp>(op);
  if (!compareOp)
    return Result();
  Expr notA = a ^ a.constant(1), notB = b ^ b.constant(1);
  switch (compareOp.getPredicate()) {
  case I::eq:
    return a ^ notB;
  case I::ne:
    return a ^ b;
  case I::ult:
  case I::sgt:
    return notA & b;
  case I::ugt:
  case I::slt:
    return a & notB;
  case I::ule:
  case I::sge:
    return notA | b;
  case I::uge:
  case I::sle:
    return a | notB;
  }
  return Result();
}

std::optional<Expr> i32Or16(Operation* op, Expr a, Expr b, unsigned width) {
  using Result = std::optional<Expr>;
  return llvm::TypeSwitch<Operation*, Result>(op)
      .Case([&](arith::DivSIOp) { return divide(a, b).first; })
      .Case([&](arith::RemSIOp) { return divide(a, b).second; })
      .Case([&](arith::DivUIOp) { return divideUnsigned(a, b).first; })
      .Case([&](arith::RemUIOp) { return divideUnsigned(a, b).second; })
      .Case([&](arith::MaxUIOp) { return biased(largest(biased(a), biased(b))); })
      .Case([&](arith::MinUIOp) { return biased(smallest(biased(a), biased(b))); })
      .Case([&](arith::ShLIOp) { return shiftBySteps<arith::ShLIOp>(a, b, width); })
      .Case([&](arith::ShRSIOp) { return shiftBySteps<arith::ShRSIOp>(a, b, width); })
      .Case([&](arith::ShRUIOp) { return shiftBySteps<arith::ShRUIOp>(a, b, width); })
      .Default([](Operation*) { return Result(); });
}

bool isSplat(Value value) {
  if (value.getDefiningOp<tt::SplatOp>())
    return true;
  auto known = value.getDefiningOp<arith::ConstantOp>();
  return known && isa<SplatElementsAttr>(known.getValue());
}

// Quotients rounded up or down, of tensors and scalars.
LogicalResult expandRounding(Operation* op, PatternRewriter& rewriter) {
  Expr a{&rewriter, op->getLoc(), op->getOperand(0)}, b = a.with(op->getOperand(1));
  if (isa<arith::CeilDivUIOp>(op)) { // no overflow: a / b, and one more if something is left
    Expr q = a.apply<arith::DivUIOp>(b.value), rest = a - q * b;
    Expr more = compare(I::ne, rest, zeroOf(a));
    rewriter.replaceOp(op, (q + select(more, a.constant(1), zeroOf(a))).value);
    return success();
  }
  bool up = isa<arith::CeilDivSIOp>(op);
  Expr q = a.apply<arith::DivSIOp>(b.value), rest = a - q * b;
  Expr same = compare(up ? I::sge : I::slt, a ^ b, zeroOf(a)), inexact = compare(I::ne, rest, zeroOf(a));
  Expr step = select(same & inexact, a.constant(up ? 1 : -1), zeroOf(a));
  rewriter.replaceOp(op, (q + step).value);
  return success();
}

LogicalResult expandHigh(tt::MulhiUIOp op, PatternRewriter& rewriter) {
  Expr a{&rewriter, op.getLoc(), op.getX()}, b = a.with(op.getY());
  bool tensor = isa<RankedTensorType>(op.getType());
  if (!tensor && a.element().isInteger(64)) {
    rewriter.replaceOp(op, rewriter.create<arith::MulUIExtendedOp>(op.getLoc(), a.value, b.value).getHigh());
    return success();
  }
  rewriter.replaceOp(op, multiplyHigh(a, b, a.element().getIntOrFloatBitWidth()).value);
  return success();
}

} // namespace

LogicalResult expandInteger(Operation* op, PatternRewriter& rewriter) {
  if (auto high = dyn_cast<tt::MulhiUIOp>(op))
    return expandHigh(high, rewriter);
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return expandRounding(op, rewriter);
  if (auto abs = dyn_cast<math::AbsIOp>(op)) {
    Expr x{&rewriter, op->getLoc(), abs.getOperand()};
    rewriter.replaceOp(op, absolute(x).value);
    return success();
  }
  // What follows is for the vector unit; the scalar unit has all of it.
  if (!isa<arith::ArithDialect>(op->getDialect()) || !isa<RankedTensorType>(op->getResult(0).getType()) ||
      op->getNumOperands() < 2)
    return failure();
  Expr a{&rewriter, op->getLoc(), op->getOperand(0)}, b = a.with(op->getOperand(1));
  Type element = a.element(), last = getElementTypeOrSelf(op->getOperands().back().getType());
  bool bitwise = isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
  bool isSelect = isa<arith::SelectOp>(op);
  if (last.isInteger(8) && !bitwise)
    return widen(op, rewriter.getIntegerType(16), rewriter);
  if (!isa<IntegerType>(element) || isSelect)
    return failure();
  if (element.isInteger(1))
    if (auto result = logic(op, a, b)) {
      rewriter.replaceOp(op, result->value);
      return success();
    }
  bool division =
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::MaxUIOp, arith::MinUIOp>(op);
  bool shift = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
  if (shift && isSplat(b.value))
    return failure();
  if (element.isInteger(16) && division)
    return widen(op, rewriter.getI32Type(), rewriter);
  if (!element.isInteger(32) && !(element.isInteger(16) && shift))
    return failure();
  auto result = i32Or16(op, a, b, element.getIntOrFloatBitWidth());
  if (!result)
    return failure();
  rewriter.replaceOp(op, result->value);
  return success();
}

// Both halves of a product, which the canonicalizer makes of a product in a wider type.
LogicalResult expandWideProduct(Operation* op, PatternRewriter& rewriter) {
  if (!isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    return failure();
  Expr a{&rewriter, op->getLoc(), op->getOperand(0)}, b = a.with(op->getOperand(1));
  if (!a.element().isInteger(32))
    return failure();
  Expr high = a.with(rewriter.create<tt::MulhiUIOp>(op->getLoc(), a.value.getType(), a.value, b.value));
  if (isa<arith::MulSIExtendedOp>(op))
    high = high - select(negative(a), b, zeroOf(b)) - select(negative(b), a, zeroOf(a));
  rewriter.replaceOp(op, {(a * b).value, high.value});
  return success();
}

} // namespace dlsim::codegen
