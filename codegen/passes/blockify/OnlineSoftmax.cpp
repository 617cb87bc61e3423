#include "codegen/passes/blockify/OnlineSoftmax.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/blockify/KOffset.h"
#include "codegen/support/Combine.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dlsim::blockify {
namespace {

bool movesElements(Operation* op) {
  return isa_and_nonnull<tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp, tt::TransOp, tt::SplatOp>(op);
}

bool castsFloats(Operation* op) { return isa_and_nonnull<arith::TruncFOp, arith::ExtFOp, tt::FpToFpOp>(op); }

// What a row's value was before it was repeated along the row.
Value beforeBroadcast(Value value) {
  while (isa_and_nonnull<tt::ExpandDimsOp, tt::BroadcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

template <typename... Combine> bool reducesBy(Operation* op) {
  auto reduce = dyn_cast_or_null<tt::ReduceOp>(op);
  return reduce && isa_and_nonnull<Combine...>(codegen::combineOf(reduce));
}

// exp(a - b) or 2^(a - b), which is told by the operation's name; no name if it is none.
struct Power {
  StringRef exp;
  Value a, b;
};
Power powerOf(Value value) {
  Operation* op = value.getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(op))
    return {};
  auto difference = op->getOperand(0).getDefiningOp<arith::SubFOp>();
  return difference ? Power{op->getName().getStringRef(), difference.getLhs(), difference.getRhs()} : Power{};
}

bool isFiniteConstant(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number && number.getValue().isFinite();
}

bool isFinite(Value value) {
  if (isFiniteConstant(value))
    return true;
  Operation* op = value.getDefiningOp();
  if (!op) // a kernel's argument; if that is no number, neither is any score
    return isa<FunctionOpInterface>(value.getParentBlock()->getParentOp());
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return isFinite(dot.getC());
  bool keeps = isa<arith::MulFOp, arith::AddFOp, arith::SubFOp, arith::NegFOp>(op) || movesElements(op) ||
               castsFloats(op) || reducesBy<arith::MaxNumFOp, arith::MaximumFOp>(op);
  return keeps && llvm::all_of(op->getOperands(), isFinite);
}

} // namespace

OnlineSoftmax::OnlineSoftmax(scf::ForOp loop) : loop(loop) {
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (!invariantIncrement(loop, i))
      changing.insert(loop.getRegionIterArg(i));
  for (Operation& op : loop.getBody()->getOperations()) {
    llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), used);
    if (llvm::any_of(used, [&](Value v) { return changing.contains(v); }))
      changing.insert(op.result_begin(), op.result_end());
  }
  for (unsigned i = 0; i < loop.getNumRegionIterArgs() && !largest; ++i)
    if (isLargest(i))
      largest = i;
}

bool OnlineSoftmax::carries(unsigned index) { return largest && (index == *largest || isSum(index)); }

bool OnlineSoftmax::isLargest(unsigned index) {
  Value arg = loop.getRegionIterArg(index), next = loop.getYieldedValues()[index];
  Operation* max = next.getDefiningOp();
  if (!isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(max) || max->getParentOp() != loop)
    return false;
  Value a = max->getOperand(0), b = max->getOperand(1);
  Value scores = a == arg ? b : b == arg ? a : Value();
  return scores && isFixed(scores) && isFinite(scores) && llvm::all_of(arg.getUsers(), [&](Operation* user) {
           auto difference = dyn_cast<arith::SubFOp>(user);
           return user == max || (difference && difference.getLhs() == arg && difference.getRhs() == next);
         });
}

bool OnlineSoftmax::isSum(unsigned index) {
  Value arg = loop.getRegionIterArg(index), next = loop.getYieldedValues()[index];
  auto shrunk = arg.hasOneUse() ? dyn_cast<arith::MulFOp>(*arg.user_begin()) : nullptr;
  if (!shrunk || !shrunk->hasOneUse())
    return false;
  Power shrink = powerOf(beforeBroadcast(shrunk.getLhs() == arg ? shrunk.getRhs() : shrunk.getLhs()));
  if (shrink.exp.empty() || shrink.a != loop.getRegionIterArg(*largest) ||
      shrink.b != loop.getYieldedValues()[*largest])
    return false;
  if (auto dot = next.getDefiningOp<tt::DotOp>())
    return dot.getC() == shrunk && weighs(dot.getA(), dot.getB(), shrink.exp);
  auto add = next.getDefiningOp<arith::AddFOp>();
  if (!add || (add.getLhs() != shrunk && add.getRhs() != shrunk))
    return false;
  return areWeights(add.getLhs() == shrunk ? add.getRhs() : add.getLhs(), shrink.exp);
}

bool OnlineSoftmax::areWeights(Value value, StringRef exp) {
  Operation* op = value.getDefiningOp();
  if (Power power = powerOf(value); !power.exp.empty())
    return power.exp == exp && isFixed(power.a) &&
           beforeBroadcast(power.b) == loop.getYieldedValues()[*largest];
  if (movesElements(op) || castsFloats(op) || reducesBy<arith::AddFOp>(op))
    return areWeights(op->getOperand(0), exp);
  if (isa_and_nonnull<arith::MulFOp>(op))
    return weighs(op->getOperand(0), op->getOperand(1), exp);
  auto dot = dyn_cast_or_null<tt::DotOp>(op);
  return dot && matchPattern(dot.getC(), m_AnyZeroFloat()) && weighs(dot.getA(), dot.getB(), exp);
}

bool OnlineSoftmax::weighs(Value a, Value b, StringRef exp) {
  return (areWeights(a, exp) && isFixed(b)) || (isFixed(a) && areWeights(b, exp));
}

} // namespace dlsim::blockify
