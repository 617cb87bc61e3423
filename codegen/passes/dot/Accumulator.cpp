#include "codegen/passes/dot/Accumulator.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dlsim::codegen {

bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<tt::SplatOp>())
    value = splat.getSrc();
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

void Accumulator::flow(OpOperand& operand) {
  flows.insert(&operand);
  if (!isZero(operand.get()))
    add(operand.get());
}

// An scf.for carries position i: start value, block argument, yielded value and result are one.
void Accumulator::carry(scf::ForOp loop, unsigned i) {
  add(loop.getRegionIterArg(i));
  add(loop.getResult(i));
  flow(loop.getInitArgsMutable()[i]);
  flow(loop.getYieldedValuesMutable().value()[i]);
}

void Accumulator::join(scf::IfOp branch, unsigned i) {
  add(branch.getResult(i));
  flow(branch.thenYield()->getOpOperand(i));
  flow(branch.elseYield()->getOpOperand(i));
}

void Accumulator::grow() {
  for (size_t next = 0; next < values.size(); ++next) { // grows while it runs
    Value value = values[next];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
          loop && argument.getArgNumber() > 0)
        carry(loop, argument.getArgNumber() - 1);
    } else if (auto loop = value.getDefiningOp<scf::ForOp>()) {
      carry(loop, cast<OpResult>(value).getResultNumber());
    } else if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      join(branch, cast<OpResult>(value).getResultNumber());
    } else if (auto dot = value.getDefiningOp<tt::DotOp>()) {
      flow(dot.getCMutable());
    }
    for (OpOperand& use : value.getUses()) {
      Operation* user = use.getOwner();
      if (auto dot = dyn_cast<tt::DotOp>(user); dot && use.get() == dot.getC())
        add(dot.getD());
      else if (auto loop = dyn_cast<scf::ForOp>(user);
               loop && use.getOperandNumber() >= loop.getNumControlOperands())
        carry(loop, use.getOperandNumber() - loop.getNumControlOperands());
      else if (isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp()))
        carry(cast<scf::ForOp>(user->getParentOp()), use.getOperandNumber());
      else if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp()))
        join(cast<scf::IfOp>(user->getParentOp()), use.getOperandNumber());
    }
  }
}

} // namespace dlsim::codegen
