#include "codegen/passes/access/Divisibility.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace dlsim::access {

int64_t Divisibility::of(Value value, int depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (depth > 32)
    return 1;
  if (auto arg = dyn_cast<BlockArgument>(value))
    return ofArgument(arg, depth);
  Operation* op = value.getDefiningOp();
  if (isa<arith::MulIOp>(op))
    return of(op->getOperand(0), depth + 1) * of(op->getOperand(1), depth + 1);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(of(op->getOperand(0), depth + 1), of(op->getOperand(1), depth + 1));
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
    return of(op->getOperand(0), depth + 1);
  return 1;
}

int64_t Divisibility::of(const Polynomial& polynomial, int depth) {
  int64_t result = 0;
  for (auto& [monomial, coefficient] : polynomial.terms) {
    int64_t term = std::abs(coefficient);
    for (unsigned leaf : monomial)
      term *= of(analysis.leaves.value(leaf), depth + 1);
    result = std::gcd(result, term);
  }
  return result;
}

int64_t Divisibility::ofArgument(BlockArgument arg, int depth) {
  Operation* parent = arg.getOwner()->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(parent)) {
    auto attr = function.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), "tt.divisibility");
    return attr ? attr.getInt() : 1;
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return 1;
  if (arg == loop.getInductionVar())
    return std::gcd(of(loop.getLowerBound(), depth + 1), of(loop.getStep(), depth + 1));
  // base of the start and of each step
  unsigned i = arg.getArgNumber() - 1;
  if (!analysis.carriesBase(loop, i) || !Analysis::followsThroughLoops(arg.getType()))
    return 1;
  Polynomial self = Polynomial::leaf(analysis.leaves.number(arg));
  return std::gcd(of(*analysis.base(loop.getInitArgs()[i]), depth + 1),
                  of(*analysis.base(loop.getYieldedValues()[i]) - self, depth + 1));
}

} // namespace dlsim::access
