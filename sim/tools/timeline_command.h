// `dlsim timeline RUN -o t.svg`.
#pragma once

#include "sim/tools/options.h"

namespace dlsim::tools {

int timelineCommand(const TimelineOptions& options);

} // namespace dlsim::tools
