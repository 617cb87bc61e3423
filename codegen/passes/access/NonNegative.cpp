// Which scalars cannot be negative: program numbers, loop counters from 0, and what is computed from them. A
// lower bound that can never bite is not worth code, and a tile that starts at 0 is simpler to copy.
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/passes/access/Analysis.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dlsim::access {
bool Analysis::nonNegative(const Polynomial& polynomial, unsigned depth) {
  return llvm::all_of(polynomial.terms, [&](auto& term) {
    return term.second >= 0 && llvm::all_of(term.first, [&](unsigned leaf) {
             return nonNegative(leaves.value(leaf), depth + 1);
           });
  });
}

bool Analysis::nonNegative(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  if (depth > 16)
    return false;
  if (auto carried = carriedBy(value)) {
    auto [loop, i] = *carried;
    if (value.getType().isInteger()) {
      // By induction: it starts so, and stays so if it was so.
      auto [known, fresh] = assumedNonNegative.insert(loop.getRegionIterArg(i));
      if (!fresh)
        return true;
      bool holds =
          nonNegative(loop.getInitArgs()[i], depth + 1) && nonNegative(loop.getYieldedValues()[i], depth + 1);
      assumedNonNegative.erase(loop.getRegionIterArg(i));
      return holds;
    }
    if (!followsThroughLoops(value.getType()) || !carriesBase(loop, i))
      return false;
    // The base starts so and every turn adds to it.
    auto init = base(loop.getInitArgs()[i]), next = base(loop.getYieldedValues()[i]);
    Polynomial self = Polynomial::leaf(leaves.number(loop.getRegionIterArg(i)));
    return init && next && nonNegative(*init, depth + 1) && nonNegative(*next - self, depth + 1);
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    return loop && arg == loop.getInductionVar() && nonNegative(loop.getLowerBound(), depth + 1);
  }
  Operation* op = value.getDefiningOp();
  if (isa<RankedTensorType>(value.getType()))
    return false;
  if (isa<dl::CoreIdOp, dl::CoreCountOp, dl::GridSizeOp, arith::ExtUIOp>(op))
    return true;
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::MinSIOp, arith::AndIOp>(op))
    return nonNegative(op->getOperand(0), depth + 1) && nonNegative(op->getOperand(1), depth + 1);
  if (isa<arith::MaxSIOp>(op))
    return nonNegative(op->getOperand(0), depth + 1) || nonNegative(op->getOperand(1), depth + 1);
  // A remainder has the sign of its first operand; program numbers fit 32 bits.
  if (isa<arith::RemSIOp, arith::RemUIOp, arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op))
    return nonNegative(op->getOperand(0), depth + 1);
  if (isa<arith::SelectOp>(op))
    return nonNegative(op->getOperand(1), depth + 1) && nonNegative(op->getOperand(2), depth + 1);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    return nonNegative(branch.thenYield().getOperand(i), depth + 1) &&
           nonNegative(branch.elseYield().getOperand(i), depth + 1);
  }
  return false;
}
} // namespace dlsim::access
