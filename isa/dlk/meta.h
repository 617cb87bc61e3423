// The JSON record in .dlnpu.meta.
#pragma once
#include "isa/dlk/kernel.h"

namespace dlsim::dlk {

struct Entries {
  std::optional<uint64_t> aic, aiv; // byte offsets in their sections
};

// Fills everything of the kernel that the record says. Unknown keys are allowed: a later compiler may say
// more.
Entries readMeta(const std::vector<uint8_t>& json, Kernel& kernel);

} // namespace dlsim::dlk
