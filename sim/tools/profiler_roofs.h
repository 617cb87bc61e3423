// The profiler's per-core maxima of each path, from which its usage rates are taken.
#pragma once

#include <string>

namespace dlsim::tools {

// GiB/s of one core. Source: Ascend/msopprof, tables for 910B1, 910B2/B3 and 910B4.
struct ProfilerRoofs {
  double gmToL1, l1ToGm, l0cToL1, l0cToGm, gmToUb, ubToGm;
};

// A chip that the profiler does not know is measured with the 910B1's maxima, as it does.
const ProfilerRoofs& profilerRoofs(const std::string& chip);

} // namespace dlsim::tools
