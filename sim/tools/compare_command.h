// `dlsim compare MODEL DEVICE`.
#pragma once

#include "sim/tools/options.h"

namespace dlsim::tools {

int compareCommand(const CompareOptions& options);

} // namespace dlsim::tools
