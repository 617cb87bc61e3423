// Numbers as tools print them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace dlsim::isa {

/// "0x2a", with at least `digits` digits.
inline std::string hex(uint64_t value, int digits = 1) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

} // namespace dlsim::isa
