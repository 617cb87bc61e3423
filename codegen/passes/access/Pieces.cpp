#include "codegen/passes/access/Pieces.h"

using namespace mlir;

namespace dlsim::access {

Value divisorOf(OpBuilder& b, Location loc, Operation* op, Value rhs) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return rhs;
  Value one = b.create<arith::ConstantIntOp>(loc, 1, 64);
  if (isa<arith::AndIOp>(op))
    return b.createOrFold<arith::AddIOp>(loc, rhs, one);
  return b.createOrFold<arith::ShLIOp>(loc, one, rhs);
}

std::optional<int64_t> constantOf(Analysis& analysis, Value tensor) {
  auto index = analysis.index(tensor);
  return index && index->uniform() ? index->base.constant() : std::nullopt;
}

StepKind stepKind(Analysis& analysis, Operation* op) {
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return StepKind::Remainder;
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return StepKind::Quotient;
  if (!isa<arith::AndIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return StepKind::None;
  auto amount = constantOf(analysis, op->getOperand(1));
  if (!amount || *amount < 0)
    return StepKind::None;
  if (isa<arith::AndIOp>(op))
    return (*amount & (*amount + 1)) == 0 ? StepKind::Remainder : StepKind::None; // 2^k - 1
  return *amount < 31 ? StepKind::Quotient : StepKind::None;
}

bool sameStep(const Pieces::Step& a, const Pieces::Step& b) {
  auto divides = [](Operation* op) { return !isa<arith::AndIOp, arith::ShRSIOp, arith::ShRUIOp>(op); };
  return a.op == b.op ||
         (a.op->getOperands() == b.op->getOperands() && a.lanes == b.lanes && divides(a.op) && divides(b.op));
}

namespace {
// Atoms of an operand of `outer`'s tensor, with the lanes of the index that `outer` is part of.
Atom composed(const Atom& inner, const Atom& outer) {
  Atom result{inner.tensor, {}, inner.coefficient};
  for (auto [from, middle] : inner.lanes)
    for (auto [tensorDim, to] : outer.lanes)
      if (tensorDim == middle)
        result.lanes.push_back({from, to});
  return result;
}
} // namespace

bool Pieces::add(const std::optional<Pieces>& part, const Polynomial& coefficient) {
  auto factor = coefficient.constant();
  if (!part || (part->slope != 0 && !factor))
    return false;
  slope += part->slope ? part->slope * *factor : 0;
  steps.append(part->steps);
  return true;
}

std::optional<Pieces> piecesOf(Analysis& analysis, const Atom& atom, unsigned dim) {
  if (!atom.variesIn(dim))
    return Pieces();
  Operation* op = atom.tensor.getDefiningOp();
  StepKind kind = op ? stepKind(analysis, op) : StepKind::None;
  if (kind == StepKind::None)
    return std::nullopt;
  auto divisor = analysis.index(op->getOperand(1)), operand = analysis.index(op->getOperand(0));
  if (!divisor || !operand)
    return std::nullopt;
  Index index = *operand;
  Pieces pieces;
  for (unsigned d = 0; d < index.dims.size(); ++d)
    index.unwrap(d);
  for (auto [from, to] : atom.lanes) {
    if (to != dim)
      continue;
    auto slope = index.dims[from].coefficient.constant();
    if (!slope || divisor->variesIn(from))
      return std::nullopt;
    pieces.slope += *slope;
  }
  for (const Atom& part : index.atoms)
    if (!pieces.add(piecesOf(analysis, composed(part, atom), dim), part.coefficient))
      return std::nullopt;
  if (pieces.slope < 0)
    return std::nullopt;
  if (pieces.slope > 0)
    pieces.steps.push_back({op, atom.lanes, pieces.slope});
  if (kind == StepKind::Quotient) // level until its next step
    pieces.slope = 0;
  return pieces;
}

} // namespace dlsim::access
