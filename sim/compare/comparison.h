// The same cases on a device and in the model, metric by metric.
#pragma once

#include "sim/compare/measurements.h"

#include <optional>
#include <string>
#include <vector>

namespace dlsim::compare {

struct Pair {
  std::string case_name, table, metric;
  double device = 0, model = 0;

  // Relative error of the model; nothing where the device measured 0 and the model something else.
  std::optional<double> error() const;
};

struct Comparison {
  std::vector<Pair> pairs;
  std::vector<std::string> only_model, only_device; // names of cases that the other side lacks
  size_t cases = 0;                                 // that both sides have
};

// Cases are the same when the labels that both sides use have the same values; one case on each side is the
// same without any. Throws casefile::InputError when no label is common, or no case is.
Comparison compareCases(const std::vector<Measurement>& model, const std::vector<Measurement>& device);

// Keeps the metrics with this text in their name, "PipeUtilization: aic_mte2_time(us)" for one; throws when
// there is none.
void keepMetrics(Comparison& comparison, const std::string& part);

// A line a pair, then mean and largest error of each metric.
std::string comparisonText(const Comparison& comparison);
std::string comparisonCsv(const Comparison& comparison);

} // namespace dlsim::compare
