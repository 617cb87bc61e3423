// The summary on the terminal.
#pragma once

#include <string>

namespace dlsim::casefile {
struct Difference;
}

namespace dlsim::tools {

struct Run;
std::string summaryText(const Run& run);
std::string differenceText(const std::string& name, const casefile::Difference& d);

} // namespace dlsim::tools
