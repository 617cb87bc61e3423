#include "sim/compare/comparison.h"

#include "sim/casefile/input_error.h"
#include "sim/compare/csv_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

namespace dlsim::compare {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Labels that every case of both sides has.
std::vector<std::string> commonLabels(const std::vector<Measurement>& model,
                                      const std::vector<Measurement>& device) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : device[0].labels) {
    const auto has = [&, wanted = name](const Measurement& one) { return one.label(wanted) != nullptr; };
    if (std::all_of(model.begin(), model.end(), has) && std::all_of(device.begin(), device.end(), has))
      names.push_back(name);
  }
  // A case's name says it all; what else the sides tell, such as the kernel's name, may differ.
  const auto name =
      std::find_if(names.begin(), names.end(), [](const auto& n) { return lower(n) == "case"; });
  return name == names.end() ? names : std::vector<std::string>{*name};
}

std::string listOf(const Measurement& one) {
  std::string names;
  for (const auto& [name, unused] : one.labels)
    names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

// "4096" and "4096.0" are the same.
std::string comparable(const std::string& text) {
  const auto number = numberIn(text);
  if (!number)
    return text;
  char shown[32];
  std::snprintf(shown, sizeof shown, "%.10g", *number);
  return shown;
}

std::string keyOf(const Measurement& one, const std::vector<std::string>& labels) {
  std::string key;
  for (const std::string& name : labels)
    key += (key.empty() ? "" : " ") + (lower(name) == "case" || lower(name) == "op" ? "" : name + "=") +
           comparable(*one.label(name));
  return key;
}

void pairMetrics(const std::string& name, const Measurement& model, const Measurement& device,
                 Comparison& to) {
  for (const Metric& theirs : device.metrics) {
    const auto ours = std::find_if(model.metrics.begin(), model.metrics.end(), [&](const Metric& m) {
      return m.table == theirs.table && m.name == theirs.name;
    });
    if (ours != model.metrics.end())
      to.pairs.push_back({name, theirs.table, theirs.name, theirs.value, ours->value});
  }
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

std::string percent(const std::optional<double>& error) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", error ? 100 * *error : 0.0);
  return error ? text : "-";
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width - text.size() + 2, ' ');
}
std::string before(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string fullName(const Pair& pair) {
  return pair.table.empty() ? pair.metric : pair.table + ": " + pair.metric;
}

} // namespace

std::optional<double> Pair::error() const {
  if (device == 0)
    return model == 0 ? std::optional<double>(0) : std::nullopt;
  return model / device - 1;
}

Comparison compareCases(const std::vector<Measurement>& model, const std::vector<Measurement>& device) {
  Comparison found;
  const std::vector<std::string> labels = commonLabels(model, device);
  const bool single = model.size() == 1 && device.size() == 1;
  if (labels.empty() && !single)
    throw casefile::InputError("no label names the cases on both sides: the model has " + listOf(model[0]) +
                               ", the device " + listOf(device[0]));
  std::map<std::string, const Measurement*> ours;
  for (const Measurement& one : model)
    if (!ours.emplace(keyOf(one, labels), &one).second && !single)
      throw casefile::InputError("the model has several cases '" + keyOf(one, labels) +
                                 "': the device's labels (" + listOf(device[0]) + ") do not tell them apart");
  for (const Measurement& theirs : device) {
    const std::string key = keyOf(theirs, labels);
    const auto match = single ? ours.begin() : ours.find(key);
    if (match == ours.end()) {
      found.only_device.push_back(key);
      continue;
    }
    pairMetrics(key.empty() ? "run" : key, *match->second, theirs, found);
    ++found.cases;
    match->second = nullptr;
  }
  for (const auto& [key, one] : ours)
    if (one)
      found.only_model.push_back(key);
  if (!found.cases)
    throw casefile::InputError("no case is on both sides: the model has '" + keyOf(model[0], labels) +
                               "' .., the device '" + keyOf(device[0], labels) + "' ..");
  if (found.pairs.empty())
    throw casefile::InputError("the cases that both sides have share no metric");
  return found;
}

void keepMetrics(Comparison& comparison, const std::string& part) {
  std::vector<Pair>& pairs = comparison.pairs;
  pairs.erase(
      std::remove_if(pairs.begin(), pairs.end(),
                     [&](const Pair& pair) { return fullName(pair).find(part) == std::string::npos; }),
      pairs.end());
  if (pairs.empty())
    throw casefile::InputError("no metric of both sides has '" + part + "' in its name");
}

std::string comparisonText(const Comparison& comparison) {
  size_t cases = 4, names = 6;
  std::vector<std::string> order; // of metrics
  std::map<std::string, std::vector<double>> errors;
  for (const Pair& pair : comparison.pairs) {
    cases = std::max(cases, pair.case_name.size());
    names = std::max(names, fullName(pair).size());
    const auto [list, fresh] = errors.emplace(fullName(pair), std::vector<double>());
    if (fresh)
      order.push_back(fullName(pair));
    if (const auto error = pair.error())
      list->second.push_back(std::abs(*error));
  }
  std::string text = padded("case", cases) + padded("metric", names) + before("device", 14) +
                     before("model", 14) + before("error", 11) + '\n';
  for (const Pair& pair : comparison.pairs)
    text += padded(pair.case_name, cases) + padded(fullName(pair), names) + before(shown(pair.device), 14) +
            before(shown(pair.model), 14) + before(percent(pair.error()), 11) + '\n';
  text += '\n' + padded("metric", names) + before("cases", 6) + before("mean error", 12) +
          before("largest", 12) + '\n';
  for (const std::string& name : order) {
    const std::vector<double>& list = errors[name];
    std::optional<double> mean, largest;
    if (!list.empty()) {
      mean = std::accumulate(list.begin(), list.end(), 0.0) / static_cast<double>(list.size());
      largest = *std::max_element(list.begin(), list.end());
    }
    text += padded(name, names) + before(std::to_string(list.size()), 6) + before(percent(mean), 12) +
            before(percent(largest), 12) + '\n';
  }
  return text;
}

std::string comparisonCsv(const Comparison& comparison) {
  std::string text = "case,table,metric,device,model,error\n";
  for (const Pair& pair : comparison.pairs) {
    const auto error = pair.error();
    text += '"' + pair.case_name + "\"," + pair.table + ',' + pair.metric + ',' + shown(pair.device) + ',' +
            shown(pair.model) + ',' + (error ? shown(*error) : "") + '\n';
  }
  return text;
}

} // namespace dlsim::compare
