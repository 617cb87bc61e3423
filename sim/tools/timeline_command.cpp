#include "sim/tools/timeline_command.h"

#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"
#include "sim/tools/timeline_svg.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

namespace dlsim::tools {

using casefile::InputError;
using nlohmann::json;

namespace {

json parsed(const std::string& path) {
  json found = json::parse(casefile::readText(path), nullptr, false);
  if (found.is_discarded())
    throw InputError(path + ": is not JSON");
  return found;
}

// "MTE2 +1" is a further row of MTE2.
void addRow(const std::string& name, const std::vector<Span>& spans, CoreRows& to) {
  const std::string unit = name.substr(0, name.find(" +"));
  const auto known =
      std::find_if(to.units.begin(), to.units.end(), [&](const auto& row) { return row.first == unit; });
  if (known == to.units.end())
    to.units.emplace_back(unit, spans);
  else
    known->second.insert(known->second.end(), spans.begin(), spans.end());
}

// Everything that the trace tells, by core and unit, in the order of the units' numbers.
std::vector<CoreRows> rowsOf(const json& events) {
  std::map<int, std::string> cores;
  std::map<std::pair<int, int>, std::string> units;
  std::map<std::pair<int, int>, std::vector<Span>> spans;
  for (const json& event : events) {
    const std::string kind = event.at("ph"), name = event.at("name");
    const int core = event.at("pid"), unit = event.at("tid");
    if (kind == "M" && name == "process_name")
      cores[core] = event.at("args").at("name");
    else if (kind == "M" && name == "thread_name")
      units[{core, unit}] = event.at("args").at("name");
    else if (kind == "X" && name.find("_flag ") == std::string::npos) // a flag takes no time
      spans[{core, unit}].push_back({event.at("ts"), event.at("dur"), name});
  }
  std::vector<CoreRows> rows;
  for (const auto& [core, name] : cores) {
    rows.push_back({name, {}});
    for (const auto& [place, list] : spans)
      if (place.first == core)
        addRow(units[place], list, rows.back());
    for (auto& [unit, list] : rows.back().units)
      std::sort(list.begin(), list.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  }
  return rows;
}

// The chosen cores; without a choice the first of each kind, and the second vector core.
std::vector<CoreRows> choose(std::vector<CoreRows> rows, std::vector<std::string> names,
                             const std::string& path) {
  const bool asked = !names.empty();
  if (!asked)
    names = {"AIC0", "AIV0", "AIV1"};
  std::vector<CoreRows> chosen;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const CoreRows& r) { return r.core == name; });
    if (found != rows.end())
      chosen.push_back(std::move(*found));
    else if (asked)
      throw InputError(path + ": has no core '" + name + "'; it has " + rows.front().core + " to " +
                       rows.back().core);
  }
  if (chosen.empty())
    chosen.push_back(std::move(rows.front()));
  return chosen;
}

Heat heatOf(const json& file, const json& matrix) {
  const double mhz = file.at("clock_mhz");
  Heat heat;
  heat.begin = file.at("begin_cycle").get<double>() / mhz;
  heat.width = file.at("bin_cycles").get<double>() / mhz;
  heat.bins = matrix.get<std::vector<std::vector<double>>>();
  return heat;
}

void addHeats(const std::string& path, Timeline& to) {
  const json file = parsed(path);
  Heat slices = heatOf(file, file.at("l2_requests"));
  slices.title = "L2 slices";
  slices.place = "slice";
  slices.unit = "requests";
  to.heats.push_back(std::move(slices));
  for (const CoreRows& core : to.cores)
    if (const auto found = file.at("ub_bytes").find(core.core); found != file.at("ub_bytes").end()) {
      Heat banks = heatOf(file, *found);
      banks.title = core.core + ", banks of UB (" + std::to_string(file.at("ub_groups").get<int>()) +
                    " groups, one after the other)";
      banks.place = "bank";
      banks.unit = "bytes";
      to.heats.push_back(std::move(banks));
    }
}

void fitWindow(const TimelineOptions& options, const std::string& path, Timeline& to) {
  double begin = std::numeric_limits<double>::max(), end = 0;
  for (const CoreRows& core : to.cores)
    for (const auto& [unit, spans] : core.units)
      for (const Span& span : spans) {
        begin = std::min(begin, span.begin);
        end = std::max(end, span.begin + span.length);
      }
  to.begin = options.begin.value_or(begin);
  to.end = options.end.value_or(end);
  if (to.begin >= to.end || to.begin >= end || to.end <= begin)
    throw InputError(path + ": nothing happens in the window; the chosen cores work from " +
                     std::to_string(begin) + " to " + std::to_string(end) + " us");
}

} // namespace

int timelineCommand(const TimelineOptions& options) {
  namespace fs = std::filesystem;
  const std::string path = (fs::path(options.run) / "trace.json").string();
  if (!fs::exists(path))
    throw InputError(path + ": does not exist; run with `dlsim run ... --out " + options.run + " --trace`");
  const std::string heat = (fs::path(options.run) / "heat.json").string();
  for (const std::string& input : {path, heat})
    if (std::error_code ignored; fs::equivalent(input, options.out, ignored))
      throw InputError("--out " + options.out + " would overwrite " + input + "; give another name");
  Timeline timeline;
  try {
    const json trace = parsed(path);
    std::vector<CoreRows> rows = rowsOf(trace.at("traceEvents"));
    if (rows.empty())
      throw InputError(path + ": has no events; was its window of time empty?");
    timeline.cores = choose(std::move(rows), options.cores, path);
    fitWindow(options, path, timeline);
    if (fs::exists(heat))
      addHeats(heat, timeline);
  } catch (const json::exception& error) {
    throw InputError(options.run + ": not the trace of a run of dlsim: " + error.what());
  }
  timeline.title = fs::path(options.run).filename().string() + ": what the units did";
  casefile::writeText(options.out, timelineSvg(timeline));
  return kOk;
}

} // namespace dlsim::tools
