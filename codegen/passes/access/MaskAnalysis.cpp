#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Analysis.h"
#include "codegen/passes/access/Signs.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace dlsim::access {
namespace {
std::string at(Operation* op) {
  return " (" + op->getName().getStringRef().str() + " at " + sourceLine(op->getLoc()) + ")";
}

Mask emptyMask(int64_t rank) { return Mask{SmallVector<Range, 2>(rank), {}}; }

// Both masks hold.
Mask both(Mask a, const Mask& b) {
  for (auto [range, other] : llvm::zip(a.dims, b.dims)) {
    range.lo.append(other.lo.begin(), other.lo.end());
    range.hi.append(other.hi.begin(), other.hi.end());
  }
  a.conditions.append(b.conditions.begin(), b.conditions.end());
  a.residuals.append(b.residuals.begin(), b.residuals.end());
  return a;
}

// coefficient * i + base < 0 as a bound on i.
void addBelowZero(Range& range, int64_t coefficient, const Polynomial& base) {
  if (coefficient > 0)
    range.hi.push_back({base * Polynomial(-1), coefficient});
  else
    range.lo.push_back({base + Polynomial(1), -coefficient});
}

// What has to be negative for `difference predicate 0` to hold, as (sign, constant): sign * difference +
// constant < 0.
SmallVector<std::pair<int, int>, 2> belowZero(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return {{1, 0}};
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return {{1, -1}};
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return {{-1, 0}};
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    return {{-1, -1}};
  case CmpIPredicate::eq:
    return {{1, -1}, {-1, -1}};
  default:
    return {};
  }
}

void reshapeResiduals(Operation* op, Mask& mask) {
  for (Residual& residual : mask.residuals)
    if (residual.difference)
      residual.difference = reshaped(op, *residual.difference);
    else
      residual.bits = reshaped(op, residual.bits);
}

bool isUnsigned(CmpIPredicate p) {
  return p == CmpIPredicate::ult || p == CmpIPredicate::ule || p == CmpIPredicate::ugt ||
         p == CmpIPredicate::uge;
}
} // namespace

Result<Mask> Analysis::mask(Value value) {
  auto known = masks.find(value);
  if (known == masks.end())
    known = masks.insert({value, computeMask(value)}).first;
  return known->second;
}

Mask Analysis::opaqueMask(Value tensor, std::string why) {
  Mask result = emptyMask(cast<RankedTensorType>(tensor.getType()).getRank());
  result.residuals.push_back({CmpIPredicate::eq, std::nullopt, atom(tensor, why), why});
  return result;
}

// A condition that all lanes share.
static void addUniform(Mask& mask, CmpIPredicate predicate, const Index& a, const Index& b) {
  if (isUnsigned(predicate)) { // the smaller side must not be negative either
    bool less = predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule;
    mask.conditions.push_back({Value(), CmpIPredicate::sge, less ? a.base : b.base});
    predicate = predicate == CmpIPredicate::ult   ? CmpIPredicate::slt
                : predicate == CmpIPredicate::ule ? CmpIPredicate::sle
                : predicate == CmpIPredicate::ugt ? CmpIPredicate::sgt
                                                  : CmpIPredicate::sge;
  }
  mask.conditions.push_back({Value(), predicate, a.base - b.base});
}

bool Analysis::nonNegative(const Polynomial& sum) {
  return llvm::all_of(sum.terms, [&](const auto& term) {
    return term.second >= 0 &&
           llvm::all_of(term.first, [&](unsigned n) { return Signs().nonNegative(leaves.value(n)); });
  });
}

Result<Mask> Analysis::compare(arith::CmpIOp op) {
  auto a = index(op.getLhs()), b = index(op.getRhs());
  if (!a || !b)
    return Result<Mask>::fail(a ? b.why : a.why);
  CmpIPredicate predicate = op.getPredicate();
  Mask result = emptyMask(a->dims.size());
  Index minus{b->base * Polynomial(-1), b->dims, b->atoms};
  for (Dim& dim : minus.dims)
    dim.coefficient = dim.coefficient * Polynomial(-1);
  for (Atom& atom : minus.atoms)
    atom.coefficient = atom.coefficient * Polynomial(-1);
  Index difference = sum(*a, minus);
  auto residual = [&](std::string why) -> Result<Mask> {
    if (isUnsigned(predicate))
      return opaqueMask(op.getResult(), why);
    for (unsigned d = 0; d < difference.dims.size(); ++d)
      difference.unwrap(d);
    result.residuals.push_back({predicate, difference, {}, why});
    return result;
  };
  if (!difference.atoms.empty())
    return residual(difference.atoms.front().why);
  std::optional<size_t> varying;
  for (auto [d, dim] : llvm::enumerate(difference.dims)) {
    if (dim.coefficient.isZero())
      continue;
    if (varying)
      return residual("comparison of indices of two dimensions: not a rectangle" + at(op));
    varying = d;
  }
  if (!varying) {
    // Numbers of data may be negative where they are meant to have no sign.
    bool less = predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule;
    if (isUnsigned(predicate) && !nonNegative((less ? b : a)->base))
      return residual("comparison without sign" + at(op));
    addUniform(result, predicate, *a, *b);
    return result;
  }
  const Dim& dim = difference.dims[*varying];
  auto coefficient = dim.coefficient.constant();
  if (dim.wrap) {
    // (x mod m) < m holds for every lane.
    bool below = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::ult;
    if (below && coefficient == 1 && difference.base == dim.wrap->modulus * Polynomial(-1))
      return result;
    return residual("comparison of a range with remainder" + at(op));
  }
  auto tests = belowZero(predicate);
  if (!coefficient || tests.empty())
    return residual((tests.empty() ? "comparison for inequality: not a rectangle"
                                   : "comparison of a range with a stride known only at run time") +
                    at(op));
  Range& range = result.dims[*varying];
  for (auto [sign, constant] : tests)
    addBelowZero(range, sign * *coefficient, difference.base * Polynomial(sign) + Polynomial(constant));
  if (isUnsigned(predicate)) {
    bool less = predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule;
    const Index& small = less ? *a : *b;
    if (auto c = small.dims[*varying].coefficient.constant(); c && *c != 0) // small >= 0
      addBelowZero(range, -*c, small.base * Polynomial(-1) - Polynomial(1));
  }
  return result;
}

Result<Mask> Analysis::computeMask(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  int64_t rank = tensor ? tensor.getRank() : 0;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    Mask result = emptyMask(rank);
    if (constant.isZero())
      result.conditions.push_back({Value(), CmpIPredicate::ne, Polynomial()});
    return result;
  }
  if (!tensor) {
    Mask result = emptyMask(0);
    result.conditions.push_back({value, CmpIPredicate::ne, Polynomial()});
    return result;
  }
  Operation* op = value.getDefiningOp();
  if (!op)
    return opaqueMask(value, "mask is carried by a loop");
  return llvm::TypeSwitch<Operation*, Result<Mask>>(op)
      .Case([&](tt::SplatOp splat) {
        Mask result = emptyMask(rank);
        result.conditions = mask(splat.getSrc())->conditions;
        return result;
      })
      .Case([&](tt::ExpandDimsOp expand) -> Result<Mask> {
        auto source = mask(expand.getSrc());
        if (!source)
          return source;
        Mask result = *source;
        result.dims.insert(result.dims.begin() + expand.getAxis(), Range());
        reshapeResiduals(expand, result);
        return result;
      })
      .Case([&](tt::BroadcastOp broadcast) { return mask(broadcast.getSrc()); })
      .Case([&](tt::TransOp trans) -> Result<Mask> {
        auto source = mask(trans.getSrc());
        if (!source)
          return source;
        Mask result = *source;
        for (auto [to, from] : llvm::enumerate(trans.getOrder()))
          result.dims[to] = source->dims[from];
        reshapeResiduals(trans, result);
        return result;
      })
      .Case([&](arith::AndIOp conjunction) -> Result<Mask> {
        auto a = mask(conjunction.getLhs()), b = mask(conjunction.getRhs());
        if (!a || !b)
          return a ? b : a;
        return both(*a, *b);
      })
      .Case([&](arith::CmpIOp comparison) { return compare(comparison); })
      .Default([&](Operation*) { return opaqueMask(value, "mask is not a rectangle" + at(op)); });
}
} // namespace dlsim::access
