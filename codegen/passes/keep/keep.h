// npu-keep: tiles that a slot of L1 still holds are not loaded again.
#pragma once
#include "mlir/Pass/Pass.h"

namespace dlsim::codegen {

// Loops along K that are turned from task to task (attribute `dl.turned`, set by dl-panels) begin with the
// tiles that the task before ended with. After npu-plan-memory; before or after npu-sync.
std::unique_ptr<mlir::Pass> createKeepPass();
void registerKeepPass();

} // namespace dlsim::codegen
