// Conversions between element types, by steps that the vector unit has: f32 to and from f16, bf16, i16, i32
// and i64, f16 to and from i8, i16 and i32, i32 to and from i16 and i64. Steps that folders would join again
// (trunci of trunci) are left to dl-to-npu.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/expand/Expression.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

struct Conversion {
  Expr x;
  Type from, to;
  OpBuilder& b;

  Type integer(unsigned bits) const { return b.getIntegerType(bits); }
};

// The low 8 bits as an i8: the unit converts f16 to i8 with saturation, so they are sign-extended first.
Expr toByte(Expr x, OpBuilder& b) {
  Expr narrow = x.element().isInteger(16) ? x : x.to<arith::TruncIOp>(b.getIntegerType(16));
  Expr byte = shiftRightSigned(shiftLeft(narrow, 8), 8);
  return byte.to<arith::SIToFPOp>(b.getF16Type()).to<arith::FPToSIOp>(b.getIntegerType(8));
}

std::optional<Expr> truncate(const Conversion& c) {
  if (c.to.isInteger(1)) {
    Expr wide = c.from.isInteger(8)    ? c.x.to<arith::ExtSIOp>(c.integer(16))
                : c.from.isInteger(64) ? c.x.to<arith::TruncIOp>(c.integer(32))
                                       : c.x;
    Expr bit = wide & 1;
    return compare(arith::CmpIPredicate::ne, bit, bit.constant(0));
  }
  return c.to.isInteger(8) ? std::optional(toByte(c.x, c.b)) : std::nullopt;
}

std::optional<Expr> extendUnsigned(const Conversion& c) {
  if (c.from.isInteger(1)) {
    if (c.to.isInteger(8)) {
      Type f16 = c.b.getF16Type();
      return c.x.to<arith::UIToFPOp>(f16).to<arith::FPToSIOp>(c.to);
    }
    if (c.to.isInteger(64))
      return c.x.to<arith::ExtUIOp>(c.integer(32)).to<arith::ExtSIOp>(c.to);
    return std::nullopt;
  }
  double mask = c.from.isInteger(8) ? 0xff : c.from.isInteger(16) ? 0xffff : double(0xffffffffu);
  if (c.to.isInteger(64) && !c.from.isInteger(32))
    return c.x.to<arith::ExtUIOp>(c.integer(32)).to<arith::ExtSIOp>(c.to);
  return c.x.to<arith::ExtSIOp>(c.to) & mask;
}

std::optional<Expr> extendSigned(const Conversion& c) {
  if (c.from.isInteger(1)) {
    Expr one = c.x.to<arith::ExtUIOp>(c.to.isInteger(16) ? c.to : c.integer(32));
    Expr minus = one.constant(0) - one;
    if (c.to == minus.element())
      return minus;
    return c.to.isInteger(8) ? minus.to<arith::TruncIOp>(c.to) : minus.to<arith::ExtSIOp>(c.to);
  }
  return std::nullopt;
}

std::optional<Expr> fromUnsigned(const Conversion& c) {
  if (c.from.isInteger(1))
    return std::nullopt;
  if (c.from.isInteger(8) || c.from.isInteger(16))
    return c.x.to<arith::ExtUIOp>(c.integer(32)).to<arith::SIToFPOp>(c.to);
  if (!c.to.isF32())
    return c.x.to<arith::UIToFPOp>(c.b.getF32Type()).to<arith::TruncFOp>(c.to);
  if (c.from.isInteger(32))
    return c.x.to<arith::ExtUIOp>(c.integer(64)).to<arith::SIToFPOp>(c.to);
  return std::nullopt;
}

std::optional<Expr> toInteger(const Conversion& c, bool isUnsigned) {
  if (!c.from.isF32() && !(c.from.isF16() && !isUnsigned && !c.to.isInteger(64))) {
    Expr wide = c.x.to<arith::ExtFOp>(c.b.getF32Type());
    return isUnsigned ? wide.to<arith::FPToUIOp>(c.to) : wide.to<arith::FPToSIOp>(c.to);
  }
  if (c.to.isInteger(1) || c.to.isInteger(8))
    return c.from.isF16() && c.to.isInteger(8)
               ? std::nullopt
               : std::optional(c.x.to<arith::FPToSIOp>(c.integer(32)).to<arith::TruncIOp>(c.to));
  if (!isUnsigned || c.to.isInteger(64))
    return std::nullopt;
  return c.x.to<arith::FPToSIOp>(c.integer(c.to.isInteger(32) ? 64 : 32)).to<arith::TruncIOp>(c.to);
}

} // namespace

LogicalResult expandConversion(Operation* op, PatternRewriter& rewriter) {
  if (op->getNumOperands() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return failure();
  Expr x{&rewriter, op->getLoc(), op->getOperand(0)};
  Conversion c{x, x.element(), getElementTypeOrSelf(op->getResult(0).getType()), rewriter};
  std::optional<Expr> result;
  if (isa<arith::TruncIOp>(op))
    result = truncate(c);
  else if (isa<arith::ExtUIOp>(op))
    result = extendUnsigned(c);
  else if (isa<arith::ExtSIOp>(op))
    result = extendSigned(c);
  else if (isa<arith::UIToFPOp>(op))
    result = fromUnsigned(c);
  else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    result = toInteger(c, isa<arith::FPToUIOp>(op));
  if (!result)
    return failure();
  rewriter.replaceOp(op, result->value);
  return success();
}

// The cube adds in f32; sums in a narrower type are rounded after each product.
LogicalResult expandProduct(Operation* op, PatternRewriter& rewriter) {
  auto dot = dyn_cast<tt::DotOp>(op);
  if (!dot)
    return failure();
  auto type = cast<RankedTensorType>(dot.getType());
  if (!type.getElementType().isF16() && !type.getElementType().isBF16())
    return failure();
  Location loc = dot.getLoc();
  Type wide = type.clone(rewriter.getF32Type());
  Value sum = rewriter.create<arith::ExtFOp>(loc, wide, dot.getC());
  Value product = rewriter.create<tt::DotOp>(loc, wide, dot.getA(), dot.getB(), sum, dot.getInputPrecision(),
                                             dot.getMaxNumImpreciseAcc());
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, product);
  return success();
}

} // namespace dlsim::codegen
