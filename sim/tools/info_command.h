// `dlsim info k.dlk`.
#pragma once

#include "sim/tools/options.h"

namespace dlsim::tools {

int infoCommand(const InfoOptions& options);

} // namespace dlsim::tools
