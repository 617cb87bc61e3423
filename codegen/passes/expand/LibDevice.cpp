// Functions of libdevice (tl.extra.cuda.libdevice) by name.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/expand/Expression.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

using Make = Value (*)(OpBuilder&, Location, ValueRange);

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
Value errorComplement(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return (x.constant(1) - x.apply<math::ErfOp>()).value;
}
Value saturate(OpBuilder& b, Location loc, ValueRange operands) {
  Expr x{&b, loc, operands[0]};
  return smallest(largest(x, x.constant(0)), x.constant(1)).value;
}

// Single precision; the names of the double ones differ by the final f.
const llvm::StringMap<Make>& table() {
  static const llvm::StringMap<Make> functions{{"sin", make<math::SinOp>},
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
                                               {"erfc", errorComplement},
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
                                               {"saturate", saturate}};
  return functions;
}

// Names that are no function of the table with an f.
const llvm::StringMap<Make>& otherNames() {
  static const llvm::StringMap<Make> functions{{"fast_expf", make<math::ExpOp>},
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
                                               {"popc", make<math::CtPopOp>},
                                               {"clz", make<math::CountLeadingZerosOp>},
                                               {"min", make<arith::MinSIOp>},
                                               {"max", make<arith::MaxSIOp>},
                                               {"umin", make<arith::MinUIOp>},
                                               {"umax", make<arith::MaxUIOp>},
                                               {"finitef", isFinite}};
  return functions;
}

} // namespace

LogicalResult expandLibDevice(Operation* op, PatternRewriter& rewriter) {
  auto call = dyn_cast<tt::ExternElementwiseOp>(op);
  auto isDouble = [](Value value) { return getElementTypeOrSelf(value.getType()).isF64(); };
  if (!call || call.getSrcs().empty() || llvm::any_of(call.getSrcs(), isDouble))
    return failure();
  StringRef name = call.getSymbol();
  name.consume_front("__nv_");
  Make make = otherNames().lookup(name);
  if (!make && name.consume_back("f"))
    make = table().lookup(name);
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
