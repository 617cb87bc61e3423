// Programs that load, multiply, treat results element by element and store, and what their tiles cost.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/plan_memory/chip_file.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <vector>

namespace dlsim::codegen {

// The products of a program, or none if it does more than load their operands, and store what is computed
// from their results element by element: atomic updates, reductions, operands that another operation
// computes.
std::vector<tt::DotOp> onlyProducts(mlir::scf::ForOp tasks);

// What a tile of a product costs a core, of a chip.
class TileCosts {
public:
  TileCosts(const ChipFile& chip, const TargetMemory& target);
  // Cycles for each term of its sum: of the cube, or of loading its operands, whose rows shorter than a
  // line of L2 take as long as whole ones.
  double cycles(tt::DotOp dot, int64_t rows, int64_t columns) const;
  // Whether results fit L0C together and operands of all products fit L1 twice, each tile so many times as
  // large as it is.
  bool fit(llvm::ArrayRef<tt::DotOp> dots, int64_t rows, int64_t columns) const;

private:
  const ChipFile& chip;
  const TargetMemory& target;
};

} // namespace dlsim::codegen
