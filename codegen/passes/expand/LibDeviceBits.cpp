// Functions of integers, and of floats by their bits.
#include "codegen/passes/expand/LibDevice.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

Expr bitsOf(Expr x) { return x.to<arith::BitcastOp>(x.builder->getI32Type()); }
Expr floatOf(Expr bits) { return bits.to<arith::BitcastOp>(bits.builder->getF32Type()); }
Expr integer(Expr like, int64_t value) {
  Type element = like.element();
  TypedAttr number = like.builder->getIntegerAttr(
      element, APInt(64, uint64_t(value)).trunc(element.getIntOrFloatBitWidth()));
  if (auto tensor = dyn_cast<RankedTensorType>(like.value.getType()))
    number = DenseElementsAttr::get(tensor, Attribute(number));
  return like.with(like.builder->create<arith::ConstantOp>(like.loc, number));
}

template <Expr (*function)(Expr)> Value unary(OpBuilder& b, Location loc, ValueRange operands) {
  return function({&b, loc, operands[0]}).value;
}
template <Expr (*function)(Expr, Expr)> Value binary(OpBuilder& b, Location loc, ValueRange operands) {
  return function({&b, loc, operands[0]}, {&b, loc, operands[1]}).value;
}

// Neighbouring groups of bits change places, in ever larger groups.
Expr reversed(Expr x) {
  constexpr uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  unsigned size = x.element().getIntOrFloatBitWidth();
  for (unsigned step = 0; (1u << step) < size; ++step) {
    Expr mask = integer(x, int64_t(masks[step]));
    x = shiftLeft(x & mask, 1 << step) | (shiftRight(x, 1 << step) & mask);
  }
  return x;
}
Expr product24(Expr a, Expr b) {
  return shiftRightSigned(shiftLeft(a, 8), 8) * shiftRightSigned(shiftLeft(b, 8), 8);
}
Expr unsignedProduct24(Expr a, Expr b) { return (a & 0xffffff) * (b & 0xffffff); }
// Means without the sum's carry.
Expr meanDown(Expr a, Expr b) { return (a & b) + shiftRightSigned(a ^ b, 1); }
Expr unsignedMeanDown(Expr a, Expr b) { return (a & b) + shiftRight(a ^ b, 1); }
Expr meanUp(Expr a, Expr b) { return (a | b) - shiftRightSigned(a ^ b, 1); }
Expr unsignedMeanUp(Expr a, Expr b) { return (a | b) - shiftRight(a ^ b, 1); }
template <I order> Value sumOfDifference(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]}, y{&b, loc, operands[1]}, z{&b, loc, operands[2]};
  return (select(compare(order, x, y), x - y, y - x) + z).value;
}

// Four of the eight bytes of y:x, each chosen by three of four bits.
Value permuteBytes(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]}, y{&b, loc, operands[1]}, choice{&b, loc, operands[2]}, result = x.constant(0);
  for (int64_t byte = 0; byte < 4; ++byte) {
    Expr which = shiftRight(choice, 4 * byte) & 7, taken = x & 255;
    for (int64_t from = 1; from < 8; ++from) {
      Expr here = compare(I::eq, which, which.constant(double(from)));
      taken = select(here, shiftRight(from < 4 ? x : y, 8 * (from % 4)) & 255, taken);
    }
    result = result | shiftLeft(taken, 8 * byte);
  }
  return result.value;
}

Expr nextAfter(Expr x, Expr y) {
  Expr zero = x.constant(0), bits = bitsOf(x), one = bits.constant(1);
  Expr away = compare(F::OEQ, x, zero) | (compare(F::OLT, x, y) & compare(F::OGT, x, zero)) |
              (compare(F::OGT, x, y) & compare(F::OLT, x, zero));
  Expr next = floatOf(select(away, bits + one, bits - one));
  Expr least = floatOf((bitsOf(y) & double(INT32_MIN)) | 1);
  Expr result = select(compare(F::OEQ, x, zero), least, next);
  result = select(compare(F::OEQ, x, y), y, result);
  return select(compare(F::UNO, x, y), x + y, result);
}

// The rest of a division whose quotient is rounded to nearest even.
Expr ieeeRemainder(Expr x, Expr y) {
  Expr size = absolute(y), twice = size + size;
  Expr rest = absolute(x).apply<arith::RemFOp>(
      select(compare(F::OLT, twice, x.constant(INFINITY)), twice, size).value);
  auto takeHalf = [&](F order) {
    Expr beyond = compare(order, rest + rest, size);
    return select(beyond, rest - size, rest);
  };
  Expr once = takeHalf(F::OGT);
  Expr took = compare(F::OGT, rest + rest, size);
  rest = once;
  rest = select(took, takeHalf(F::OGE), rest);
  return select(compare(F::OLT, x, x.constant(0)), x.constant(0) - rest, rest);
}

// x * 2^n, in three steps whose factors are numbers.
Expr scaledByPower(Expr x, Expr n) {
  n = largest(smallest(n, n.constant(300)), n.constant(-300));
  Expr third = n.apply<arith::DivSIOp>(n.constant(3).value), rest = n - third - third;
  auto power = [](Expr exponent) { return floatOf(shiftLeft(exponent + 127, 23)); };
  return x * power(third) * power(third) * power(rest);
}

// The exponent of the leading bit, also of numbers that have less than all bits.
Expr exponentOf(Expr x) {
  Expr size = absolute(x), isSmall = compare(F::OLT, size, x.constant(0x1p-126));
  Expr bits = bitsOf(select(isSmall, size * 0x1p25, size));
  Expr exponent = shiftRight(bits, 23) - 127;
  return select(isSmall, exponent - 25, exponent);
}
Expr integerExponent(Expr x) {
  Expr exponent = exponentOf(x), none = exponent.constant(double(INT32_MIN));
  Expr infinite = compare(F::OEQ, absolute(x), x.constant(INFINITY));
  exponent = select(infinite, exponent.constant(double(INT32_MAX)), exponent);
  return select(compare(F::UEQ, x, x.constant(0)), none, exponent);
}
Expr floatExponent(Expr x) {
  Expr exponent = exponentOf(x).to<arith::SIToFPOp>(x.builder->getF32Type()), size = absolute(x);
  exponent = select(compare(F::OEQ, x, x.constant(0)), x.constant(-INFINITY), exponent);
  return select(compare(F::OLT, size, x.constant(INFINITY)), exponent, size);
}

template <class Round, unsigned bits> Value toUnsigned(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return x.apply<Round>().template to<arith::FPToUIOp>(b.getIntegerType(bits)).value;
}

} // namespace

MakeFunction bitFunction(llvm::StringRef name) {
  static const llvm::StringMap<MakeFunction> functions{{"brev", unary<reversed>},
                                                       {"brevll", unary<reversed>},
                                                       {"mul24", binary<product24>},
                                                       {"umul24", binary<unsignedProduct24>},
                                                       {"hadd", binary<meanDown>},
                                                       {"uhadd", binary<unsignedMeanDown>},
                                                       {"rhadd", binary<meanUp>},
                                                       {"urhadd", binary<unsignedMeanUp>},
                                                       {"sad", sumOfDifference<I::sgt>},
                                                       {"usad", sumOfDifference<I::ugt>},
                                                       {"byte_perm", permuteBytes},
                                                       {"nextafterf", binary<nextAfter>},
                                                       {"remainderf", binary<ieeeRemainder>},
                                                       {"ldexpf", binary<scaledByPower>},
                                                       {"scalbnf", binary<scaledByPower>},
                                                       {"ilogbf", unary<integerExponent>},
                                                       {"logbf", unary<floatExponent>},
                                                       {"float2uint_rn", toUnsigned<math::RoundEvenOp, 32>},
                                                       {"float2uint_rz", toUnsigned<math::TruncOp, 32>},
                                                       {"float2uint_rd", toUnsigned<math::FloorOp, 32>},
                                                       {"float2uint_ru", toUnsigned<math::CeilOp, 32>}};
  return functions.lookup(name);
}

} // namespace dlsim::codegen
