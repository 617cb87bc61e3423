// What a tensor of indices, pointers or mask bits is made of, per dimension. Pure: nothing in the program
// changes.
//
// Index arithmetic of the kernel is taken as exact: 32-bit sums and products of tensors do not overflow (they
// would address nonsense on the original machine as well), so polynomials are evaluated in 64 bits on
// sign-extended scalars. Scalars that the kernel computes itself keep its own arithmetic. Operands of rem and
// unsigned compares count as non-negative.
#pragma once
#include "codegen/passes/access/Polynomial.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"
#include <string>

namespace dlsim::access {
//
// What is not of that form stays as an atom: a tensor of the program whose elements count, times a
// coefficient. Code for single elements of atoms is made by `Scalarizer`.
struct Atom {
  mlir::Value tensor;
  // Dimensions of the tensor that vary, and the dimensions of the index that they run along.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 2> lanes;
  Polynomial coefficient;
  std::string why = {}; // what stands in the way of base + range * stride, with the source line
  bool sameTensor(const Atom& o) const { return tensor == o.tensor && lanes == o.lanes; }
  bool operator==(const Atom& o) const { return sameTensor(o) && coefficient == o.coefficient; }
  bool variesIn(unsigned dim) const {
    return llvm::any_of(lanes, [&](auto lane) { return lane.second == dim; });
  }
};
struct Wrap {
  Polynomial start, modulus;
  mlir::Value tensor;     // the remainder itself
  unsigned tensorDim = 0; // its dimension
  bool operator==(const Wrap& o) const { return start == o.start && modulus == o.modulus; }
};
// One dimension's part of an index: coefficient * i, or coefficient * ((start + i) mod modulus).
struct Dim {
  Polynomial coefficient;
  std::optional<Wrap> wrap;
  bool operator==(const Dim& o) const { return coefficient == o.coefficient && wrap == o.wrap; }
};
// base + the sum of its dimensions' parts and of its atoms; a scalar has no dimensions.
struct Index {
  Polynomial base;
  llvm::SmallVector<Dim, 2> dims;
  llvm::SmallVector<Atom, 1> atoms = {};
  bool uniform() const {
    return atoms.empty() && llvm::all_of(dims, [](const Dim& dim) { return dim.coefficient.isZero(); });
  }
  bool sameForm(const Index& o) const { return dims == o.dims && atoms == o.atoms; }
  // The remainder of dimension d, if there is one, as an atom.
  void unwrap(unsigned d);
  bool variesIn(unsigned d) const {
    return !dims[d].coefficient.isZero() ||
           llvm::any_of(atoms, [&](const Atom& atom) { return atom.variesIn(d); });
  }
};
// root + offset, in elements of root's pointee. Where pointers themselves are of no such form, an element of
// the tensor of pointers `start` takes the place of the root.
struct Pointer {
  mlir::Value root;
  Index offset;
  std::optional<Atom> start = {};
  bool regular() const { return !start && offset.atoms.empty(); }
};
// ceil(value / divisor)
struct Bound {
  Polynomial value;
  int64_t divisor = 1;
};
struct Range {
  llvm::SmallVector<Bound, 1> lo, hi; // all of them hold: lo <= i < hi
};
// A scalar condition: `flag`, or `value predicate 0` if flag is null.
struct Condition {
  mlir::Value flag;
  mlir::arith::CmpIPredicate predicate = mlir::arith::CmpIPredicate::eq;
  Polynomial value;
};
// What is no range of one dimension: `difference predicate 0` (signed) in every lane, or a tensor of bits.
struct Residual {
  mlir::arith::CmpIPredicate predicate = mlir::arith::CmpIPredicate::eq;
  std::optional<Index> difference;
  Atom bits; // if there is no difference
  std::string why;
};
struct Mask {
  llvm::SmallVector<Range, 2> dims;
  llvm::SmallVector<Condition, 1> conditions;
  llvm::SmallVector<Residual, 1> residuals = {};
  bool regular() const { return residuals.empty(); }
  bool full() const {
    return conditions.empty() && residuals.empty() &&
           llvm::all_of(dims, [](const Range& range) { return range.lo.empty() && range.hi.empty(); });
  }
};

// A result or the reason why there is none, with the source line that stands in the way.
template <typename T> struct Result {
  std::optional<T> value;
  std::string why;
  Result(T value) : value(std::move(value)) {}
  static Result fail(std::string why) {
    Result result;
    result.why = std::move(why);
    return result;
  }
  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }

private:
  Result() = default;
};

class Analysis {
public:
  // Finds out which loop-carried values keep their strides from one iteration to the next.
  explicit Analysis(mlir::func::FuncOp function);
  Result<Index> index(mlir::Value value);
  Result<Pointer> pointer(mlir::Value value);
  Result<Mask> mask(mlir::Value value);
  // True for types whose base the analysis follows through loops: tensors of integers or pointers, and
  // pointers.
  static bool followsThroughLoops(mlir::Type type);
  // The base of loop-carried value `index` is a scalar that the loop can carry instead.
  bool carriesBase(mlir::scf::ForOp loop, unsigned index) const { return !broken.count({loop, index}); }
  // Base of an index or of a pointer's offset.
  Result<Polynomial> base(mlir::Value value);
  // Whether the leaves' signs say so.
  bool nonNegative(const Polynomial& sum);
  // Dimensions of a tensor along which its elements may differ.
  llvm::SmallBitVector varying(mlir::Value tensor);
  Leaves leaves;

private:
  Result<Index> computeIndex(mlir::Value value);
  Result<Pointer> computePointer(mlir::Value value);
  Result<Mask> computeMask(mlir::Value value);
  Result<Index> binary(mlir::Operation* op);
  Result<Index> remainder(mlir::Operation* op, const Index& lhs, const Index& rhs);
  Result<Mask> compare(mlir::arith::CmpIOp op);
  Atom atom(mlir::Value tensor, std::string why);
  Index opaque(mlir::Value tensor, std::string why);
  Pointer opaquePointer(mlir::Value tensor, std::string why);
  Mask opaqueMask(mlir::Value tensor, std::string why);
  Result<Index> carriedIndex(mlir::Value value, mlir::scf::ForOp loop, unsigned index);
  Result<Pointer> carriedPointer(mlir::Value value, mlir::scf::ForOp loop, unsigned index);
  Polynomial leaf(mlir::Value value) { return Polynomial::leaf(leaves.number(value)); }
  bool keepsStrides(mlir::scf::ForOp loop, unsigned index);

  llvm::DenseMap<mlir::Value, Result<Index>> indices;
  llvm::DenseMap<mlir::Value, Result<Pointer>> pointers;
  llvm::DenseMap<mlir::Value, Result<Mask>> masks;
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> variations;
  llvm::DenseSet<std::pair<mlir::Operation*, unsigned>> broken;
};

// Sum of two indices of one shape.
Index sum(const Index& a, const Index& b);
// An index, or a mask's residual, behind expand_dims, broadcast or trans.
Index reshaped(mlir::Operation* op, const Index& index);
Atom reshaped(mlir::Operation* op, const Atom& atom);

// The loop and position of a loop-carried block argument or of a loop's result.
std::optional<std::pair<mlir::scf::ForOp, unsigned>> carriedBy(mlir::Value value);
} // namespace dlsim::access
