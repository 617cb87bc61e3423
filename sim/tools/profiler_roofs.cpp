#include "sim/tools/profiler_roofs.h"

namespace dlsim::tools {

const ProfilerRoofs& profilerRoofs(const std::string& chip) {
  static constexpr ProfilerRoofs k910B1{264, 199.43, 216.88, 209.32, 220.06, 186.8};
  static constexpr ProfilerRoofs k910B2{256.86, 193.99, 211.00, 203.66, 214.11, 181.75};
  static constexpr ProfilerRoofs k910B4{222, 189.89, 190.7, 190.7, 195.27, 176.75};
  if (chip == "ascend910b2" || chip == "ascend910b3")
    return k910B2;
  return chip == "ascend910b4" ? k910B4 : k910B1;
}

} // namespace dlsim::tools
