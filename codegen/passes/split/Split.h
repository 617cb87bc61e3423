// Pass dl-split: a kernel that needs the cube and the vector unit becomes two functions, one a core kind.
#pragma once
#include "mlir/Pass/Pass.h"

#include <memory>

namespace dlsim::codegen {

std::unique_ptr<mlir::Pass> createDlSplitPass();
void registerDlSplitPass();

} // namespace dlsim::codegen
