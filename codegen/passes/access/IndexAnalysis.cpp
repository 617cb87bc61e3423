#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Analysis.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::access {
namespace {
std::string at(Operation* op) {
  return " (" + op->getName().getStringRef().str() + " at " + sourceLine(op->getLoc()) + ")";
}

int64_t rankOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getRank() : 0;
}

// Dimensions of an operand of expand_dims, broadcast or trans as those of its result.
template <typename T> SmallVector<T, 2> reshapeDims(Operation* op, ArrayRef<T> dims) {
  SmallVector<T, 2> result(dims);
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
    result.insert(result.begin() + expand.getAxis(), T());
  if (auto trans = dyn_cast<tt::TransOp>(op))
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      result[to] = dims[from];
  return result;
}
} // namespace

std::optional<std::pair<scf::ForOp, unsigned>> carriedBy(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg.getArgNumber() == 0)
      return std::nullopt;
    return std::pair(loop, arg.getArgNumber() - 1);
  }
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return std::pair(loop, cast<OpResult>(value).getResultNumber());
  return std::nullopt;
}

bool Analysis::followsThroughLoops(Type type) {
  if (isa<tt::PointerType>(type))
    return !isa<RankedTensorType>(cast<tt::PointerType>(type).getPointee());
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (isa<tt::PointerType>(tensor.getElementType()) ||
                    (tensor.getElementType().isInteger() && !tensor.getElementType().isInteger(1)));
}

Analysis::Analysis(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // Start by believing that all are kept; a refuted belief may refute others.
  for (bool changed = true; changed;) {
    changed = false;
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (!broken.count({loop, i}) && !keepsStrides(loop, i)) {
          broken.insert({loop, i});
          changed = true;
        }
    if (changed) {
      indices.clear();
      pointers.clear();
      masks.clear();
    }
  }
}

bool Analysis::keepsStrides(scf::ForOp loop, unsigned i) {
  Value init = loop.getInitArgs()[i], next = loop.getYieldedValues()[i];
  if (!followsThroughLoops(init.getType()))
    return false;
  if (isa<tt::PointerType>(getElementTypeOrSelf(init.getType()))) {
    auto a = pointer(init), b = pointer(next);
    return a && b && a->root == b->root && a->offset.dims == b->offset.dims;
  }
  auto a = index(init), b = index(next);
  return a && b && a->dims == b->dims;
}

Result<Index> Analysis::index(Value value) {
  auto known = indices.find(value);
  if (known == indices.end())
    known = indices.insert({value, computeIndex(value)}).first;
  return known->second;
}

Result<Pointer> Analysis::pointer(Value value) {
  auto known = pointers.find(value);
  if (known == pointers.end())
    known = pointers.insert({value, computePointer(value)}).first;
  return known->second;
}

Result<Polynomial> Analysis::base(Value value) {
  if (isa<tt::PointerType>(getElementTypeOrSelf(value.getType()))) {
    auto result = pointer(value);
    return result ? Result<Polynomial>(result->offset.base) : Result<Polynomial>::fail(result.why);
  }
  auto result = index(value);
  return result ? Result<Polynomial>(result->base) : Result<Polynomial>::fail(result.why);
}

Result<Index> Analysis::carriedIndex(Value value, scf::ForOp loop, unsigned i) {
  if (broken.count({loop, i}))
    return Result<Index>::fail("index carried by a loop changes its form between iterations" + at(loop));
  auto init = index(loop.getInitArgs()[i]);
  if (!init)
    return init;
  return Index{leaf(value), init->dims};
}

Result<Pointer> Analysis::carriedPointer(Value value, scf::ForOp loop, unsigned i) {
  bool scalar = isa<tt::PointerType>(value.getType());
  if (broken.count({loop, i})) {
    if (scalar)
      return Pointer{value, Index()};
    return Result<Pointer>::fail(
        "pointer carried by a loop changes its strides or its array between iterations" + at(loop));
  }
  auto init = pointer(loop.getInitArgs()[i]);
  if (!init)
    return init;
  return Pointer{init->root, Index{leaf(value), init->offset.dims}};
}

Result<Index> Analysis::computeIndex(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Index{Polynomial(constant.getSExtValue()), SmallVector<Dim, 2>(rankOf(value))};
  Operation* op = value.getDefiningOp();
  if (rankOf(value) == 0 && !isa<RankedTensorType>(value.getType())) {
    if (isa_and_nonnull<arith::ExtSIOp, arith::IndexCastOp>(op))
      return index(op->getOperand(0));
    return Index{leaf(value), {}};
  }
  if (auto carried = carriedBy(value))
    return carriedIndex(value, carried->first, carried->second);
  if (!op)
    return Result<Index>::fail("index comes from a block argument");
  return llvm::TypeSwitch<Operation*, Result<Index>>(op)
      .Case([&](tt::MakeRangeOp range) {
        bool single = range.getEnd() - range.getStart() == 1;
        return Index{Polynomial(range.getStart()), {Dim{Polynomial(single ? 0 : 1), std::nullopt}}};
      })
      .Case([&](tt::SplatOp splat) {
        return Index{index(splat.getSrc())->base, SmallVector<Dim, 2>(rankOf(value))};
      })
      .Case<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp>([&](Operation* shape) -> Result<Index> {
        auto source = index(shape->getOperand(0));
        if (!source)
          return source;
        return Index{source->base, reshapeDims<Dim>(shape, source->dims)};
      })
      .Case([&](tt::ReshapeOp reshape) -> Result<Index> {
        auto source = index(reshape.getSrc());
        if (source && source->uniform())
          return Index{source->base, SmallVector<Dim, 2>(rankOf(value))};
        return source ? Result<Index>::fail("index is reshaped" + at(op)) : source;
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](Operation* cast) { return index(cast->getOperand(0)); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
            arith::RemUIOp, arith::MinSIOp, arith::MaxSIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
            arith::ShLIOp, arith::ShRSIOp>([&](Operation* arithmetic) { return binary(arithmetic); })
      .Case([&](arith::SelectOp select) -> Result<Index> {
        auto a = index(select.getTrueValue()), b = index(select.getFalseValue());
        if (!a || !b)
          return a ? b : a;
        if (isa<RankedTensorType>(select.getCondition().getType()) || !(a->dims == b->dims))
          return Result<Index>::fail("index is selected element by element" + at(op));
        return Index{leaf(value), a->dims};
      })
      .Case([&](tt::LoadOp) { return Result<Index>::fail("index is loaded from memory (gather)" + at(op)); })
      .Default(
          [&](Operation*) { return Result<Index>::fail("index is not base + range * stride" + at(op)); });
}

Result<Index> Analysis::remainder(Operation* op, const Index& lhs, const Index& rhs) {
  if (!rhs.uniform())
    return Result<Index>::fail("remainder by a range" + at(op));
  Index result{Polynomial(), lhs.dims};
  unsigned ranges = 0;
  for (Dim& dim : result.dims) {
    if (dim.coefficient.isZero())
      continue;
    ++ranges;
    if (dim.wrap || !(dim.coefficient == Polynomial(1)))
      return Result<Index>::fail("remainder of a range with a stride" + at(op));
    dim.wrap = Wrap{lhs.base, rhs.base};
  }
  if (ranges > 1)
    return Result<Index>::fail("remainder of an index over several dimensions" + at(op));
  return result;
}

Result<Index> Analysis::binary(Operation* op) {
  auto a = index(op->getOperand(0)), b = index(op->getOperand(1));
  if (!a || !b)
    return a ? b : a;
  Value value = op->getResult(0);
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    bool minus = isa<arith::SubIOp>(op);
    Index result{minus ? a->base - b->base : a->base + b->base, a->dims};
    for (auto [dim, other] : llvm::zip(result.dims, b->dims)) {
      if (other.coefficient.isZero())
        continue;
      Polynomial change = minus ? other.coefficient * Polynomial(-1) : other.coefficient;
      if (!(dim.wrap == other.wrap) && !dim.coefficient.isZero())
        return Result<Index>::fail("two different ranges with remainder in one dimension" + at(op));
      dim.wrap = other.wrap;
      dim.coefficient = dim.coefficient + change;
      if (dim.coefficient.isZero())
        dim.wrap.reset();
    }
    return result;
  }
  auto shift = isa<arith::ShLIOp>(op) && b->uniform() ? b->base.constant() : std::nullopt;
  if (isa<arith::MulIOp>(op) || (shift && *shift >= 0 && *shift < 63)) {
    if (!a->uniform() && !b->uniform())
      return Result<Index>::fail("product of two ranges" + at(op));
    Index result = a->uniform() && isa<arith::MulIOp>(op) ? *b : *a;
    Polynomial factor = shift ? Polynomial(int64_t(1) << *shift) : a->uniform() ? a->base : b->base;
    result.base = result.base * factor;
    for (Dim& dim : result.dims)
      dim.coefficient = dim.coefficient * factor;
    return result;
  }
  if (a->uniform() && b->uniform())
    return Index{leaf(value), a->dims}; // one scalar operation, built when it is needed
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return remainder(op, *a, *b);
  return Result<Index>::fail("index is not base + range * stride" + at(op));
}

Result<Pointer> Analysis::computePointer(Value value) {
  if (auto carried = carriedBy(value))
    return carriedPointer(value, carried->first, carried->second);
  Operation* op = value.getDefiningOp();
  bool scalar = isa<tt::PointerType>(value.getType());
  if (!op)
    return Pointer{value, Index()};
  return llvm::TypeSwitch<Operation*, Result<Pointer>>(op)
      .Case([&](tt::SplatOp splat) -> Result<Pointer> {
        auto source = pointer(splat.getSrc());
        return Pointer{source->root, Index{source->offset.base, SmallVector<Dim, 2>(rankOf(value))}};
      })
      .Case([&](tt::AddPtrOp add) -> Result<Pointer> {
        auto source = pointer(add.getPtr());
        auto offset = index(add.getOffset());
        if (!source || !offset)
          return source ? Result<Pointer>::fail(offset.why) : source;
        Index sum = source->offset;
        sum.base = sum.base + offset->base;
        for (auto [dim, other] : llvm::zip(sum.dims, offset->dims)) {
          if (other.coefficient.isZero())
            continue;
          if (!(dim.wrap == other.wrap) && !dim.coefficient.isZero())
            return Result<Pointer>::fail("two different ranges with remainder in one dimension" + at(op));
          dim.wrap = other.wrap;
          dim.coefficient = dim.coefficient + other.coefficient;
        }
        return Pointer{source->root, sum};
      })
      .Case<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp>([&](Operation* shape) -> Result<Pointer> {
        auto source = pointer(shape->getOperand(0));
        if (!source)
          return source;
        return Pointer{source->root,
                       Index{source->offset.base, reshapeDims<Dim>(shape, source->offset.dims)}};
      })
      .Default([&](Operation*) -> Result<Pointer> {
        if (scalar)
          return Pointer{value, Index()};
        return Result<Pointer>::fail("pointers are not base + range * stride" + at(op));
      });
}
} // namespace dlsim::access
