#include "sim/tools/compare_command.h"

#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"
#include "sim/compare/comparison.h"

#include <cmath>
#include <cstdio>
#include <filesystem>

namespace dlsim::tools {

namespace {

// Whether every case's time is as near as --within asks.
int verdict(const compare::Comparison& comparison, double within) {
  int code = kOk;
  for (const compare::Pair& pair : comparison.pairs) {
    if (pair.metric != "time_us" || !pair.table.empty())
      continue;
    const auto error = pair.error();
    if (error && 100 * std::abs(*error) <= within)
      continue;
    std::fprintf(stderr, "dlsim: %s: the time is not within %g %%\n", pair.case_name.c_str(), within);
    code = kWrong;
  }
  return code;
}

// A table of measurements must not become a table of differences; an older comparison may.
void keepMeasurements(const CompareOptions& options) {
  namespace fs = std::filesystem;
  if (std::error_code ignored; options.out.empty() || !fs::exists(options.out, ignored))
    return;
  if (casefile::readText(options.out).rfind(compare::comparisonCsv({}), 0) == 0)
    return;
  const auto lies = [](fs::path file, const fs::path& folder) {
    std::error_code ignored;
    for (; file.has_relative_path(); file = file.parent_path())
      if (fs::equivalent(file, folder, ignored))
        return true;
    return false;
  };
  for (const std::string& input : {options.model, options.device})
    if (lies(fs::canonical(options.out), input))
      throw casefile::InputError("--out " + options.out + " would overwrite a measurement of " + input +
                                 "; give another name");
}

void listMissing(const char* side, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    std::fprintf(stderr, "dlsim: only %s: %s\n", side, name.c_str());
}

} // namespace

int compareCommand(const CompareOptions& options) {
  keepMeasurements(options);
  compare::Comparison comparison = compare::compareCases(compare::readMeasurements(options.model),
                                                         compare::readMeasurements(options.device));
  listMissing("on the device", comparison.only_device);
  listMissing("in the model", comparison.only_model);
  const int code = options.within ? verdict(comparison, *options.within) : kOk;
  if (!options.metric.empty())
    compare::keepMetrics(comparison, options.metric);
  if (!options.out.empty())
    casefile::writeText(options.out, compare::comparisonCsv(comparison));
  std::fputs(compare::comparisonText(comparison).c_str(), stdout);
  return code;
}

} // namespace dlsim::tools
