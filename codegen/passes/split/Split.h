// Pass dl-split: a kernel that needs the cube and the vector unit becomes two functions, one a core kind.
#pragma once
#include "mlir/Pass/Pass.h"

#include <memory>

namespace dlsim::codegen {

// Vector cores of a group that can share rows; of another number the first must do all rows.
inline constexpr int64_t boundVectorCores = 2;

// bindSubCores: the vector cores of a group share the rows of each tile; else the first one does all of them,
// and the second only keeps its flags in step.
std::unique_ptr<mlir::Pass> createDlSplitPass(bool bindSubCores = true);
void registerDlSplitPass();

} // namespace dlsim::codegen
