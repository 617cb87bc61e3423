#include "codegen/passes/expand/Expression.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlsim::codegen {

Type Expr::shaped(Type element) const {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? Type(tensor.clone(element)) : element;
}

Expr Expr::constant(double number) const {
  Type type = value.getType();
  TypedAttr scalar = isFloat() ? TypedAttr(builder->getFloatAttr(element(), number))
                               : TypedAttr(builder->getIntegerAttr(element(), int64_t(number)));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    scalar = DenseElementsAttr::get(tensor, Attribute(scalar));
  return with(builder->create<arith::ConstantOp>(loc, scalar));
}

template <class FloatOp, class IntegerOp> static Expr either(Expr a, Expr b) {
  return a.isFloat() ? a.apply<FloatOp>(b.value) : a.apply<IntegerOp>(b.value);
}

Expr operator+(Expr a, Expr b) { return either<arith::AddFOp, arith::AddIOp>(a, b); }
Expr operator-(Expr a, Expr b) { return either<arith::SubFOp, arith::SubIOp>(a, b); }
Expr operator*(Expr a, Expr b) { return either<arith::MulFOp, arith::MulIOp>(a, b); }
Expr operator/(Expr a, Expr b) { return a.apply<arith::DivFOp>(b.value); }
Expr operator&(Expr a, Expr b) { return a.apply<arith::AndIOp>(b.value); }
Expr operator|(Expr a, Expr b) { return a.apply<arith::OrIOp>(b.value); }
Expr operator^(Expr a, Expr b) { return a.apply<arith::XOrIOp>(b.value); }

Expr shiftLeft(Expr a, int64_t amount) { return a.apply<arith::ShLIOp>(a.constant(double(amount)).value); }
Expr shiftRight(Expr a, int64_t amount) { return a.apply<arith::ShRUIOp>(a.constant(double(amount)).value); }
Expr shiftRightSigned(Expr a, int64_t amount) {
  return a.apply<arith::ShRSIOp>(a.constant(double(amount)).value);
}

Expr compare(arith::CmpFPredicate predicate, Expr a, Expr b) {
  return a.with(a.builder->create<arith::CmpFOp>(a.loc, predicate, a.value, b.value));
}
Expr compare(arith::CmpIPredicate predicate, Expr a, Expr b) {
  return a.with(a.builder->create<arith::CmpIOp>(a.loc, predicate, a.value, b.value));
}
Expr select(Expr condition, Expr a, Expr b) {
  return a.with(a.builder->create<arith::SelectOp>(a.loc, condition.value, a.value, b.value));
}
Expr absolute(Expr a) { return a.isFloat() ? a.apply<math::AbsFOp>() : largest(a, a.constant(0) - a); }
Expr largest(Expr a, Expr b) { return either<arith::MaxNumFOp, arith::MaxSIOp>(a, b); }
Expr smallest(Expr a, Expr b) { return either<arith::MinNumFOp, arith::MinSIOp>(a, b); }

Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients) {
  Expr sum = x.constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = sum * x + coefficient;
  return sum;
}

} // namespace dlsim::codegen
