// The profiler's CSV files: its columns, its order, its conventions.
//
// With --pmu=profiler: what the device's profiler would print, with its units ("GB/s" is GiB/s), denominators
// (a mixed kernel's ratios are relative to the task's duration) and known quirks. With --pmu=corrected:
// decimal GB/s, ratios relative to the core's own cycles, exact operations and bytes. docs/pmu.md lists all.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dlsim::tools {

struct Run;

std::string opBasicInfoCsv(const Run& run);
std::string pipeUtilizationCsv(const Run& run);
std::string arithmeticUtilizationCsv(const Run& run);
std::string memoryCsv(const Run& run);
std::string memoryL0Csv(const Run& run);
std::string memoryUbCsv(const Run& run);
std::string l2CacheCsv(const Run& run);
std::string resourceConflictCsv(const Run& run);
// What msprof writes for the task: one line.
std::string opSummaryCsv(const Run& run);

inline constexpr const char* kProfileCsvNames[] = {
    "OpBasicInfo.csv", "PipeUtilization.csv", "ArithmeticUtilization.csv", "Memory.csv",    "MemoryL0.csv",
    "MemoryUB.csv",    "L2Cache.csv",         "ResourceConflictRatio.csv", "op_summary.csv"};
// Names and texts of all of them.
std::vector<std::pair<std::string, std::string>> profileCsvs(const Run& run);

} // namespace dlsim::tools
