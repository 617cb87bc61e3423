#include "codegen/passes/access/Materialize.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dlsim::access {
namespace {
unsigned depthOf(Value value) {
  unsigned depth = 0;
  for (Operation* op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
    ++depth;
  return depth;
}
} // namespace

Value Materializer::constant(OpBuilder& b, Location loc, int64_t value) {
  return b.create<arith::ConstantIntOp>(loc, value, 64);
}

// Terms that change least come first, so that loop-invariant code motion can take partial sums out of loops.
Value Materializer::emit(OpBuilder& b, Location loc, const Polynomial& polynomial) {
  struct Term {
    unsigned depth = 0, order = 0;
    SmallVector<Value> factors;
    int64_t coefficient;
  };
  SmallVector<Term> terms;
  int64_t constantTerm = 0;
  for (auto& [monomial, coefficient] : polynomial.terms) {
    if (monomial.empty()) {
      constantTerm = coefficient;
      continue;
    }
    Term term;
    term.coefficient = coefficient;
    auto numbers = monomial;
    llvm::sort(numbers, [&](unsigned x, unsigned y) {
      return std::pair(depthOf(analysis.leaves.value(x)), x) <
             std::pair(depthOf(analysis.leaves.value(y)), y);
    });
    for (unsigned number : numbers)
      term.factors.push_back(analysis.leaves.value(number));
    for (Value factor : term.factors)
      term.depth = std::max(term.depth, depthOf(factor));
    term.order = terms.size();
    terms.push_back(std::move(term));
  }
  llvm::sort(terms, [](const Term& x, const Term& y) {
    return std::pair(x.depth, x.order) < std::pair(y.depth, y.order);
  });
  Value sum;
  for (const Term& term : terms) {
    Value product;
    for (Value factor : term.factors) {
      Value value = leaf(b, loc, factor);
      product = product ? b.createOrFold<arith::MulIOp>(loc, product, value) : value;
    }
    bool negative = sum && term.coefficient == -1;
    if (term.coefficient != 1 && !negative)
      product = b.createOrFold<arith::MulIOp>(loc, product, constant(b, loc, term.coefficient));
    if (negative)
      sum = b.createOrFold<arith::SubIOp>(loc, sum, product);
    else
      sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, product) : product;
  }
  if (!sum)
    return constant(b, loc, constantTerm);
  return constantTerm ? b.createOrFold<arith::AddIOp>(loc, sum, constant(b, loc, constantTerm)) : sum;
}

Value Materializer::leaf(OpBuilder& b, Location loc, Value value) {
  if (Value base = carried.lookup(value))
    return base;
  if (isa<RankedTensorType>(value.getType()))
    return uniformOperation(b, loc, value.getDefiningOp());
  Type i64 = b.getI64Type();
  if (value.getType() == i64)
    return value;
  if (value.getType().isIndex())
    return b.createOrFold<arith::IndexCastOp>(loc, i64, value);
  return b.createOrFold<arith::ExtSIOp>(loc, i64, value);
}

// The same operation on the operands' bases.
Value Materializer::uniformOperation(OpBuilder& b, Location loc, Operation* op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value x = emit(b, loc, *analysis.base(select.getTrueValue()));
    Value y = emit(b, loc, *analysis.base(select.getFalseValue()));
    return b.createOrFold<arith::SelectOp>(loc, select.getCondition(), x, y);
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(emit(b, loc, *analysis.base(operand)));
  OperationState state(loc, op->getName(), operands, {b.getI64Type()}, {});
  return b.create(state)->getResult(0);
}

Value Materializer::condition(OpBuilder& b, Location loc, const Mask& mask) {
  Value all;
  for (const Condition& condition : mask.conditions) {
    Value holds = condition.flag;
    if (!holds)
      holds = b.createOrFold<arith::CmpIOp>(loc, condition.predicate, emit(b, loc, condition.value),
                                            constant(b, loc, 0));
    all = all ? b.createOrFold<arith::AndIOp>(loc, all, holds) : holds;
  }
  return all;
}

// The strictest of several bounds, clamped to [0, size].
Value Materializer::combine(OpBuilder& b, Location loc, ArrayRef<Bound> bounds, int64_t size, bool upper) {
  Value zero = constant(b, loc, 0), limit = constant(b, loc, size), result;
  for (const Bound& bound : bounds) {
    Value value = emit(b, loc, bound.value);
    if (bound.divisor != 1) {
      value = b.createOrFold<arith::MaxSIOp>(loc, value, zero);
      value = b.createOrFold<arith::AddIOp>(loc, value, constant(b, loc, bound.divisor - 1));
      value = b.createOrFold<arith::DivUIOp>(loc, value, constant(b, loc, bound.divisor));
    }
    if (!result)
      result = value;
    else
      result = upper ? b.createOrFold<arith::MinSIOp>(loc, result, value)
                     : b.createOrFold<arith::MaxSIOp>(loc, result, value);
  }
  if (!result)
    return upper ? limit : zero;
  return b.createOrFold<arith::MaxSIOp>(loc, b.createOrFold<arith::MinSIOp>(loc, result, limit), zero);
}

Materializer::Bounds Materializer::bounds(OpBuilder& b, Location loc, const Mask& mask,
                                          ArrayRef<int64_t> shape) {
  Bounds result;
  for (auto [range, size] : llvm::zip(mask.dims, shape)) {
    Value lo = combine(b, loc, range.lo, size, false), hi = combine(b, loc, range.hi, size, true);
    if (!matchPattern(lo, m_Zero()) && !range.hi.empty())
      hi = b.createOrFold<arith::MaxSIOp>(loc, hi, lo);
    result.lo.push_back(lo);
    result.hi.push_back(hi);
  }
  if (Value all = condition(b, loc, mask); all && !result.hi.empty())
    result.hi[0] = b.createOrFold<arith::SelectOp>(loc, all, result.hi[0], result.lo[0]);
  return result;
}
} // namespace dlsim::access
