// The profiler's view of a run as tables on the terminal: pipes by core type, and the paths between memories
// against their roofs.
#pragma once

#include <string>

namespace dlsim::tools {

struct Run;
std::string visualizeText(const Run& run);

} // namespace dlsim::tools
