// Functions of floats. Approximations are those of the Cephes library (S. Moshier) for single precision, a
// few units in the last place; argument reductions are noted where they limit the range.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/expand/Expression.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;
constexpr double pi = 3.14159265358979323846;

Expr less(Expr a, double b) { return compare(F::OLT, a, a.constant(b)); }
Expr greater(Expr a, double b) { return compare(F::OGT, a, a.constant(b)); }
Expr exponential(Expr x) { return x.apply<math::ExpOp>(); }
Expr logarithm(Expr x) { return x.apply<math::LogOp>(); }
Expr root(Expr x) { return x.apply<math::SqrtOp>(); }
Expr bitsOf(Expr x) {
  return x.with(x.builder->create<arith::BitcastOp>(x.loc, x.shaped(x.builder->getI32Type()), x.value));
}
Expr floatOf(Expr bits) {
  return bits.with(
      bits.builder->create<arith::BitcastOp>(bits.loc, bits.shaped(bits.builder->getF32Type()), bits.value));
}
Expr withSign(Expr magnitude, Expr sign) {
  return floatOf((bitsOf(magnitude) & double(INT32_MAX)) | (bitsOf(sign) & double(INT32_MIN)));
}

// x - n * pi/2 for the nearest n, as Cody and Waite: the parts of pi/2 have 7 significant bits, so that
// products with n are exact up to 2^17, |x| < 2e5.
struct Reduced {
  Expr rest, quadrant;
};
Reduced reduceAngle(Expr x) {
  constexpr double parts[] = {1.5625, 0.0081787109375, 0.00011730194091796875, 3.129243850708008e-07,
                              9.920935796805404e-10};
  Expr n = (x * (2 / pi)).apply<math::RoundEvenOp>();
  Expr rest = x;
  for (double part : parts)
    rest = rest - n * part;
  return {rest, n.to<arith::FPToSIOp>(x.builder->getI32Type())};
}

// sin of the reduced angle plus `turns` quarter turns.
Expr sine(Reduced angle, int turns) {
  Expr r = angle.rest, square = r * r;
  constexpr double s[] = {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1};
  constexpr double c[] = {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2};
  Expr sin = r + r * square * polynomial(square, s);
  Expr cos = square * square * polynomial(square, c) - square * 0.5 + 1;
  Expr quadrant = turns ? angle.quadrant + double(turns) : angle.quadrant;
  Expr odd = compare(I::ne, quadrant & 1, quadrant.constant(0));
  return floatOf(bitsOf(select(odd, cos, sin)) ^ shiftLeft(quadrant & 2, 30));
}

Expr erfOf(Expr x) {
  // erf(x) = x * p(x^2) / q(x^2) for |x| <= 4, beyond which it is 1 in f32; within 1e-7 of the true value.
  constexpr double p[] = {-2.72614225801306e-10, 2.77068142495902e-08,  -2.10102402082508e-06,
                          -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
                          -1.60960333262415e-02};
  constexpr double q[] = {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
                          -7.37332916720468e-03, -1.42647390514189e-02};
  x = largest(smallest(x, x.constant(4)), x.constant(-4));
  Expr square = x * x;
  return polynomial(square, p) * x / polynomial(square, q);
}

Expr tanhOf(Expr x) {
  constexpr double p[] = {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
                          -3.33332819422e-1};
  Expr size = absolute(x), square = x * x;
  Expr small = x + x * square * polynomial(square, p);
  Expr large = x.constant(1) - x.constant(2) / (exponential(size * 2) + 1);
  return select(less(size, 0.625), small, withSign(large, x));
}

Expr expMinus1(Expr x) {
  // A Taylor series where 1 would cancel.
  constexpr double p[] = {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1};
  return select(less(absolute(x), 0.5), x * polynomial(x, p), exponential(x) - 1);
}

// log(1 + x) with the rounding of 1 + x divided out (W. Kahan).
Expr log1pOf(Expr x) {
  Expr sum = x + 1, part = sum - 1;
  Expr exact = compare(F::OEQ, part, x.constant(0)), huge = greater(sum, 1e30);
  Expr corrected = logarithm(sum) * (x / select(exact, x.constant(1), part));
  return select(exact, x, select(huge, logarithm(sum), corrected));
}

Expr sinhOf(Expr x) {
  constexpr double p[] = {1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6};
  Expr square = x * x, up = exponential(x);
  Expr large = (up - x.constant(1) / up) * 0.5;
  return select(less(absolute(x), 1), x + x * square * polynomial(square, p), large);
}

Expr atanOf(Expr x) {
  constexpr double p[] = {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1};
  Expr size = absolute(x);
  Expr far = greater(size, 2.414213562373095), middle = greater(size, 0.4142135623730950);
  Expr z = select(far, x.constant(-1) / size, select(middle, (size - 1) / (size + 1), size));
  Expr y = select(far, x.constant(pi / 2), select(middle, x.constant(pi / 4), x.constant(0)));
  Expr square = z * z;
  return withSign(y + (z + z * square * polynomial(square, p)), x);
}

Expr asinNear(Expr x, Expr square) { // |x| <= 0.5
  constexpr double p[] = {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2,
                          1.6666752422e-1};
  return x + x * square * polynomial(square, p);
}
Expr asinOf(Expr x) {
  Expr size = absolute(x), far = greater(size, 0.5);
  Expr square = select(far, (x.constant(1) - size) * 0.5, size * size);
  Expr near = asinNear(select(far, root(square), size), square);
  return withSign(select(far, x.constant(pi / 2) - near * 2, near), x);
}
Expr acosOf(Expr x) {
  Expr half = (x.constant(1) - x) * 0.5;
  return select(greater(x, 0.5), asinNear(root(half), half) * 2, x.constant(pi / 2) - asinOf(x));
}

Expr atan2Of(Expr y, Expr x) {
  Expr zero = x.constant(0), origin = compare(F::OEQ, absolute(x) + absolute(y), zero);
  Expr angle = atanOf(y / select(origin, x.constant(1), x));
  Expr behind = select(less(x, 0), withSign(x.constant(pi), y), zero);
  return angle + behind;
}

Expr powerOf(Expr x, Expr y) {
  Expr size = exponential(y * logarithm(absolute(x)));
  Expr whole = compare(F::OEQ, y, y.apply<math::TruncOp>());
  Expr half = y * 0.5, odd = compare(F::UNE, half, half.apply<math::TruncOp>());
  Expr negative = select(whole, select(odd, x.constant(0) - size, size), x.constant(NAN));
  Expr result = select(less(x, 0), negative, size);
  return select(compare(F::OEQ, y, y.constant(0)), y.constant(1), result);
}

// x - trunc(x / y) * y; the quotient may be one off.
Expr remainderOf(Expr x, Expr y) {
  Expr size = absolute(x), by = absolute(y);
  Expr rest = size - (size / by).apply<math::TruncOp>() * by;
  rest = select(less(rest, 0), rest + by, rest);
  rest = select(compare(F::OGE, rest, by), rest - by, rest);
  return withSign(rest, x);
}

// The scalar unit rounds by way of integers; from 2^23 on every f32 is one.
Expr scalarRound(Operation* op, Expr x) {
  Expr whole = x.to<arith::FPToSIOp>(x.builder->getI64Type()).to<arith::SIToFPOp>(x.element());
  Expr one = x.constant(1), zero = x.constant(0), result = whole, rest = x - whole;
  if (isa<math::FloorOp>(op))
    result = whole - select(less(rest, 0), one, zero);
  else if (isa<math::CeilOp>(op))
    result = whole + select(greater(rest, 0), one, zero);
  else if (isa<math::RoundOp>(op))
    result = whole + select(compare(F::OGE, absolute(rest), x.constant(0.5)), withSign(one, x), zero);
  else if (isa<math::RoundEvenOp>(op)) // the sum with 1.5 * 2^23 has no fraction
    result = (x + 12582912.0) - 12582912.0;
  double limit = isa<math::RoundEvenOp>(op) ? 4194304.0 : 8388608.0;
  return select(less(absolute(x), limit), withSign(result, x), x);
}

std::optional<Expr> functionOf(Operation* op, Expr x, ArrayRef<Expr> rest) {
  using Result = std::optional<Expr>;
  bool tensor = isa<RankedTensorType>(x.value.getType());
  return llvm::TypeSwitch<Operation*, Result>(op)
      .Case([&](math::SinOp) { return sine(reduceAngle(x), 0); })
      .Case([&](math::CosOp) { return sine(reduceAngle(x), 1); })
      .Case([&](math::TanOp) {
        Reduced angle = reduceAngle(x);
        return sine(angle, 0) / sine(angle, 1);
      })
      .Case([&](math::ErfOp) { return erfOf(x); })
      .Case([&](math::TanhOp) { return tanhOf(x); })
      .Case([&](math::ExpM1Op) { return expMinus1(x); })
      .Case([&](math::Log1pOp) { return log1pOf(x); })
      .Case([&](math::Log10Op) { return logarithm(x) * 0.43429448190325182765; })
      .Case([&](math::SinhOp) { return sinhOf(x); })
      .Case([&](math::CoshOp) {
        Expr up = exponential(absolute(x));
        return (up + x.constant(1) / up) * 0.5;
      })
      .Case([&](math::AtanOp) { return atanOf(x); })
      .Case([&](math::AsinOp) { return asinOf(x); })
      .Case([&](math::AcosOp) { return acosOf(x); })
      .Case([&](math::AsinhOp) {
        Expr size = absolute(x);
        return withSign(log1pOf(size + size * size / (root(size * size + 1) + 1)), x);
      })
      .Case([&](math::AcoshOp) {
        Expr over = x - 1;
        return log1pOf(over + root(over * 2 + over * over));
      })
      .Case([&](math::AtanhOp) {
        Expr size = absolute(x);
        return withSign(log1pOf(size * 2 / (x.constant(1) - size)) * 0.5, x);
      })
      .Case([&](math::CbrtOp) {
        Expr size = absolute(x), zero = compare(F::OEQ, x, x.constant(0)), one = x.constant(1);
        Expr y = exponential(logarithm(select(zero, one, size)) * (1.0 / 3));
        y = y - (y - size / (y * y)) * (1.0 / 3); // a step of Newton's
        return withSign(select(zero, x, y), x);
      })
      .Case([&](math::CopySignOp) { return withSign(x, rest[0]); })
      .Case([&](math::Atan2Op) { return atan2Of(x, rest[0]); })
      .Case([&](math::PowFOp) { return powerOf(x, rest[0]); })
      .Case([&](math::FPowIOp) { return powerOf(x, rest[0].to<arith::SIToFPOp>(x.element())); })
      .Case([&](arith::RemFOp) { return remainderOf(x, rest[0]); })
      .Case<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(
          [&](Operation*) { return tensor ? Result() : Result(scalarRound(op, x)); })
      .Default([](Operation*) { return Result(); });
}

// What computes in f32 only, on tensors of smaller floats.
bool throughF32(Operation* op) {
  bool tensor = isa<RankedTensorType>(op->getResult(0).getType());
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp, math::AbsFOp,
          math::FmaOp>(op))
    return !tensor;
  return isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op);
}

// Clamps: a NaN of x becomes a bound, or stays with propagateNan = all.
LogicalResult expandClamp(tt::ClampFOp op, PatternRewriter& rewriter) {
  Expr x{&rewriter, op.getLoc(), op.getX()};
  Expr result = smallest(largest(x, x.with(op.getMin())), x.with(op.getMax()));
  if (op.getPropagateNan() == tt::PropagateNan::ALL)
    result = select(compare(F::UNO, x, x), x, result);
  rewriter.replaceOp(op, result.value);
  return success();
}

// The scalar unit rounds to nearest only.
LogicalResult expandScalarConversion(tt::FpToFpOp op, PatternRewriter& rewriter) {
  if (op.getRounding() && *op.getRounding() != tt::RoundingMode::RTNE)
    return failure();
  Expr x{&rewriter, op.getLoc(), op.getSrc()};
  if (!x.element().isF32())
    x = x.to<arith::ExtFOp>(rewriter.getF32Type());
  if (x.value.getType() != op.getType())
    x = x.to<arith::TruncFOp>(op.getType());
  rewriter.replaceOp(op, x.value);
  return success();
}

} // namespace

LogicalResult expandFunction(Operation* op, PatternRewriter& rewriter) {
  if (auto clamp = dyn_cast<tt::ClampFOp>(op))
    return expandClamp(clamp, rewriter);
  if (auto convert = dyn_cast<tt::FpToFpOp>(op); convert && !isa<RankedTensorType>(convert.getType()))
    return expandScalarConversion(convert, rewriter);
  if (op->getNumOperands() == 0 || !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return failure();
  Expr x{&rewriter, op->getLoc(), op->getOperand(0)};
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if ((element.isF16() || element.isBF16()) && throughF32(op)) {
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> wide;
    for (Value operand : op->getOperands())
      wide.push_back(x.with(operand).isFloat() ? x.with(operand).to<arith::ExtFOp>(f32).value : operand);
    OperationState state(op->getLoc(), op->getName(), wide, {x.shaped(f32)}, op->getAttrs());
    rewriter.replaceOp(op, x.with(rewriter.create(state)->getResult(0)).to<arith::TruncFOp>(element).value);
    return success();
  }
  if (!element.isF32() || !x.element().isF32())
    return failure();
  SmallVector<Expr> rest;
  for (Value operand : op->getOperands().drop_front())
    rest.push_back(x.with(operand));
  std::optional<Expr> result = functionOf(op, x, rest);
  if (!result)
    return failure();
  rewriter.replaceOp(op, result->value);
  return success();
}

} // namespace dlsim::codegen
