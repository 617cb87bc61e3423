#include "codegen/passes/dot/Unstored.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// `value` computed at `point`: itself if it dominates, else a copy of the scalar arithmetic that leads to it;
// null if that is not possible.
Value available(Value value, Operation* point, DominanceInfo& dominance, IRMapping& copies,
                unsigned depth = 0) {
  if (dominance.properlyDominates(value, point))
    return value;
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  Operation* op = value.getDefiningOp();
  if (!op || depth > 16 || op->getNumRegions() != 0 || !isPure(op))
    return {};
  for (Value operand : op->getOperands()) {
    Value there = available(operand, point, dominance, copies, depth + 1);
    if (!there)
      return {};
    if (there != operand)
      copies.map(operand, there);
  }
  OpBuilder builder(point);
  builder.clone(*op, copies);
  return copies.lookup(value);
}

// The load's dimension `d` becomes part of [0, limit) of the store.
void cut(dl::LoadOp load, unsigned d, Value limit) {
  OpBuilder builder(load);
  Value hi = load.getHi()[d];
  load.getHiMutable()[d].set(builder.createOrFold<arith::MinSIOp>(load.getLoc(), hi, limit));
}

} // namespace

void cutWrappedLoads(ArrayRef<dl::DotOp> dots, dl::FixpipeOp store) {
  DominanceInfo dominance(store->getParentOp());
  for (dl::DotOp dot : dots)
    for (bool isA : {true, false}) {
      auto load = (isA ? dot.getA() : dot.getB()).getDefiningOp<dl::LoadOp>();
      unsigned kept = isA ? (dot.getTransposeA() ? 1 : 0) : (dot.getTransposeB() ? 0 : 1); // m of A, n of B
      if (!load || !load->hasOneUse() || load.getWrapDim() != std::optional<uint64_t>(kept))
        continue;
      Operation* point = store->getBlock()->findAncestorOpInBlock(*load);
      IRMapping copies;
      if (!point)
        continue;
      if (Value limit = available(store.getHi()[isA ? 0 : 1], point, dominance, copies))
        cut(load, kept, limit);
    }
}

} // namespace dlsim::codegen
