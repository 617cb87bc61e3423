// Whether consecutive iterations of the loop around a skewed one, such as the persistent loop over tasks, may
// overlap.
#pragma once
#include "codegen/passes/split/Stages.h"

namespace dlsim::codegen {

// Why the next iteration of the scf.for around each half of a loop may not begin while this one's stage 1
// and what follows it are not done yet. An empty string if it may.
std::string whyTasksWait(const StagedLoop& cube, const StagedLoop& vector);

} // namespace dlsim::codegen
