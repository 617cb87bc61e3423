// Functions of libdevice (tl.extra.cuda.libdevice) by name.
#include "codegen/passes/expand/LibDevice.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

template <class Op> Value make(OpBuilder& b, Location loc, ValueRange operands) {
  OperationState state(loc, Op::getOperationName(), operands, {operands[0].getType()}, {});
  return b.create(state)->getResult(0);
}

template <arith::CmpFPredicate predicate> Expr against(Expr x, double bound) {
  return compare(predicate, absolute(x), x.constant(bound));
}
Value isNan(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return compare(arith::CmpFPredicate::UNO, x, x).to<arith::ExtUIOp>(b.getI32Type()).value;
}
Value isInfinite(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return against<arith::CmpFPredicate::OEQ>(x, INFINITY).to<arith::ExtUIOp>(b.getI32Type()).value;
}
Value isFinite(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return against<arith::CmpFPredicate::OLT>(x, INFINITY).to<arith::ExtUIOp>(b.getI32Type()).value;
}
Value reciprocal(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return (x.constant(1) / x).value;
}
Value power10(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return (x * 2.30258509299404568402).apply<math::ExpOp>().value;
}
Value saturate(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return smallest(largest(x, x.constant(0)), x.constant(1)).value;
}

// The root of a sum of squares, without overflow on the way.
Value hypotenuse(OpBuilder& b, Location loc, ValueRange operands) {
  Expr largestOne = absolute({&b, loc, operands[0]});
  for (Value operand : operands.drop_front())
    largestOne = largest(largestOne, absolute({&b, loc, operand}));
  Expr zero = largestOne.constant(0), one = largestOne.constant(1);
  Expr isScaled = compare(arith::CmpFPredicate::OGT, largestOne, zero) &
                  compare(arith::CmpFPredicate::OLT, largestOne, zero.constant(INFINITY));
  Expr scale = select(isScaled, largestOne, one), sum = zero;
  for (Value operand : operands) {
    Expr part = Expr{&b, loc, operand} / scale;
    sum = sum + part * part;
  }
  return (sum.apply<math::SqrtOp>() * scale).value;
}
Value positiveDifference(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]}, y{&b, loc, operands[1]};
  return select(compare(arith::CmpFPredicate::OLE, x, y), x.constant(0), x - y).value;
}
Value inverseHypotenuse(OpBuilder& b, Location loc, ValueRange operands) {
  Expr size{&b, loc, hypotenuse(b, loc, operands)};
  return (size.constant(1) / size).value;
}
Value inverseCubeRoot(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return (x.constant(1) / x.apply<math::CbrtOp>()).value;
}
Value normalDistribution(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  Expr whole = x.constant(1) + (x * 0.70710678118654752440).apply<math::ErfOp>();
  return (whole * 0.5).value;
}
// Of half turns: the argument is taken to [-1, 1] first, where that is exact.
template <class Op> Value ofHalfTurns(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  Expr turns = (x * 0.5).apply<math::RoundEvenOp>();
  return ((x - turns * 2) * 3.14159265358979323846).apply<Op>().value;
}
Value signBit(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return shiftRight(x.to<arith::BitcastOp>(b.getI32Type()), 31).value;
}
template <unsigned bits, bool toFloat> Value reinterpret(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return x.to<arith::BitcastOp>(toFloat ? Type(b.getF32Type()) : b.getIntegerType(bits)).value;
}
template <class Round, unsigned bits> Value toInteger(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return x.apply<Round>().template to<arith::FPToSIOp>(b.getIntegerType(bits)).value;
}
template <class Convert> Value toFloat(OpBuilder& b, Location loc, ValueRange operands) {
  return Expr{&b, loc, operands[0]}.to<Convert>(b.getF32Type()).value;
}
// The position of the lowest bit that is set, from 1; 0 if there is none.
Value firstSet(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  Expr position = (x ^ (x - 1)).apply<math::CtPopOp>(); // of the bits up to the lowest one
  Expr found = select(compare(arith::CmpIPredicate::eq, x, x.constant(0)), x.constant(0), position);
  return found.element().isInteger(32) ? found.value : found.to<arith::TruncIOp>(b.getI32Type()).value;
}
template <class Op> Value countBits(OpBuilder& b, Location loc, ValueRange operands) {
  Expr count = Expr{&b, loc, operands[0]}.apply<Op>();
  return count.element().isInteger(32) ? count.value : count.to<arith::TruncIOp>(b.getI32Type()).value;
}
template <class Product> Value highProduct(OpBuilder& b, Location loc, ValueRange operands) {
  return b.create<Product>(loc, operands[0], operands[1]).getHigh();
}

// Single precision; the names of the double ones differ by the final f.
const llvm::StringMap<MakeFunction>& table() {
  static const llvm::StringMap<MakeFunction> functions{{"sin", make<math::SinOp>},
                                                       {"cos", make<math::CosOp>},
                                                       {"tan", make<math::TanOp>},
                                                       {"asin", make<math::AsinOp>},
                                                       {"acos", make<math::AcosOp>},
                                                       {"atan", make<math::AtanOp>},
                                                       {"sinh", make<math::SinhOp>},
                                                       {"cosh", make<math::CoshOp>},
                                                       {"tanh", make<math::TanhOp>},
                                                       {"asinh", make<math::AsinhOp>},
                                                       {"acosh", make<math::AcoshOp>},
                                                       {"atanh", make<math::AtanhOp>},
                                                       {"exp", make<math::ExpOp>},
                                                       {"exp2", make<math::Exp2Op>},
                                                       {"exp10", power10},
                                                       {"expm1", make<math::ExpM1Op>},
                                                       {"log", make<math::LogOp>},
                                                       {"log2", make<math::Log2Op>},
                                                       {"log10", make<math::Log10Op>},
                                                       {"log1p", make<math::Log1pOp>},
                                                       {"sqrt", make<math::SqrtOp>},
                                                       {"rsqrt", make<math::RsqrtOp>},
                                                       {"cbrt", make<math::CbrtOp>},
                                                       {"erf", make<math::ErfOp>},
                                                       {"floor", make<math::FloorOp>},
                                                       {"ceil", make<math::CeilOp>},
                                                       {"trunc", make<math::TruncOp>},
                                                       {"round", make<math::RoundOp>},
                                                       {"rint", make<math::RoundEvenOp>},
                                                       {"nearbyint", make<math::RoundEvenOp>},
                                                       {"fabs", make<math::AbsFOp>},
                                                       {"pow", make<math::PowFOp>},
                                                       {"powi", make<math::FPowIOp>},
                                                       {"fmod", make<arith::RemFOp>},
                                                       {"fmax", make<arith::MaxNumFOp>},
                                                       {"fmin", make<arith::MinNumFOp>},
                                                       {"atan2", make<math::Atan2Op>},
                                                       {"copysign", make<math::CopySignOp>},
                                                       {"fma", make<math::FmaOp>},
                                                       {"isnan", isNan},
                                                       {"isinf", isInfinite},
                                                       {"finite", isFinite},
                                                       {"saturate", saturate},
                                                       {"hypot", hypotenuse},
                                                       {"rhypot", inverseHypotenuse},
                                                       {"rnorm3d", inverseHypotenuse},
                                                       {"rnorm4d", inverseHypotenuse},
                                                       {"norm3d", hypotenuse},
                                                       {"norm4d", hypotenuse},
                                                       {"fdim", positiveDifference},
                                                       {"rcbrt", inverseCubeRoot},
                                                       {"normcdf", normalDistribution},
                                                       {"sinpi", ofHalfTurns<math::SinOp>},
                                                       {"cospi", ofHalfTurns<math::CosOp>},
                                                       {"signbit", signBit},
                                                       {"lrint", toInteger<math::RoundEvenOp, 32>},
                                                       {"llrint", toInteger<math::RoundEvenOp, 64>},
                                                       {"lround", toInteger<math::RoundOp, 32>},
                                                       {"llround", toInteger<math::RoundOp, 64>}};
  return functions;
}

// Names that are no function of the table with an f.
const llvm::StringMap<MakeFunction>& otherNames() {
  static const llvm::StringMap<MakeFunction> functions{{"fast_expf", make<math::ExpOp>},
                                                       {"fast_exp10f", power10},
                                                       {"fast_logf", make<math::LogOp>},
                                                       {"fast_log2f", make<math::Log2Op>},
                                                       {"fast_log10f", make<math::Log10Op>},
                                                       {"fast_sinf", make<math::SinOp>},
                                                       {"fast_cosf", make<math::CosOp>},
                                                       {"fast_tanf", make<math::TanOp>},
                                                       {"fast_powf", make<math::PowFOp>},
                                                       {"fast_tanhf", make<math::TanhOp>},
                                                       {"fast_fdividef", make<arith::DivFOp>},
                                                       {"fdividef", make<arith::DivFOp>},
                                                       {"fdiv_rn", make<arith::DivFOp>},
                                                       {"fadd_rn", make<arith::AddFOp>},
                                                       {"fsub_rn", make<arith::SubFOp>},
                                                       {"fmul_rn", make<arith::MulFOp>},
                                                       {"fsqrt_rn", make<math::SqrtOp>},
                                                       {"frcp_rn", reciprocal},
                                                       {"frsqrt_rn", make<math::RsqrtOp>},
                                                       {"fmaf_rn", make<math::FmaOp>},
                                                       {"abs", make<math::AbsIOp>},
                                                       {"llabs", make<math::AbsIOp>},
                                                       {"popc", countBits<math::CtPopOp>},
                                                       {"popcll", countBits<math::CtPopOp>},
                                                       {"clz", countBits<math::CountLeadingZerosOp>},
                                                       {"clzll", countBits<math::CountLeadingZerosOp>},
                                                       {"ffs", firstSet},
                                                       {"ffsll", firstSet},
                                                       {"mulhi", highProduct<arith::MulSIExtendedOp>},
                                                       {"umulhi", highProduct<arith::MulUIExtendedOp>},
                                                       {"float_as_int", reinterpret<32, false>},
                                                       {"float_as_uint", reinterpret<32, false>},
                                                       {"int_as_float", reinterpret<32, true>},
                                                       {"uint_as_float", reinterpret<32, true>},
                                                       {"float2int_rn", toInteger<math::RoundEvenOp, 32>},
                                                       {"float2int_rz", toInteger<math::TruncOp, 32>},
                                                       {"float2int_rd", toInteger<math::FloorOp, 32>},
                                                       {"float2int_ru", toInteger<math::CeilOp, 32>},
                                                       {"float2ll_rn", toInteger<math::RoundEvenOp, 64>},
                                                       {"float2ll_rz", toInteger<math::TruncOp, 64>},
                                                       {"float2ll_rd", toInteger<math::FloorOp, 64>},
                                                       {"float2ll_ru", toInteger<math::CeilOp, 64>},
                                                       {"int2float_rn", toFloat<arith::SIToFPOp>},
                                                       {"uint2float_rn", toFloat<arith::UIToFPOp>},
                                                       {"ll2float_rn", toFloat<arith::SIToFPOp>},
                                                       {"ull2float_rn", toFloat<arith::UIToFPOp>},
                                                       {"llmin", make<arith::MinSIOp>},
                                                       {"llmax", make<arith::MaxSIOp>},
                                                       {"ullmin", make<arith::MinUIOp>},
                                                       {"ullmax", make<arith::MaxUIOp>},
                                                       {"min", make<arith::MinSIOp>},
                                                       {"max", make<arith::MaxSIOp>},
                                                       {"umin", make<arith::MinUIOp>},
                                                       {"umax", make<arith::MaxUIOp>},
                                                       {"finitef", isFinite}};
  return functions;
}

size_t operandCount(StringRef name) {
  return llvm::StringSwitch<size_t>(name)
      .Cases("powf", "powif", "fmodf", "fmaxf", "fminf", "atan2f", "copysignf", "hypotf", "rhypotf", 2)
      .Cases("fdimf", "fast_powf", "fast_fdividef", "fdividef", "fdiv_rn", "fadd_rn", "fsub_rn", "fmul_rn", 2)
      .Cases("mulhi", "umulhi", "llmin", "llmax", "ullmin", "ullmax", "min", "max", "umin", "umax", 2)
      .Cases("mul24", "umul24", "hadd", "uhadd", "rhadd", "urhadd", 2)
      .Cases("nextafterf", "remainderf", "ldexpf", "scalbnf", 2)
      .Cases("fmaf", "fmaf_rn", "norm3df", "rnorm3df", "sad", "usad", "byte_perm", 3)
      .Cases("norm4df", "rnorm4df", 4)
      .Default(1);
}

// Null if there is no such function.
MakeFunction functionOf(tt::ExternElementwiseOp call) {
  StringRef name = call.getSymbol();
  name.consume_front("__nv_");
  auto isDouble = [](Value value) { return getElementTypeOrSelf(value.getType()).isF64(); };
  if (call.getSrcs().size() != operandCount(name) || llvm::any_of(call.getSrcs(), isDouble))
    return nullptr;
  if (MakeFunction make = otherNames().lookup(name))
    return make;
  if (MakeFunction make = bitFunction(name))
    return make;
  if (!name.consume_back("f") || !isa<FloatType>(getElementTypeOrSelf(call.getSrcs()[0].getType())))
    return nullptr;
  MakeFunction make = table().lookup(name);
  return make ? make : specialFunction(name);
}

} // namespace

LogicalResult expandLibDevice(Operation* op, PatternRewriter& rewriter) {
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  MakeFunction make = call ? functionOf(call) : nullptr;
  if (!make)
    return failure();
  Value result = make(rewriter, call.getLoc(), call.getSrcs());
  Expr made{&rewriter, call.getLoc(), result};
  Type wanted = getElementTypeOrSelf(call.getType());
  if (made.element() != wanted && wanted.isInteger(1))
    result = compare(arith::CmpIPredicate::ne, made, made.constant(0)).value;
  if (result.getType() != call.getType())
    return failure();
  rewriter.replaceOp(call, result);
  return success();
}

} // namespace dlsim::codegen
