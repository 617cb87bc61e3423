#include "codegen/passes/access/Irregular.h"
#include "codegen/dialects/tt/TtDialect.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace dlsim::access {
Irregular::Irregular(Analysis& analysis, Materializer& materializer, Pointer access, Mask accessMask,
                     ArrayRef<int64_t> shape, bool repeats, bool allowRuns)
    : analysis(analysis), materializer(materializer), pointer(std::move(access)), mask(std::move(accessMask)),
      shape(shape), repeats(repeats) {
  for (unsigned d = 0; d < shape.size(); ++d)
    pointer.offset.unwrap(d);
  chooseWalk();
  if (allowRuns)
    chooseRuns();
}

bool Irregular::walkDim(unsigned dim) {
  if (isWalked(dim))
    return false;
  walked.push_back(dim);
  llvm::sort(walked);
  return true;
}

void Irregular::chooseWalk() {
  auto all = [&](const Atom& atom) {
    for (auto [from, to] : atom.lanes)
      walkDim(to);
  };
  for (const Atom& atom : pointer.offset.atoms)
    all(atom);
  if (pointer.start)
    all(*pointer.start);
  for (const Residual& residual : mask.residuals) {
    if (!residual.difference) {
      all(residual.bits);
      continue;
    }
    for (const Atom& atom : residual.difference->atoms)
      all(atom);
  }
  for (unsigned d = 0; repeats && d < shape.size(); ++d)
    if (shape[d] > 1 && pointer.offset.dims[d].coefficient.isZero())
      walkDim(d);
  // A comparison is a range along one dimension, the last, when the others are walked.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Residual& residual : mask.residuals) {
      if (!residual.difference)
        continue;
      SmallVector<unsigned> open;
      for (unsigned d = 0; d < shape.size(); ++d)
        if (!isWalked(d) && !residual.difference->dims[d].coefficient.isZero())
          open.push_back(d);
      if (open.empty())
        continue;
      bool range = residual.difference->dims[open.back()].coefficient.constant().has_value() &&
                   residual.predicate != CmpIPredicate::ne;
      if (range)
        open.pop_back();
      for (unsigned d : open)
        changed |= walkDim(d);
    }
  }
  if (walked.empty())
    walkDim(0); // a scalar in every respect
}

// Along the last walked dimension.
std::optional<int64_t> Irregular::slopeInRun(const Index& index) const {
  unsigned dim = unsigned(walked.back());
  auto slope = index.dims[dim].coefficient.constant();
  Pieces sum;
  for (const Atom& atom : index.atoms)
    if (!sum.add(piecesOf(analysis, atom, dim), atom.coefficient))
      return std::nullopt;
  return slope ? std::optional(*slope + sum.slope) : std::nullopt;
}

void Irregular::chooseRuns() {
  unsigned dim = unsigned(walked.back());
  auto collect = [&](const Atom& atom) {
    auto pieces = piecesOf(analysis, atom, dim);
    if (!pieces)
      return false;
    for (const Pieces::Step& step : pieces->steps)
      if (llvm::none_of(steps, [&](const Pieces::Step& one) { return sameStep(one, step); }))
        steps.push_back(step);
    return true;
  };
  if (pointer.start && pointer.start->variesIn(dim))
    return;
  if (repeats && shape[dim] > 1 && !pointer.offset.variesIn(dim))
    return;
  if (!llvm::all_of(pointer.offset.atoms, collect))
    return;
  for (const Residual& residual : mask.residuals) {
    if (!residual.difference) {
      if (residual.bits.variesIn(dim))
        return;
      continue;
    }
    if (!llvm::all_of(residual.difference->atoms, collect))
      return;
    auto slope = slopeInRun(*residual.difference);
    bool open = false;
    for (unsigned d = 0; d < shape.size(); ++d)
      open |= !isWalked(d) && !residual.difference->dims[d].coefficient.isZero();
    if (!slope || (*slope != 0 && (open || residual.predicate == CmpIPredicate::ne)))
      return;
  }
  // Runs of a few lanes are not worth their arithmetic.
  constexpr int64_t shortest = 8;
  for (const Pieces::Step& step : steps) {
    auto rhs = constantOf(analysis, step.op->getOperand(1));
    if (!rhs)
      continue;
    bool masks = isa<arith::AndIOp>(step.op), shifts = isa<arith::ShRSIOp, arith::ShRUIOp>(step.op);
    int64_t divisor = masks ? *rhs + 1 : shifts ? int64_t(1) << *rhs : *rhs;
    if (divisor < shortest * step.slope)
      return;
  }
  runs = true;
}

bool Irregular::isRepeated(unsigned dim) const {
  if (repeats || isWalked(dim) || shape[dim] == 1 || !pointer.offset.dims[dim].coefficient.isZero())
    return false;
  if (!mask.dims[dim].lo.empty() || !mask.dims[dim].hi.empty())
    return false;
  return llvm::none_of(mask.residuals, [&](const Residual& residual) {
    return residual.difference && residual.difference->variesIn(dim);
  });
}

SmallVector<Value> Irregular::strides(OpBuilder& b, Location loc) {
  SmallVector<Value> result;
  for (unsigned d = 0; d < shape.size(); ++d) {
    Polynomial stride = pointer.offset.dims[d].coefficient;
    if (runs && int64_t(d) == walked.back())
      for (const Atom& atom : pointer.offset.atoms)
        stride = stride + atom.coefficient * Polynomial(piecesOf(analysis, atom, d)->slope);
    result.push_back(materializer.emit(b, loc, stride));
  }
  return result;
}

Materializer::Bounds Irregular::bounds(OpBuilder& b, Location loc, ArrayRef<int64_t> shape) {
  return materializer.bounds(b, loc, mask, shape);
}

// Lanes to the next step of any quotient or remainder; one where its operand is negative.
Value Irregular::runLength(OpBuilder& b, Location loc, Scalarizer& scalars, ArrayRef<Value> lanes) {
  Value length;
  unsigned dim = unsigned(walked.back());
  if (!runs)
    return materializer.constant(b, loc, 1);
  for (const Pieces::Step& step : steps) {
    auto type = cast<RankedTensorType>(step.op->getResult(0).getType());
    SmallVector<Value> own(size_t(type.getRank()), materializer.constant(b, loc, 0));
    for (auto [from, to] : step.lanes)
      own[from] = lanes[to];
    Value x = scalars.element(b, loc, step.op->getOperand(0), own);
    Value rhs = scalars.element(b, loc, step.op->getOperand(1), own);
    Value y = scalars.element(b, loc, step.op->getResult(0), own);
    if (!x || !rhs || !y)
      return {};
    x = wide(b, loc, x);
    Value divisor = divisorOf(b, loc, step.op, wide(b, loc, rhs));
    // The kernel's own operation is there already: x mod divisor, or x / divisor.
    Value over = wide(b, loc, y);
    if (stepKind(analysis, step.op) == StepKind::Quotient)
      over = b.createOrFold<arith::SubIOp>(loc, x, b.createOrFold<arith::MulIOp>(loc, over, divisor));
    Value rest = b.createOrFold<arith::SubIOp>(loc, divisor, over);
    if (step.slope != 1) {
      Value slope = materializer.constant(b, loc, step.slope);
      rest = b.createOrFold<arith::AddIOp>(loc, rest, materializer.constant(b, loc, step.slope - 1));
      rest = b.createOrFold<arith::DivSIOp>(loc, rest, slope);
    }
    Value zero = materializer.constant(b, loc, 0), one = materializer.constant(b, loc, 1);
    Value negative = b.createOrFold<arith::CmpIOp>(loc, CmpIPredicate::slt, x, zero);
    rest = b.createOrFold<arith::SelectOp>(loc, negative, one, rest);
    length = length ? b.createOrFold<arith::MinSIOp>(loc, length, rest) : rest;
  }
  if (!length)
    length = materializer.constant(b, loc, shape[dim]);
  return length;
}

// Whether runs are alike: all quotients and remainders are of one operand that grows by 1 from lane to lane.
bool Irregular::repeatsRuns() const {
  if (!runs || steps.size() != 1 || steps.front().slope != 1 || !mask.residuals.empty())
    return false;
  return llvm::all_of(pointer.offset.atoms, [&](const Atom& atom) {
    if (!atom.variesIn(unsigned(walked.back())))
      return true;
    Operation* op = atom.tensor.getDefiningOp();
    auto operand = analysis.index(op->getOperand(0));
    return sameStep({op, atom.lanes, 1}, steps.front()) && operand->atoms.empty() &&
           llvm::none_of(operand->dims, [](const Dim& dim) { return dim.wrap.has_value(); });
  });
}

// Period of the runs, 0 where the operand is negative, and elements from one to the next.
std::pair<Value, Value> Irregular::repetition(OpBuilder& b, Location loc, Scalarizer& scalars,
                                              ArrayRef<Value> lanes) {
  const Pieces::Step& step = steps.front();
  unsigned dim = unsigned(walked.back());
  auto type = cast<RankedTensorType>(step.op->getResult(0).getType());
  SmallVector<Value> own(size_t(type.getRank()), materializer.constant(b, loc, 0));
  for (auto [from, to] : step.lanes)
    own[from] = lanes[to];
  Value x = wide(b, loc, scalars.element(b, loc, step.op->getOperand(0), own));
  Value divisor =
      divisorOf(b, loc, step.op, wide(b, loc, scalars.element(b, loc, step.op->getOperand(1), own)));
  Polynomial pitch;
  for (const Atom& atom : pointer.offset.atoms)
    if (atom.variesIn(dim) && stepKind(analysis, atom.tensor.getDefiningOp()) == StepKind::Quotient)
      pitch = pitch + atom.coefficient;
  Value straight = materializer.emit(b, loc, pointer.offset.dims[dim].coefficient);
  Value elements = b.createOrFold<arith::AddIOp>(loc, materializer.emit(b, loc, pitch),
                                                 b.createOrFold<arith::MulIOp>(loc, straight, divisor));
  Value zero = materializer.constant(b, loc, 0);
  Value negative = b.createOrFold<arith::CmpIOp>(loc, CmpIPredicate::slt, x, zero);
  return {b.createOrFold<arith::SelectOp>(loc, negative, zero, divisor), elements};
}

// coefficient * t + value < 0, for lane t of `dim` (of the run, in the last walked dimension).
void Irregular::restrict(OpBuilder& b, Location loc, Part& part, unsigned dim, Value value,
                         int64_t coefficient) {
  Value zero = materializer.constant(b, loc, 0);
  int64_t size = std::abs(coefficient);
  Value bound = coefficient > 0 ? b.createOrFold<arith::SubIOp>(loc, zero, value)
                                : b.createOrFold<arith::AddIOp>(loc, value, materializer.constant(b, loc, 1));
  bound = b.createOrFold<arith::MaxSIOp>(loc, bound, zero);
  if (size != 1) {
    bound = b.createOrFold<arith::AddIOp>(loc, bound, materializer.constant(b, loc, size - 1));
    bound = b.createOrFold<arith::DivUIOp>(loc, bound, materializer.constant(b, loc, size));
  }
  Value& old = coefficient > 0 ? part.hi[dim] : part.lo[dim];
  if (!old)
    old = bound;
  else
    old = coefficient > 0 ? b.createOrFold<arith::MinSIOp>(loc, old, bound)
                          : b.createOrFold<arith::MaxSIOp>(loc, old, bound);
}

bool Irregular::residual(OpBuilder& b, Location loc, Scalarizer& scalars, const Residual& residual,
                         ArrayRef<Value> lanes, Part& part) {
  auto require = [&](Value condition) {
    part.active = part.active ? b.createOrFold<arith::AndIOp>(loc, part.active, condition) : condition;
  };
  if (!residual.difference) {
    Value bit = scalars.atom(b, loc, residual.bits, lanes);
    if (bit)
      require(bit);
    return bool(bit);
  }
  Value value = scalars.index(b, loc, *residual.difference, lanes);
  if (!value)
    return false;
  unsigned last = unsigned(walked.back());
  std::optional<unsigned> open;
  int64_t coefficient = 0;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (!isWalked(d) && !residual.difference->dims[d].coefficient.isZero()) {
      open = d;
      coefficient = *residual.difference->dims[d].coefficient.constant();
    }
  if (auto slope = runs ? slopeInRun(*residual.difference) : std::nullopt; slope && *slope != 0) {
    open = last;
    coefficient = *slope;
  }
  if (!open) {
    require(b.createOrFold<arith::CmpIOp>(loc, residual.predicate, value, materializer.constant(b, loc, 0)));
    return true;
  }
  // sign * difference + constant < 0
  auto below = [&](int sign, int64_t constant) {
    Value v = sign < 0 ? b.createOrFold<arith::SubIOp>(loc, materializer.constant(b, loc, constant), value)
                       : b.createOrFold<arith::AddIOp>(loc, value, materializer.constant(b, loc, constant));
    restrict(b, loc, part, *open, v, sign * coefficient);
  };
  switch (residual.predicate) {
  case CmpIPredicate::slt:
    below(1, 0);
    return true;
  case CmpIPredicate::sle:
    below(1, -1);
    return true;
  case CmpIPredicate::sgt:
    below(-1, 0);
    return true;
  case CmpIPredicate::sge:
    below(-1, -1);
    return true;
  default: // eq
    below(1, -1);
    below(-1, -1);
    return true;
  }
}

std::optional<std::string> Irregular::body(Location loc, Region& region, const WrittenArrays* fromMemory) {
  OpBuilder b(region.getContext());
  SmallVector<Type> types(walked.size(), b.getI64Type());
  SmallVector<Location> places(walked.size(), loc);
  Block* block = b.createBlock(&region, region.end(), types, places);
  Scalarizer scalars(analysis, materializer, fromMemory);
  SmallVector<Value> lanes(shape.size());
  for (auto [argument, dim] : llvm::zip(block->getArguments(), walked))
    lanes[size_t(dim)] = argument;
  for (Value& lane : lanes)
    if (!lane)
      lane = materializer.constant(b, loc, 0);
  Value address = scalars.pointer(b, loc, pointer, lanes);
  Value length = address ? runLength(b, loc, scalars, lanes) : Value();
  Part part;
  part.lo.resize(shape.size());
  part.hi.resize(shape.size());
  bool ok = bool(length);
  for (const Residual& one : mask.residuals)
    ok = ok && residual(b, loc, scalars, one, lanes, part);
  if (!ok) {
    block->erase();
    return scalars.problem;
  }
  for (unsigned d = 0; d < shape.size(); ++d) {
    Value zero = materializer.constant(b, loc, 0);
    bool lastWalked = int64_t(d) == walked.back();
    Value size = lastWalked ? length : materializer.constant(b, loc, isWalked(d) ? 1 : shape[d]);
    if (!part.lo[d])
      part.lo[d] = zero;
    part.hi[d] = part.hi[d] ? b.createOrFold<arith::MinSIOp>(loc, part.hi[d], size) : size;
  }
  if (!part.active)
    part.active = b.create<arith::ConstantIntOp>(loc, 1, 1);
  Value period, pitch;
  if (repeatsRuns())
    std::tie(period, pitch) = repetition(b, loc, scalars, lanes);
  b.create<dl::RunOp>(loc, address, length, part.active, part.lo, part.hi, period, pitch);
  onlyScalars = !scalars.extracts;
  return std::nullopt;
}
} // namespace dlsim::access
