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

} // namespace

void Index::unwrap(unsigned d) {
  Dim& dim = dims[d];
  if (!dim.wrap)
    return;
  Atom part{dim.wrap->tensor, {{dim.wrap->tensorDim, d}}, dim.coefficient, "index with remainder"};
  dim = Dim();
  *this = sum(*this, Index{Polynomial(), SmallVector<Dim, 2>(dims.size()), {part}});
}

Index sum(const Index& a, const Index& b) {
  Index result = a, other = b;
  for (unsigned d = 0; d < result.dims.size(); ++d) {
    if (!(result.dims[d].wrap == other.dims[d].wrap) && !result.dims[d].coefficient.isZero() &&
        !other.dims[d].coefficient.isZero()) {
      result.unwrap(d);
      other.unwrap(d);
    }
    Dim &to = result.dims[d], &from = other.dims[d];
    if (from.coefficient.isZero())
      continue;
    to.wrap = from.wrap;
    to.coefficient = to.coefficient + from.coefficient;
    if (to.coefficient.isZero())
      to.wrap.reset();
  }
  result.base = result.base + other.base;
  for (const Atom& atom : other.atoms) {
    auto same = llvm::find_if(result.atoms, [&](const Atom& one) { return one.sameTensor(atom); });
    if (same == result.atoms.end()) {
      result.atoms.push_back(atom);
      continue;
    }
    same->coefficient = same->coefficient + atom.coefficient;
    if (same->coefficient.isZero())
      result.atoms.erase(same);
  }
  return result;
}

Atom reshaped(Operation* op, const Atom& atom) {
  Atom result = atom;
  for (auto& [from, to] : result.lanes) {
    if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
      to += to >= expand.getAxis();
    if (auto trans = dyn_cast<tt::TransOp>(op))
      to = unsigned(llvm::find(trans.getOrder(), int32_t(to)) - trans.getOrder().begin());
  }
  return result;
}

Index reshaped(Operation* op, const Index& index) {
  Index result{index.base, index.dims};
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
    result.dims.insert(result.dims.begin() + expand.getAxis(), Dim());
  if (auto trans = dyn_cast<tt::TransOp>(op))
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      result.dims[to] = index.dims[from];
  for (const Atom& atom : index.atoms)
    result.atoms.push_back(reshaped(op, atom));
  return result;
}

static Index scaled(Index index, const Polynomial& factor) {
  if (factor.isZero())
    return Index{Polynomial(), SmallVector<Dim, 2>(index.dims.size())};
  index.base = index.base * factor;
  for (Dim& dim : index.dims)
    dim.coefficient = dim.coefficient * factor;
  for (Atom& atom : index.atoms)
    atom.coefficient = atom.coefficient * factor;
  return index;
}

llvm::SmallBitVector Analysis::varying(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (auto known = variations.find(tensor); known != variations.end())
    return known->second;
  llvm::SmallBitVector result(unsigned(type.getRank()));
  auto all = [&] {
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      result[unsigned(d)] = size > 1;
  };
  Operation* op = tensor.getDefiningOp();
  bool elementwise =
      op && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
      (op->hasTrait<OpTrait::Elementwise>() ||
       isa<arith::SelectOp, tt::AddPtrOp, tt::IntToPtrOp, tt::PtrToIntOp, tt::BitcastOp, tt::MulhiUIOp>(op));
  if (matchPattern(tensor, m_Constant()) &&
      cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue()).isSplat()) {
  } else if (isa_and_nonnull<tt::SplatOp>(op)) {
  } else if (auto expand = dyn_cast_if_present<tt::ExpandDimsOp>(op)) {
    auto source = varying(expand.getSrc());
    for (unsigned d = 0, from = 0; d < result.size(); ++d)
      if (d != expand.getAxis())
        result[d] = source[from++];
  } else if (auto broadcast = dyn_cast_if_present<tt::BroadcastOp>(op)) {
    result = varying(broadcast.getSrc());
  } else if (auto trans = dyn_cast_if_present<tt::TransOp>(op)) {
    auto source = varying(trans.getSrc());
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      result[unsigned(to)] = source[unsigned(from)];
  } else if (elementwise) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        result |= varying(operand);
  } else {
    all();
  }
  variations.insert({tensor, result});
  return result;
}

Atom Analysis::atom(Value tensor, std::string why) {
  Atom result{tensor, {}, Polynomial(1), std::move(why)};
  for (unsigned d : varying(tensor).set_bits())
    result.lanes.push_back({d, d});
  return result;
}

Index Analysis::opaque(Value tensor, std::string why) {
  return Index{Polynomial(), SmallVector<Dim, 2>(rankOf(tensor)), {atom(tensor, std::move(why))}};
}

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
    bool sameStart = a && b && (a->start ? b->start && a->start->sameTensor(*b->start) : !b->start);
    return sameStart && a->root == b->root && a->offset.sameForm(b->offset);
  }
  auto a = index(init), b = index(next);
  return a && b && a->sameForm(*b);
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

Pointer Analysis::opaquePointer(Value tensor, std::string why) {
  return Pointer{Value(), Index{Polynomial(), SmallVector<Dim, 2>(rankOf(tensor))},
                 atom(tensor, std::move(why))};
}

Result<Index> Analysis::carriedIndex(Value value, scf::ForOp loop, unsigned i) {
  if (broken.count({loop, i}))
    return opaque(value, "index carried by a loop changes its form between iterations" + at(loop));
  auto init = index(loop.getInitArgs()[i]);
  if (!init)
    return init;
  return Index{leaf(value), init->dims, init->atoms};
}

Result<Pointer> Analysis::carriedPointer(Value value, scf::ForOp loop, unsigned i) {
  bool scalar = isa<tt::PointerType>(value.getType());
  if (broken.count({loop, i})) {
    if (scalar)
      return Pointer{value, Index()};
    return opaquePointer(
        value, "pointer carried by a loop changes its strides or its array between iterations" + at(loop));
  }
  auto init = pointer(loop.getInitArgs()[i]);
  if (!init)
    return init;
  return Pointer{init->root, Index{leaf(value), init->offset.dims, init->offset.atoms}, init->start};
}

// Integers of fewer than 32 bits wrap, and have a sign or none, as the kernel's own arithmetic has it.
static bool isNarrow(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isInteger() && element.getIntOrFloatBitWidth() < 32;
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
    return opaque(value, "index comes from a block argument");
  if ((isNarrow(value) && !isa<tt::SplatOp>(op)) || (isa<arith::ExtUIOp>(op) && isNarrow(op->getOperand(0))))
    return opaque(value, "index is of fewer than 32 bits" + at(op));
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
        return reshaped(shape, *source);
      })
      .Case([&](tt::ReshapeOp reshape) -> Result<Index> {
        auto source = index(reshape.getSrc());
        if (source && source->uniform())
          return Index{source->base, SmallVector<Dim, 2>(rankOf(value))};
        return source ? opaque(value, "index is reshaped" + at(op)) : source;
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](Operation* cast) -> Result<Index> {
            auto source = index(cast->getOperand(0));
            if (source && !source->atoms.empty() && isa<arith::ExtUIOp, arith::TruncIOp>(cast))
              return opaque(value, source->atoms.front().why);
            return source;
          })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
            arith::RemUIOp, arith::MinSIOp, arith::MaxSIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
            arith::ShLIOp, arith::ShRSIOp>([&](Operation* arithmetic) { return binary(arithmetic); })
      .Case([&](arith::SelectOp select) -> Result<Index> {
        auto a = index(select.getTrueValue()), b = index(select.getFalseValue());
        if (!a || !b)
          return a ? b : a;
        if (isa<RankedTensorType>(select.getCondition().getType()) || !a->sameForm(*b))
          return opaque(value, "index is selected element by element" + at(op));
        return Index{leaf(value), a->dims, a->atoms};
      })
      .Case([&](tt::LoadOp) { return opaque(value, "index is loaded from memory" + at(op)); })
      .Default([&](Operation*) { return opaque(value, "index is not base + range * stride" + at(op)); });
}

Result<Index> Analysis::remainder(Operation* op, const Index& lhs, const Index& rhs) {
  Value value = op->getResult(0);
  auto fail = [&](const char* why) { return opaque(value, why + at(op)); };
  if (!rhs.uniform())
    return fail("remainder by a range");
  if (!lhs.atoms.empty())
    return opaque(value, lhs.atoms.front().why);
  Index result{Polynomial(), lhs.dims};
  unsigned ranges = 0;
  for (auto [d, dim] : llvm::enumerate(result.dims)) {
    if (dim.coefficient.isZero())
      continue;
    ++ranges;
    if (dim.wrap || !(dim.coefficient == Polynomial(1)))
      return fail("remainder of a range with a stride");
    dim.wrap = Wrap{lhs.base, rhs.base, value, unsigned(d)};
  }
  if (ranges > 1)
    return fail("remainder of an index over several dimensions");
  return result;
}

Result<Index> Analysis::binary(Operation* op) {
  auto a = index(op->getOperand(0)), b = index(op->getOperand(1));
  if (!a || !b)
    return a ? b : a;
  Value value = op->getResult(0);
  if (isa<arith::AddIOp>(op))
    return sum(*a, *b);
  if (isa<arith::SubIOp>(op))
    return sum(*a, scaled(*b, Polynomial(-1)));
  auto shift = isa<arith::ShLIOp>(op) && b->uniform() ? b->base.constant() : std::nullopt;
  if (shift && *shift >= 0 && *shift < 63)
    return scaled(*a, Polynomial(int64_t(1) << *shift));
  if (isa<arith::MulIOp>(op)) {
    if (!a->uniform() && !b->uniform())
      return opaque(value, "product of two ranges" + at(op));
    return a->uniform() ? scaled(*b, a->base) : scaled(*a, b->base);
  }
  if (a->uniform() && b->uniform())
    return Index{leaf(value), a->dims}; // one scalar operation, built when it is needed
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return remainder(op, *a, *b);
  return opaque(value, "index is not base + range * stride" + at(op));
}

Result<Pointer> Analysis::computePointer(Value value) {
  if (auto carried = carriedBy(value))
    return carriedPointer(value, carried->first, carried->second);
  Operation* op = value.getDefiningOp();
  bool scalar = isa<tt::PointerType>(value.getType());
  if (!op && scalar)
    return Pointer{value, Index()};
  if (!op)
    return opaquePointer(value, "pointers come from a block argument");
  return llvm::TypeSwitch<Operation*, Result<Pointer>>(op)
      .Case([&](tt::SplatOp splat) -> Result<Pointer> {
        auto source = pointer(splat.getSrc());
        return Pointer{source->root, Index{source->offset.base, SmallVector<Dim, 2>(rankOf(value))},
                       std::nullopt};
      })
      .Case([&](tt::AddPtrOp add) -> Result<Pointer> {
        auto source = pointer(add.getPtr());
        auto offset = index(add.getOffset());
        if (!source || !offset)
          return source ? Result<Pointer>::fail(offset.why) : source;
        return Pointer{source->root, sum(source->offset, *offset), source->start};
      })
      .Case<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp>([&](Operation* shape) -> Result<Pointer> {
        auto source = pointer(shape->getOperand(0));
        if (!source)
          return source;
        std::optional<Atom> start;
        if (source->start)
          start = reshaped(shape, *source->start);
        return Pointer{source->root, reshaped(shape, source->offset), start};
      })
      .Default([&](Operation*) -> Result<Pointer> {
        if (scalar)
          return Pointer{value, Index()};
        return opaquePointer(value, "pointers are not base + range * stride" + at(op));
      });
}
} // namespace dlsim::access
