#include "codegen/passes/sync/known_values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::codegen {

std::optional<int64_t> KnownValues::known(Value value) const {
  auto it = values.find(value);
  return it == values.end() ? std::nullopt : std::optional(it->second);
}

void KnownValues::set(Value value, std::optional<int64_t> known) {
  ++versions[value];
  if (known)
    values[value] = *known;
  else
    values.erase(value);
}

int64_t KnownValues::knownOr(Value value, int64_t otherwise) {
  auto exact = known(value);
  if (!exact)
    set(value, otherwise);
  return exact.value_or(otherwise);
}

void KnownValues::assume(Value condition, bool holds) {
  if (known(condition))
    return;
  set(condition, -int64_t(holds)); // an i1, sign-extended
  if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && holds) {
    assume(both.getLhs(), true);
    assume(both.getRhs(), true);
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare && holds && compare.getPredicate() == arith::CmpIPredicate::eq && known(compare.getRhs()))
    knownOr(compare.getLhs(), *known(compare.getRhs()));
}

void KnownValues::forget(ValueRange results) {
  for (Value result : results)
    set(result, std::nullopt);
}

void KnownValues::evaluate(Operation* op) {
  llvm::SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    auto value = known(operand);
    operands.push_back(value && operand.getType().isIntOrIndex() ? IntegerAttr::get(operand.getType(), *value)
                                                                 : IntegerAttr());
  }
  forget(op->getResults());
  llvm::SmallVector<OpFoldResult> folded;
  if (op->getNumResults() != 1 || op->getNumRegions() || !isMemoryEffectFree(op) ||
      mlir::failed(op->fold(operands, folded)) || folded.size() != 1)
    return;
  if (auto attribute = dyn_cast_if_present<IntegerAttr>(dyn_cast<Attribute>(folded.front())))
    values[op->getResult(0)] = attribute.getValue().getSExtValue();
  else if (auto value = dyn_cast<Value>(folded.front()))
    set(op->getResult(0), known(value));
}

} // namespace dlsim::codegen
