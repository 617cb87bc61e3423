#include "codegen/passes/panels/Steps.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using dlsim::access::Polynomial;

namespace dlsim::codegen {

Polynomial Steps::polynomial(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Polynomial result = compute(value);
  known[value] = result;
  return result;
}

Polynomial Steps::compute(Value value) {
  Operation* op = value.getDefiningOp();
  if (!op)
    return leaf(value);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Polynomial(constant.getSExtValue());
  auto operand = [&](unsigned i) { return polynomial(op->getOperand(i)); };
  if (isa<arith::AddIOp>(op))
    return operand(0) + operand(1);
  if (isa<arith::SubIOp>(op))
    return operand(0) - operand(1);
  if (isa<arith::MulIOp>(op))
    return operand(0) * operand(1);
  if (isa<arith::ExtSIOp, arith::IndexCastOp, tt::PtrToIntOp, tt::IntToPtrOp>(op))
    return operand(0);
  if (isa<arith::TruncIOp>(op) && value.getType().getIntOrFloatBitWidth() >= 32)
    return operand(0);
  if (auto pointer = dyn_cast<tt::AddPtrOp>(op)) {
    auto pointee = dyn_cast<tt::PointerType>(pointer.getType());
    if (pointee && pointee.getPointee().isIntOrFloat())
      return operand(0) +
             operand(1) * Polynomial(std::max<int64_t>(pointee.getPointee().getIntOrFloatBitWidth() / 8, 1));
  }
  return leaf(value);
}

bool Steps::isInvariant(Value value) {
  std::optional<Polynomial> change = step(value);
  return change && change->isZero();
}

// Each term must hold at most one factor that changes: then its step is that factor's, times the others.
std::optional<Polynomial> Steps::step(Value value) {
  Polynomial result;
  for (auto& [monomial, coefficient] : polynomial(value).terms) {
    Polynomial term(coefficient);
    std::optional<Polynomial> change;
    for (unsigned number : monomial) {
      std::optional<Polynomial> factor = stepOfLeaf(leaves.value(number));
      if (!factor || (change && !factor->isZero()))
        return std::nullopt;
      if (factor->isZero())
        term = term * Polynomial::leaf(number);
      else
        change = factor;
    }
    if (change)
      result = result + term * *change;
  }
  return result;
}

std::optional<Polynomial> Steps::stepOfLeaf(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return Polynomial();
  if (auto it = leafSteps.find(value); it != leafSteps.end())
    return it->second;
  leafSteps[value] = std::nullopt; // a value that depends on itself has no step
  std::optional<Polynomial> result;
  if (value == counter) {
    if (loop.isDefinedOutsideOfLoop(loop.getStep()))
      result = polynomial(loop.getStep());
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument == loop.getInductionVar())
      result = std::nullopt;
    else if (argument.getOwner() == loop.getBody())
      result = stepOfCarried(argument);
    else if (isa<dl::GatherOp>(argument.getOwner()->getParentOp())) // a lane of its walk
      result = Polynomial();
  } else if (Operation* op = value.getDefiningOp(); isMemoryEffectFree(op) && op->getNumRegions() == 0) {
    if (llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand); }))
      result = Polynomial();
  }
  leafSteps[value] = result;
  return result;
}

std::optional<Polynomial> Steps::stepOfCarried(BlockArgument argument) {
  Value next = loop.getTiedLoopYieldedValue(argument)->get();
  Polynomial change = polynomial(next) - leaf(argument);
  for (auto& [monomial, coefficient] : change.terms)
    for (unsigned number : monomial) {
      std::optional<Polynomial> factor = stepOfLeaf(leaves.value(number));
      if (!factor || !factor->isZero())
        return std::nullopt;
    }
  return change;
}

} // namespace dlsim::codegen
