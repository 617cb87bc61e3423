// summary.json: every counter of a run, for scripts. Times in cycles unless the name says otherwise.
#pragma once

#include <string>

namespace dlsim::tools {

struct Run;
std::string summaryJson(const Run& run);

} // namespace dlsim::tools
