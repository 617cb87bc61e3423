#include "codegen/passes/dot/Scale.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Null if `acc` is none of the two, or both.
Value otherFactor(Operation* op, Value acc) {
  bool left = op->getOperand(0) == acc, right = op->getOperand(1) == acc;
  return left == right ? Value() : op->getOperand(left ? 1 : 0);
}

bool isKnownToAll(Value scalar) {
  SmallVector<Value> open{scalar};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation* op = value.getDefiningOp();
    if (!op && !isa<FunctionOpInterface>(value.getParentBlock()->getParentOp()))
      return false; // what a loop carries may have come from anywhere
    if (!op)
      continue;
    if (isa<RankedTensorType>(value.getType()) || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    open.append(op->operand_begin(), op->operand_end());
  }
  return true;
}

} // namespace

bool isScaled(Operation* op, Value acc) {
  Value factor = isa<arith::MulFOp>(op) ? otherFactor(op, acc) : Value();
  if (!factor || !getElementTypeOrSelf(factor.getType()).isF32())
    return false;
  DenseElementsAttr elements;
  if (matchPattern(factor, m_Constant(&elements)))
    return elements.isSplat();
  auto splat = factor.getDefiningOp<tt::SplatOp>();
  return splat && isKnownToAll(splat.getSrc());
}

Value scaleOf(Operation* op, Value acc, OpBuilder& builder) {
  Value factor = otherFactor(op, acc);
  if (auto splat = factor.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  DenseElementsAttr elements;
  matchPattern(factor, m_Constant(&elements));
  return builder.create<arith::ConstantOp>(op->getLoc(), builder.getF32Type(),
                                           elements.getSplatValue<FloatAttr>());
}

} // namespace dlsim::codegen
