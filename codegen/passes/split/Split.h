// Pass dl-split: a kernel that needs the cube and the vector unit becomes two functions, one a core kind.
#pragma once
#include "mlir/Pass/Pass.h"

#include <memory>

namespace dlsim::codegen {

// Vector cores of a group that can share rows; of another number the first must do all rows.
inline constexpr int64_t boundVectorCores = 2;

// bindSubCores: the vector cores of a group share the rows of each tile; else the first one does all of them,
// and the second only keeps its flags in step. leastRowPieces: rows of tiles are computed in so many pieces
// or more, also in kernels without products, where every operation works row by row.
std::unique_ptr<mlir::Pass> createDlSplitPass(bool bindSubCores = true, int64_t leastRowPieces = 1);
void registerDlSplitPass();

} // namespace dlsim::codegen
