// Values with operators: an expression builds its operations where its builder stands. Tensors and scalars
// alike; constants take the type of the other operand.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace dlsim::codegen {

struct Expr {
  mlir::OpBuilder* builder;
  mlir::Location loc;
  mlir::Value value;

  Expr with(mlir::Value other) const { return {builder, loc, other}; }
  // A constant of this type.
  Expr constant(double number) const;
  // This type's shape with another element.
  mlir::Type shaped(mlir::Type element) const;
  mlir::Type element() const { return mlir::getElementTypeOrSelf(value.getType()); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  template <class Op, class... Arguments> Expr apply(Arguments... arguments) const {
    return with(builder->create<Op>(loc, value, arguments...));
  }
  template <class Op> Expr to(mlir::Type type) const {
    return with(builder->create<Op>(loc, shaped(type), value));
  }
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b); // of floats
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);
inline Expr operator+(Expr a, double b) { return a + a.constant(b); }
inline Expr operator-(Expr a, double b) { return a - a.constant(b); }
inline Expr operator*(Expr a, double b) { return a * a.constant(b); }
inline Expr operator&(Expr a, double b) { return a & a.constant(b); }
inline Expr operator^(Expr a, double b) { return a ^ a.constant(b); }
inline Expr operator|(Expr a, double b) { return a | a.constant(b); }

Expr shiftLeft(Expr a, int64_t amount);
Expr shiftRight(Expr a, int64_t amount); // logical
Expr shiftRightSigned(Expr a, int64_t amount);
// Ordered comparison of floats (une for ne), of integers as named.
Expr compare(mlir::arith::CmpFPredicate predicate, Expr a, Expr b);
Expr compare(mlir::arith::CmpIPredicate predicate, Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);
Expr absolute(Expr a);
Expr largest(Expr a, Expr b);
Expr smallest(Expr a, Expr b);
// coefficients[0] * x^n + .. + coefficients[n].
Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients);

} // namespace dlsim::codegen
