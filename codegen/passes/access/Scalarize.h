// Single elements of tensors as scalar code: what a tensor's operations compute at given lanes, in the
// kernel's own arithmetic. What scalars cannot compute is read from the tensor (dl.extract).
#pragma once
#include "codegen/passes/access/Materialize.h"

#include <map>

namespace dlsim::access {
// Arrays that the kernel writes, by the pointer that addresses begin with.
struct WrittenArrays {
  llvm::DenseSet<mlir::Value> roots;
  bool any = false; // some addresses begin with nothing that is known
};

class Scalarizer {
public:
  // With `fromMemory`, elements of tensors that were loaded from other arrays than those are loaded again by
  // the scalar unit, so that no tensor is needed.
  Scalarizer(Analysis& analysis, Materializer& materializer, const WrittenArrays* fromMemory)
      : analysis(analysis), materializer(materializer), fromMemory(fromMemory) {}
  // The element at `lanes` (i64, one a dimension); null, with a reason in `problem`, if there is no way.
  mlir::Value element(mlir::OpBuilder& b, mlir::Location loc, mlir::Value tensor,
                      llvm::ArrayRef<mlir::Value> lanes);
  // The same for atoms and indices (i64), given lanes of the index; for pointers, the address.
  mlir::Value atom(mlir::OpBuilder& b, mlir::Location loc, const Atom& atom,
                   llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value index(mlir::OpBuilder& b, mlir::Location loc, const Index& index,
                    llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value pointer(mlir::OpBuilder& b, mlir::Location loc, const Pointer& pointer,
                      llvm::ArrayRef<mlir::Value> lanes);
  std::string problem;
  bool extracts = false; // some element is read from a tensor

private:
  mlir::Value compute(mlir::OpBuilder& b, mlir::Location loc, mlir::Value tensor,
                      llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value carried(mlir::OpBuilder& b, mlir::Location loc, mlir::Value tensor,
                      llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value sameOperation(mlir::OpBuilder& b, mlir::Location loc, mlir::Operation* op,
                            llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value reshaped(mlir::OpBuilder& b, mlir::Location loc, mlir::Operation* op,
                       llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value inRange(mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange lo, mlir::ValueRange hi,
                      llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value loaded(mlir::OpBuilder& b, mlir::Location loc, mlir::Operation* load,
                     llvm::ArrayRef<mlir::Value> lanes);
  mlir::Value extract(mlir::OpBuilder& b, mlir::Location loc, mlir::Value tensor,
                      llvm::ArrayRef<mlir::Value> lanes);

  Analysis& analysis;
  Materializer& materializer;
  const WrittenArrays* fromMemory;
  std::map<std::vector<void*>, mlir::Value> known; // by tensor and lanes
};

// Any integer as i64, sign-extended.
mlir::Value wide(mlir::OpBuilder& b, mlir::Location loc, mlir::Value integer);
} // namespace dlsim::access
