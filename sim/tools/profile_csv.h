// The profiler's CSV files: its columns, its order, its conventions.
//
// With --pmu=profiler: "GB/s" is GiB/s and a mixed kernel's ratios are relative to the task's duration, as
// the device's profiler has them. With --pmu=corrected: decimal GB/s, and every ratio is relative to the
// core's own cycles.
#pragma once

#include <string>

namespace dlsim::tools {

struct Run;

std::string pipeUtilizationCsv(const Run& run);
std::string l2CacheCsv(const Run& run);
std::string resourceConflictCsv(const Run& run);

} // namespace dlsim::tools
