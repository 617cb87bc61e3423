#include "codegen/passes/access/Siblings.h"
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/passes/access/Rewriter.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::access {
namespace {

constexpr int64_t mostMembers = 8;
constexpr int64_t largestStore = 32 * 1024; // bytes of all elements: they are on chip twice

struct Form {
  Operation* op;
  Type element;
  SmallVector<int64_t> shape;
  Pointer pointer;
  Mask mask;
  Attribute other;
  int64_t stride = 0; // of the last dimension; 0: no member of anything
};

Value pointerOf(Operation* op) { return op->getOperand(0); }

std::optional<Form> formOf(Operation* op, Analysis& analysis) {
  auto type = dyn_cast<RankedTensorType>(pointerOf(op).getType());
  auto pointer = analysis.pointer(pointerOf(op));
  if (!pointer || !pointer->regular() || !pointer->root ||
      llvm::any_of(pointer->offset.dims, [](const Dim& dim) { return dim.wrap.has_value(); }))
    return std::nullopt;
  Type pointee = cast<tt::PointerType>(getElementTypeOrSelf(pointerOf(op).getType())).getPointee();
  if (!pointee.isIntOrFloat())
    return std::nullopt;
  return Form{op,       pointee, type ? SmallVector<int64_t>(type.getShape()) : SmallVector<int64_t>(),
              *pointer, Mask(),  {},
              0};
}

// What the lanes that are masked off get: false if that is no constant.
bool constantOther(tt::LoadOp load, Attribute& other) {
  DenseElementsAttr dense;
  if (!load.getOther())
    return true;
  if (!matchPattern(load.getOther(), m_Constant(&dense)) || !dense.isSplat())
    return false;
  other = dense.getSplatValue<Attribute>();
  return true;
}

// An access that may have siblings.
std::optional<Form> memberOf(Operation* op, Analysis& analysis) {
  auto form = formOf(op, analysis);
  if (!form || form->shape.empty() || form->shape.back() == 1)
    return std::nullopt;
  Type element = form->element;
  unsigned bits = element.getIntOrFloatBitWidth();
  auto stride = form->pointer.offset.dims.back().coefficient.constant();
  if (!(bits == 16 || bits == 32 || element.isInteger(8)) || !stride || *stride < 2 || *stride > mostMembers)
    return std::nullopt;
  auto load = dyn_cast<tt::LoadOp>(op);
  Value mask = load ? load.getMask() : cast<tt::StoreOp>(op).getMask();
  form->mask.dims.resize(form->shape.size());
  if (mask) {
    auto known = analysis.mask(mask);
    if (!known || !known->regular())
      return std::nullopt;
    form->mask = *known;
  }
  if (load) {
    if (load.getIsVolatile())
      return std::nullopt;
    addOther(load);
    if (!constantOther(load, form->other))
      return std::nullopt;
  } else {
    for (auto [dim, size] : llvm::zip_equal(form->pointer.offset.dims, form->shape))
      if (size > 1 && dim.coefficient.isZero())
        return std::nullopt;
  }
  form->stride = *stride;
  return form;
}

// Whether dl.interleave makes it with vectors.
bool interleaves(const Form& form) {
  int64_t elements = 1, row = form.shape.back(), bytes = form.element.getIntOrFloatBitWidth() / 8;
  for (int64_t size : form.shape)
    elements *= size;
  int64_t atOnce = elements == row ? 1 : row; // of one table
  bool halves = llvm::isPowerOf2_64(uint64_t(elements / row)) && llvm::isPowerOf2_64(uint64_t(row));
  return row * bytes % 32 == 0 && form.stride * elements * bytes <= largestStore &&
         form.stride * atOnce <= dl::mostPicked && (halves || form.stride * elements <= dl::mostPicked);
}

bool same(ArrayRef<Bound> a, ArrayRef<Bound> b) {
  return llvm::equal(
      a, b, [](const Bound& x, const Bound& y) { return x.value == y.value && x.divisor == y.divisor; });
}
bool same(const Range& a, const Range& b) { return same(a.lo, b.lo) && same(a.hi, b.hi); }
bool same(const Condition& a, const Condition& b) {
  return a.flag == b.flag && a.predicate == b.predicate && a.value == b.value;
}

// But for where it begins, and the mask's last dimension.
bool alike(const Form& a, const Form& b) {
  ArrayRef<Range> x(a.mask.dims), y(b.mask.dims);
  return isa<tt::LoadOp>(a.op) == isa<tt::LoadOp>(b.op) && a.op->getBlock() == b.op->getBlock() &&
         a.element == b.element && a.shape == b.shape && a.pointer.root == b.pointer.root &&
         a.pointer.offset.dims == b.pointer.offset.dims &&
         llvm::equal(a.mask.conditions, b.mask.conditions,
                     [](const Condition& p, const Condition& q) { return same(p, q); }) &&
         llvm::equal(x.drop_back(), y.drop_back(), [](const Range& p, const Range& q) { return same(p, q); });
}

// Bounds of element i * count + k by those of element i: those that say the same of each member, or that the
// k-th has moved by k.
std::optional<SmallVector<Bound, 1>> ofAll(ArrayRef<const Form*> members, unsigned leader, bool upper) {
  auto bounds = [&](const Form* form) -> ArrayRef<Bound> {
    const Range& range = form->mask.dims.back();
    return upper ? range.hi : range.lo;
  };
  int64_t count = int64_t(members.size());
  SmallVector<Bound, 1> result;
  ArrayRef<Bound> own = bounds(members[leader]);
  for (auto [n, bound] : llvm::enumerate(own)) {
    bool equal = bound.divisor == 1, moved = bound.divisor == count;
    for (auto [k, member] : llvm::enumerate(members)) {
      ArrayRef<Bound> others = bounds(member);
      if (others.size() != own.size() || others[n].divisor != bound.divisor)
        return std::nullopt;
      Polynomial moves = bound.value - others[n].value;
      equal &= moves.isZero();
      moved &= moves == Polynomial(int64_t(k) - int64_t(leader));
    }
    if (!equal && !moved)
      return std::nullopt;
    result.push_back(moved ? Bound{bound.value + Polynomial(int64_t(leader)), 1}
                           : Bound{bound.value * Polynomial(count), 1});
  }
  return result;
}

bool setMask(Siblings& family, ArrayRef<const Form*> members, unsigned leader) {
  family.mask = members[leader]->mask;
  Range& range = family.mask.dims.back();
  family.maskOfMember =
      llvm::all_of(members, [&](const Form* form) { return same(form->mask.dims.back(), range); });
  if (family.maskOfMember)
    return true;
  if (!llvm::all_of(members, [&](const Form* form) {
        return form->mask.dims.back().lo.size() == range.lo.size() &&
               form->mask.dims.back().hi.size() == range.hi.size();
      }))
    return false;
  auto lo = ofAll(members, leader, false), hi = ofAll(members, leader, true);
  if (!lo || !hi)
    return false;
  range.lo = *lo;
  range.hi = *hi;
  return true;
}

bool setOther(Siblings& family, ArrayRef<const Form*> members) {
  for (const Form* form : members) {
    if (family.other && form->other && form->other != family.other)
      return false;
    family.other = form->other ? form->other : family.other;
  }
  return true;
}

class Finder {
public:
  Finder(func::FuncOp function, Analysis& analysis)
      : analysis(analysis), divisibility(analysis), dominance(function) {
    function.walk([&](Operation* op) {
      if (!isa<tt::LoadOp, tt::StoreOp>(op) || !isa<RankedTensorType>(pointerOf(op).getType()))
        return;
      if (auto form = memberOf(op, analysis))
        forms.push_back(*form);
    });
  }

  std::vector<Siblings> run() {
    std::vector<Siblings> found;
    llvm::DenseSet<Operation*> taken;
    for (size_t i = 0; i < forms.size(); ++i) {
      if (taken.count(forms[i].op))
        continue;
      if (auto family = familyOf(forms[i], ArrayRef(forms).drop_front(i), taken)) {
        taken.insert(family->members.begin(), family->members.end());
        found.push_back(std::move(*family));
      }
    }
    return found;
  }

private:
  // Scalar sums with constants written out; index arithmetic does not overflow (see Analysis.h).
  Polynomial plain(const Polynomial& polynomial, int depth = 0) {
    Polynomial sum;
    for (auto& [monomial, coefficient] : polynomial.terms) {
      Polynomial product(coefficient);
      for (unsigned leaf : monomial) {
        auto add = analysis.leaves.value(leaf).getDefiningOp<arith::AddIOp>();
        APInt more;
        bool known = add && isa<IntegerType>(add.getType()) && depth < 8 &&
                     add.getType().getIntOrFloatBitWidth() >= 32 &&
                     matchPattern(add.getRhs(), m_ConstantInt(&more));
        product = product *
                  (known ? plain(*analysis.base(add.getLhs()), depth + 1) + Polynomial(more.getSExtValue())
                         : Polynomial::leaf(leaf));
      }
      sum = sum + product;
    }
    return sum;
  }

  // Elements from a to b, if they are a constant's number.
  std::optional<int64_t> distance(const Pointer& a, const Pointer& b) {
    return a.root == b.root ? plain(b.offset.base - a.offset.base).constant() : std::nullopt;
  }

  // The family whose first member in the program is `one`.
  std::optional<Siblings> familyOf(const Form& one, ArrayRef<Form> later,
                                   const llvm::DenseSet<Operation*>& taken) {
    int64_t count = one.stride;
    std::map<int64_t, const Form*> at; // by distance
    for (const Form& form : later)
      if (auto d = distance(one.pointer, form.pointer);
          d && std::abs(*d) < count && !taken.count(form.op) && alike(one, form))
        at.insert({*d, &form});
    for (int64_t begin = 1 - count; begin <= 0; ++begin) {
      SmallVector<const Form*> members;
      for (int64_t k = 0; k < count && at.count(begin + k); ++k)
        members.push_back(at[begin + k]);
      if (int64_t(members.size()) != count)
        continue;
      if (auto family = together(members))
        return family;
    }
    return std::nullopt;
  }

  std::optional<Siblings> together(ArrayRef<const Form*> members) {
    Siblings family;
    const Form *first = members.front(), *last = first;
    for (const Form* form : members) {
      family.members.push_back(form->op);
      first = form->op->isBeforeInBlock(first->op) ? form : first;
      last = last->op->isBeforeInBlock(form->op) ? form : last;
    }
    bool isLoad = isa<tt::LoadOp>(first->op);
    auto number = [&](const Form* form) { return unsigned(llvm::find(members, form) - members.begin()); };
    auto whole = [&](const Form* form) {
      Pointer pointer = form->pointer;
      pointer.offset.base = pointer.offset.base - Polynomial(int64_t(number(form)));
      pointer.offset.dims.back().coefficient = 1;
      return pointer;
    };
    family.first = first->op;
    family.last = last->op;
    family.shape = first->shape;
    family.start = whole(first);
    family.pointer = isLoad ? family.start : whole(last);
    if (!setMask(family, members, number(isLoad ? first : last)) || !setOther(family, members))
      return std::nullopt;
    if (isLoad ? !loadsMeet(family)
               : !interleaves(*first) || !keepApart(family, *first) || !storesMeet(family, members))
      return std::nullopt;
    return family;
  }

  // Nothing in between may write.
  bool loadsMeet(const Siblings& family) {
    for (Operation* op = family.first; op != family.last; op = op->getNextNode()) {
      auto result = op->walk([](Operation* inner) {
        auto load = dyn_cast<tt::LoadOp>(inner);
        bool fine = load ? !load.getIsVolatile() : inner->getNumRegions() > 0 || isMemoryEffectFree(inner);
        return fine ? WalkResult::advance() : WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return false;
    }
    return true;
  }

  // Elements of different members do not meet, whatever the rows' strides: their order would count.
  bool keepApart(Siblings& family, const Form& form) {
    int64_t count = family.size(), rows = 0;
    for (auto [dim, size] : llvm::zip_equal(form.pointer.offset.dims, form.shape))
      rows += size > 1;
    for (unsigned d = 0; d + 1 < form.shape.size(); ++d) {
      const Polynomial& step = form.pointer.offset.dims[d].coefficient;
      if (form.shape[d] == 1 || divisibility.of(step) % count == 0)
        continue;
      auto stride = step.constant();
      if (!stride)
        family.multiples.push_back(step);
      else if (rows > 2 || std::abs(*stride) < count * form.shape.back())
        return false;
    }
    return true;
  }

  // Stores move down over what is in between, which may be accesses elsewhere.
  bool storesMeet(Siblings& family, ArrayRef<const Form*> members) {
    SmallVector<const Form*> moved;
    for (Operation* op = family.first; op != family.last; op = op->getNextNode()) {
      auto member = llvm::find_if(members, [&](const Form* form) { return form->op == op; });
      if (member != members.end())
        moved.push_back(*member);
      else if (!isMemoryEffectFree(op) && !elsewhere(family, op, moved))
        return false;
    }
    return true;
  }

  bool elsewhere(Siblings& family, Operation* op, ArrayRef<const Form*> moved) {
    auto load = dyn_cast<tt::LoadOp>(op);
    if (!(load && !load.getIsVolatile()) && !isa<tt::StoreOp>(op))
      return false;
    auto form = formOf(op, analysis);
    if (!form)
      return false;
    if (llvm::all_of(moved, [&](const Form* one) { return betweenElements(*one, *form); }))
      return true;
    auto there = [&](const Polynomial& polynomial) {
      return llvm::all_of(polynomial.terms, [&](auto& term) {
        return llvm::all_of(term.first, [&](unsigned leaf) {
          return dominance.properlyDominates(analysis.leaves.value(leaf), family.first);
        });
      });
    };
    if (!dominance.properlyDominates(form->pointer.root, family.first) || !there(form->pointer.offset.base) ||
        !llvm::all_of(form->pointer.offset.dims, [&](const Dim& dim) { return there(dim.coefficient); }))
      return false;
    family.apart.push_back({form->pointer, form->shape, form->element.getIntOrFloatBitWidth() / 8});
    return true;
  }

  // Whether an access touches elements between those of a member only.
  bool betweenElements(const Form& member, const Form& other) {
    auto from = distance(member.pointer, other.pointer);
    if (!from || member.element != other.element || *from % member.stride == 0)
      return false;
    auto steps = [&](const Form& form) {
      return llvm::all_of(llvm::zip_equal(form.pointer.offset.dims, form.shape), [&](auto pair) {
        auto& [dim, size] = pair;
        return size == 1 || divisibility.of(dim.coefficient) % member.stride == 0;
      });
    };
    return steps(member) && steps(other);
  }

  Analysis& analysis;
  Divisibility divisibility;
  DominanceInfo dominance;
  std::vector<Form> forms;
};

} // namespace

std::vector<Siblings> findSiblings(func::FuncOp function, Analysis& analysis) {
  // The rows of functions with products are dealt to the vector cores, in an order of their own.
  bool products = function.walk([](tt::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return products ? std::vector<Siblings>() : Finder(function, analysis).run();
}

} // namespace dlsim::access
