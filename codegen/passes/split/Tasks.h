// Whether consecutive iterations of the loop around a skewed one, such as the persistent loop over tasks, may overlap.
#pragma once
#include "codegen/passes/split/Stages.h"

namespace dlsim::codegen {

// The loop around if its next iteration may begin while this one's stage 1 and what follows it are not done
// yet. Null otherwise, with the reason, which is empty if there is nothing to overlap.
mlir::scf::ForOp overlappingTasks(const StagedLoop& staged, std::string& reason);

} // namespace dlsim::codegen
