// math.erf, which the vector unit does not have, in operations that it has.
#include "codegen/passes/to_npu/Erf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// erf(x) = x * p(x^2) / q(x^2) for |x| <= 4, beyond which it is 1 in f32; within 1e-7 of the true value
// before rounding. Highest power first.
constexpr double numerator[] = {-2.72614225801306e-10, 2.77068142495902e-08,  -2.10102402082508e-06,
                                -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
                                -1.60960333262415e-02};
constexpr double denominator[] = {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
                                  -7.37332916720468e-03, -1.42647390514189e-02};
constexpr double largest = 4;

class Expansion {
public:
  explicit Expansion(math::ErfOp op) : op(op), builder(op), type(cast<RankedTensorType>(op.getType())) {}

  void run() {
    Location loc = op.getLoc();
    Value x = builder.create<arith::MinNumFOp>(loc, op.getOperand(), constant(largest));
    x = builder.create<arith::MaxNumFOp>(loc, x, constant(-largest));
    Value square = builder.create<arith::MulFOp>(loc, x, x);
    Value top = builder.create<arith::MulFOp>(loc, polynomial(square, numerator), x);
    Value result = builder.create<arith::DivFOp>(loc, top, polynomial(square, denominator));
    op.getResult().replaceAllUsesWith(result);
    op->erase();
  }

private:
  Value constant(double value) {
    auto splat = DenseElementsAttr::get(type, builder.getF32FloatAttr(float(value)).getValue());
    return builder.create<arith::ConstantOp>(op.getLoc(), splat);
  }
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Location loc = op.getLoc();
    Value sum = builder.create<arith::MulFOp>(loc, x, constant(coefficients.front()));
    for (double coefficient : coefficients.drop_front().drop_back()) {
      sum = builder.create<arith::AddFOp>(loc, sum, constant(coefficient));
      sum = builder.create<arith::MulFOp>(loc, sum, x);
    }
    return builder.create<arith::AddFOp>(loc, sum, constant(coefficients.back()));
  }

  math::ErfOp op;
  OpBuilder builder;
  RankedTensorType type;
};

} // namespace

void expandErf(Operation* root) {
  SmallVector<math::ErfOp> found;
  root->walk([&](math::ErfOp op) {
    if (auto type = dyn_cast<RankedTensorType>(op.getType()); type && type.getElementType().isF32())
      found.push_back(op);
  });
  for (math::ErfOp op : found)
    Expansion(op).run();
}

} // namespace dlsim::codegen
