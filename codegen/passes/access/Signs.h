// Signs of index arithmetic, which does not overflow (see Analysis.h).
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace dlsim::access {

class Signs {
public:
  bool nonNegative(mlir::Value value);
  bool nonPositive(mlir::Value value);

private:
  bool either(mlir::Operation* op, bool (Signs::*holds)(mlir::Value));
  bool carried(mlir::scf::ForOp loop, unsigned i);

  llvm::DenseSet<std::pair<mlir::Operation*, unsigned>> assumed;
};

} // namespace dlsim::access
