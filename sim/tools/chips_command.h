// `dlsim chips`, `dlsim chips show NAME`, `dlsim chips diff A B`.
#pragma once

#include "sim/tools/options.h"

namespace dlsim::tools {

int chipsCommand(const ChipsOptions& options);

} // namespace dlsim::tools
