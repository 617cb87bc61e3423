// What a device or the model measured, in whatever form it was written, as cases with labels and metrics.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dlsim::compare {

struct Metric {
  std::string table; // the profiler's file that the column is from ("PipeUtilization"); empty for `time_us`
                     // and the like
  std::string name;  // as the profiler writes it, or one of ours, with its unit
  double value = 0;
};

using Labels =
    std::vector<std::pair<std::string, std::string>>; // which case it is: {{"case", "softmax-8192x1024"}}

struct Measurement {
  Labels labels;
  std::vector<Metric> metrics;

  const std::string* label(const std::string& name) const; // without regard to upper and lower case
};

// Reads one of:
// - a folder of the operator profiler (OPPROF_*), or one that `dlsim run --out` wrote: a case;
// - a folder of such folders: a case each, by the folder's name;
// - op_summary*.csv of the system profiler: a case a row, by operator and shapes;
// - the table of ncu --csv: a case a kernel;
// - any table in which columns with units (time_us, dram_read_bytes, hit_rate) stand beside columns that say
// which case it is. Times become microseconds, traffic of main memory MB. Rows of the same case are averaged.
// Throws casefile::InputError that says what the path holds instead.
std::vector<Measurement> readMeasurements(const std::string& path);

} // namespace dlsim::compare
