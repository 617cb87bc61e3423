#include "codegen/passes/dot/PieceParts.h"

#include "codegen/passes/dot/Dot.h"
#include "codegen/passes/dot/Scale.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

bool onlyLeftOperands(dl::LoadOp load) {
  return llvm::all_of(load->getUses(), [](OpOperand& use) {
    return isa<tt::DotOp>(use.getOwner()) && use.getOperandNumber() == 0;
  });
}

} // namespace

std::optional<Operand> Operand::of(tt::DotOp dot, Value value) {
  Operand found;
  while (auto trans = value.getDefiningOp<tt::TransOp>()) {
    if (!value.hasOneUse())
      return std::nullopt;
    found.transposes.push_back(trans);
    std::swap(found.dimensionOf[0], found.dimensionOf[1]);
    value = trans.getSrc();
  }
  found.load = value.getDefiningOp<dl::LoadOp>();
  if (!found.load || !dl::cubeLoads(found.load) || found.load.getWrapDim() ||
      (found.load.getOther() && isa<RankedTensorType>(found.load.getOther().getType())))
    return std::nullopt;
  bool outside = found.load->getBlock() != dot->getBlock();
  if (outside ? !found.transposes.empty() || !onlyLeftOperands(found.load) : !value.hasOneUse())
    return std::nullopt;
  return found;
}

bool Operand::mayCut(unsigned dimension) const {
  return getConstantIntValue(dl::LoadOp(load).getLo()[dimensionOf[dimension]]) == 0;
}

std::optional<Result> Result::of(tt::DotOp dot) {
  Result found;
  Value value = dot.getD();
  while (value.hasOneUse()) {
    Operation* user = *value.user_begin();
    if (user->getBlock() != dot->getBlock())
      return std::nullopt;
    found.store = dyn_cast<dl::StoreOp>(user);
    if (found.store)
      return dl::fixpipeStores(found.store) ? std::optional(found) : std::nullopt;
    if (!isa<arith::TruncFOp, tt::FpToFpOp>(user) && !isScaled(user, value))
      return std::nullopt;
    found.between.push_back(user);
    value = user->getResult(0);
  }
  return std::nullopt;
}

bool Result::mayCut(unsigned dimension) const {
  return getConstantIntValue(dl::StoreOp(store).getLo()[dimension]) == 0;
}

Sinking::Sinking(ArrayRef<Operand> operands, Operation* to) : to(to) {
  for (const Operand& operand : operands)
    if (dl::LoadOp load = operand.load; load->getBlock() == to->getBlock())
      follow(load);
}

void Sinking::moveFlagsBehind(Operation* last) const {
  for (Operation* set : flags) {
    set->moveAfter(last);
    last = set;
  }
}

void Sinking::follow(dl::LoadOp load) {
  for (Operation* op = load->getNextNode(); op && op != to && possible; op = op->getNextNode()) {
    auto store = dyn_cast<dl::StoreOp>(op);
    auto set = dyn_cast<npu::CrossSetOp>(op);
    auto wait = dyn_cast<npu::CrossWaitOp>(op);
    if (set && set.getUnit() == npu::Unit::MTE2)
      flags.insert(op);
    else if (store)
      possible &= store.getArg() && load.getArg() && store.getArg() != load.getArg();
    else if (wait) // never behind a flag that this one's writer may wait for
      possible &= wait.getUnit() != npu::Unit::MTE2 || flags.empty();
    else
      possible &= set || isMemoryEffectFree(op) || isa<dl::LoadOp, dl::LoadScalarOp>(op);
  }
}

} // namespace dlsim::codegen
