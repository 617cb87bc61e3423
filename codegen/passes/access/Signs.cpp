#include "codegen/passes/access/Signs.h"
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dlsim::access {

bool Signs::nonNegative(Value value) {
  if (auto known = getConstantIntValue(value))
    return *known >= 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return false;
    return argument == loop.getInductionVar() ? nonNegative(loop.getLowerBound())
                                              : carried(loop, argument.getArgNumber() - 1);
  }
  Operation* op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carried(loop, cast<OpResult>(value).getResultNumber());
  if (isa<dl::CoreIdOp, dl::CoreCountOp, dl::GridSizeOp, tt::GetNumProgramsOp, arith::ExtUIOp>(op))
    return true;
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp>(op))
    return nonNegative(op->getOperand(0)) && nonNegative(op->getOperand(1));
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::RemSIOp, arith::RemUIOp, arith::DivUIOp>(op))
    return nonNegative(op->getOperand(0));
  if (isa<arith::SelectOp>(op))
    return nonNegative(op->getOperand(1)) && nonNegative(op->getOperand(2));
  return isa<arith::MaxSIOp>(op) && either(op, &Signs::nonNegative);
}

bool Signs::nonPositive(Value value) {
  if (auto known = getConstantIntValue(value))
    return *known <= 0;
  Operation* op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return false;
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (isa<arith::MulIOp>(op)) {
    auto factor = getConstantIntValue(right);
    return factor && *factor < 0 && nonNegative(left);
  }
  if (isa<arith::SubIOp>(op))
    return getConstantIntValue(left) == 0 && nonNegative(right);
  return isa<arith::MinSIOp>(op) && either(op, &Signs::nonPositive);
}

// What a failed attempt has assumed is forgotten.
bool Signs::either(Operation* op, bool (Signs::*holds)(Value)) {
  auto before = assumed;
  if ((this->*holds)(op->getOperand(0)))
    return true;
  assumed = std::move(before);
  return (this->*holds)(op->getOperand(1));
}

// By induction: a value that a loop carries is not negative if its start is not and no step makes it so.
bool Signs::carried(scf::ForOp loop, unsigned i) {
  if (!assumed.insert({loop, i}).second)
    return true;
  return nonNegative(loop.getInitArgs()[i]) && nonNegative(loop.getYieldedValues()[i]);
}

} // namespace dlsim::access
