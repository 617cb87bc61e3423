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
#include <string>

namespace dlsim::access {
struct Wrap {
  Polynomial start, modulus;
  bool operator==(const Wrap& o) const { return start == o.start && modulus == o.modulus; }
};
// One dimension's part of an index: coefficient * i, or coefficient * ((start + i) mod modulus).
struct Dim {
  Polynomial coefficient;
  std::optional<Wrap> wrap;
  bool operator==(const Dim& o) const { return coefficient == o.coefficient && wrap == o.wrap; }
};
// base + the sum of its dimensions' parts; a scalar has no dimensions.
struct Index {
  Polynomial base;
  llvm::SmallVector<Dim, 2> dims;
  bool uniform() const {
    return llvm::all_of(dims, [](const Dim& dim) { return dim.coefficient.isZero(); });
  }
};
// root + offset, in elements of root's pointee.
struct Pointer {
  mlir::Value root;
  Index offset;
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
struct Mask {
  llvm::SmallVector<Range, 2> dims;
  llvm::SmallVector<Condition, 1> conditions;
  bool full() const {
    return conditions.empty() &&
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
  Leaves leaves;

private:
  Result<Index> computeIndex(mlir::Value value);
  Result<Pointer> computePointer(mlir::Value value);
  Result<Mask> computeMask(mlir::Value value);
  Result<Index> binary(mlir::Operation* op);
  Result<Index> remainder(mlir::Operation* op, const Index& lhs, const Index& rhs);
  Result<Mask> compare(mlir::arith::CmpIOp op);
  Result<Index> carriedIndex(mlir::Value value, mlir::scf::ForOp loop, unsigned index);
  Result<Pointer> carriedPointer(mlir::Value value, mlir::scf::ForOp loop, unsigned index);
  Polynomial leaf(mlir::Value value) { return Polynomial::leaf(leaves.number(value)); }
  bool keepsStrides(mlir::scf::ForOp loop, unsigned index);

  llvm::DenseMap<mlir::Value, Result<Index>> indices;
  llvm::DenseMap<mlir::Value, Result<Pointer>> pointers;
  llvm::DenseMap<mlir::Value, Result<Mask>> masks;
  llvm::DenseSet<std::pair<mlir::Operation*, unsigned>> broken;
};

// The loop and position of a loop-carried block argument or of a loop's result.
std::optional<std::pair<mlir::scf::ForOp, unsigned>> carriedBy(mlir::Value value);
} // namespace dlsim::access
