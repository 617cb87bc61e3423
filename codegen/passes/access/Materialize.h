// Turns polynomials, bounds and masks back into scalar code (i64).
#pragma once
#include "codegen/passes/access/Analysis.h"
#include "mlir/IR/Builders.h"

namespace dlsim::access {
class Materializer {
public:
  explicit Materializer(Analysis& analysis) : analysis(analysis) {}
  // The scalar that the loop now carries for the base of `value` (a loop-carried argument or a loop's
  // result).
  void setCarriedBase(mlir::Value value, mlir::Value base) { carried[value] = base; }

  mlir::Value emit(mlir::OpBuilder& b, mlir::Location loc, const Polynomial& polynomial);
  mlir::Value constant(mlir::OpBuilder& b, mlir::Location loc, int64_t value);
  // All conditions, or null if there are none.
  mlir::Value condition(mlir::OpBuilder& b, mlir::Location loc, const Mask& mask);
  // Clamped bounds with 0 <= lo <= hi <= size for every dimension; conditions empty the first dimension.
  struct Bounds {
    llvm::SmallVector<mlir::Value> lo, hi;
  };
  Bounds bounds(mlir::OpBuilder& b, mlir::Location loc, const Mask& mask, llvm::ArrayRef<int64_t> shape);

private:
  mlir::Value leaf(mlir::OpBuilder& b, mlir::Location loc, mlir::Value value);
  mlir::Value uniformOperation(mlir::OpBuilder& b, mlir::Location loc, mlir::Operation* op);
  mlir::Value combine(mlir::OpBuilder& b, mlir::Location loc, llvm::ArrayRef<Bound> bounds, int64_t size,
                      bool upper);
  Analysis& analysis;
  llvm::DenseMap<mlir::Value, mlir::Value> carried;
};
} // namespace dlsim::access
