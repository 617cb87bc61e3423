// What changes from one iteration of a loop to the next, and by how much.
#pragma once
#include "codegen/passes/access/Polynomial.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace dlsim::codegen {

// Scalars of a loop's body as polynomials over values that the body does not take apart. Like the analysis of
// accesses, it takes address arithmetic as exact: sums and products of 32 bits do not overflow. Pointers
// count in bytes.
class Steps {
public:
  explicit Steps(mlir::scf::ForOp loop) : loop(loop), counter(loop.getInductionVar()) {}
  // `value` counts the iterations in place of the loop's own counter.
  void countBy(mlir::Value value) { counter = value; }

  access::Polynomial polynomial(mlir::Value value);
  // The next iteration's value less this one's, over values that the loop does not change; nothing if it is
  // no such polynomial.
  std::optional<access::Polynomial> step(mlir::Value value);
  bool isInvariant(mlir::Value value);

private:
  access::Polynomial compute(mlir::Value value);
  access::Polynomial leaf(mlir::Value value) { return access::Polynomial::leaf(leaves.number(value)); }
  std::optional<access::Polynomial> stepOfLeaf(mlir::Value value);
  std::optional<access::Polynomial> stepOfCarried(mlir::BlockArgument argument);

  mlir::scf::ForOp loop;
  mlir::Value counter;
  access::Leaves leaves;
  llvm::DenseMap<mlir::Value, access::Polynomial> known;
  llvm::DenseMap<mlir::Value, std::optional<access::Polynomial>> leafSteps;
};

} // namespace dlsim::codegen
