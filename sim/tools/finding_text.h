// What a check has found, in words: core, units, buffer, places in the kernel's source.
#pragma once

#include "sim/observe/checks.h"

#include "isa/dlk/kernel.h"

#include <string>

namespace dlsim::sim {
struct ChipSpec;
}

namespace dlsim::tools {

std::string findingText(const sim::ChipSpec& chip, const dlk::Kernel& kernel,
                        const observe::Finding& finding);

} // namespace dlsim::tools
