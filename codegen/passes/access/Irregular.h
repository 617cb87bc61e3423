// Accesses that are no rectangle: dl.gather and dl.scatter walk some dimensions, run by run, and scalar code
// says where each run lies.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/passes/access/Pieces.h"
#include "codegen/passes/access/Scalarize.h"

namespace dlsim::access {

class Irregular {
public:
  // Of an access to a tile of `shape`. `repeats`: lanes of one address count one by one (stores).
  Irregular(Analysis& analysis, Materializer& materializer, Pointer pointer, Mask mask,
            llvm::ArrayRef<int64_t> shape, bool repeats, bool allowRuns);
  // Dimensions that are walked, and whether several lanes along the last of them make one run.
  llvm::ArrayRef<int64_t> walk() const { return walked; }
  bool hasRuns() const { return runs; }
  // Dimensions along which all lanes have one address, and no mask.
  bool isRepeated(unsigned dim) const;
  llvm::SmallVector<mlir::Value> strides(mlir::OpBuilder& b, mlir::Location loc);
  Materializer::Bounds bounds(mlir::OpBuilder& b, mlir::Location loc, llvm::ArrayRef<int64_t> shape);
  // Fills the body of a gather or scatter. Fails with a reason.
  std::optional<std::string> body(mlir::Location loc, mlir::Region& region, const WrittenArrays* fromMemory);
  // No element of a tensor was needed.
  bool scalarOnly() const { return onlyScalars; }

private:
  bool isWalked(unsigned dim) const { return llvm::is_contained(walked, int64_t(dim)); }
  bool walkDim(unsigned dim);
  void chooseWalk();
  void chooseRuns();
  std::optional<int64_t> slopeInRun(const Index& index) const;
  mlir::Value runLength(mlir::OpBuilder& b, mlir::Location loc, Scalarizer& scalars,
                        llvm::ArrayRef<mlir::Value> lanes);
  bool repeatsRuns() const;
  std::pair<mlir::Value, mlir::Value> repetition(mlir::OpBuilder& b, mlir::Location loc, Scalarizer& scalars,
                                                 llvm::ArrayRef<mlir::Value> lanes);
  struct Part {
    llvm::SmallVector<mlir::Value> lo, hi; // null: not restricted
    mlir::Value active;                    // null: always
  };
  bool residual(mlir::OpBuilder& b, mlir::Location loc, Scalarizer& scalars, const Residual& residual,
                llvm::ArrayRef<mlir::Value> lanes, Part& part);
  void restrict(mlir::OpBuilder& b, mlir::Location loc, Part& part, unsigned dim, mlir::Value value,
                int64_t coefficient);

  Analysis& analysis;
  Materializer& materializer;
  Pointer pointer;
  Mask mask;
  llvm::SmallVector<int64_t> shape, walked;
  bool repeats, runs = false, onlyScalars = false;
  llvm::SmallVector<Pieces::Step, 2> steps;
};
} // namespace dlsim::access
