// Names and units of metrics that several tools write differently.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlsim::compare {

struct Named {
  std::string name; // ours
  double factor;    // what a value is multiplied with
};

// Our name for a counter of a GPU profiler with its unit, or for a column of a plain table; nothing for what
// has no such name.
std::optional<Named> commonName(std::string_view name, std::string_view unit = {});

// A column that holds a measurement, judged by the unit at its end; the others say which case a row is.
bool isMetric(std::string_view column);

// How rows of the profiler's tables, one a block, become one number: counts and bytes add up, times and
// ratios are averaged.
bool addsUp(std::string_view column);

} // namespace dlsim::compare
