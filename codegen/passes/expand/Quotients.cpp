// Quotients by a value that repeats along a dimension, as a softmax's sum does: one reciprocal for all of
// them, then products, which the unit forms at four times the rate. Their second rounding is of f32, far
// below what a result of 16 bits keeps; quotients that anything else reads stay as they are. Divisors below
// 2^-128, whose reciprocals f32 does not have, give infinity.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace dlsim::codegen {

static bool keeps16Bits(Operation* user) {
  return isa<arith::TruncFOp, tt::FpToFpOp>(user) &&
         getElementTypeOrSelf(user->getResult(0)).getIntOrFloatBitWidth() == 16;
}

LogicalResult expandQuotient(Operation* op, PatternRewriter& rewriter) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  auto type = quotient ? dyn_cast<RankedTensorType>(quotient.getType()) : RankedTensorType();
  if (!type || !type.getElementType().isF32() || !llvm::all_of(op->getUsers(), keeps16Bits))
    return failure();
  Operation* divisor = quotient.getRhs().getDefiningOp();
  if (!isa_and_nonnull<tt::BroadcastOp, tt::SplatOp>(divisor))
    return failure();
  Location loc = op->getLoc();
  Value once = divisor->getOperand(0), one;
  FloatAttr number = rewriter.getF32FloatAttr(1);
  if (auto shaped = dyn_cast<RankedTensorType>(once.getType()))
    one = rewriter.create<arith::ConstantOp>(loc, DenseElementsAttr::get(shaped, number.getValue()));
  else
    one = rewriter.create<arith::ConstantOp>(loc, number);
  Value inverse = rewriter.create<arith::DivFOp>(loc, one, once);
  Value factor = isa<tt::SplatOp>(divisor) ? rewriter.create<tt::SplatOp>(loc, type, inverse).getResult()
                                           : rewriter.create<tt::BroadcastOp>(loc, type, inverse).getResult();
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, quotient.getLhs(), factor);
  return success();
}

} // namespace dlsim::codegen
