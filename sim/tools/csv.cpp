#include "sim/tools/csv.h"

#include <cstdio>

namespace dlsim::tools {

std::string fixed6(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

} // namespace dlsim::tools
