// Which operations and carried values of a loop's body each of its two stages needs.
#pragma once
#include "codegen/passes/split/Stages.h"

namespace dlsim::codegen {

inline constexpr unsigned stageCount = 2;

// What each stage consists of: its bound operations and the free ones that these need.
class Members {
public:
  explicit Members(const StagedLoop& staged);
  // Stage 0 computes a free carried value as well.
  void alsoAhead(unsigned number) { require(0, loop.getRegionIterArg(number)); }

  llvm::DenseSet<mlir::Operation*> operations[stageCount];
  // Numbers of free carried values that the stage computes itself.
  llvm::SetVector<unsigned> freeCarried[stageCount];
  llvm::SetVector<mlir::Value> handed; // from stage 0 to stage 1

private:
  void include(unsigned stage, mlir::Operation* op);
  void require(unsigned stage, mlir::Value value);

  const StagedLoop& staged;
  mlir::scf::ForOp loop;
};

} // namespace dlsim::codegen
