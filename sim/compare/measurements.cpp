#include "sim/compare/measurements.h"

#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"
#include "sim/compare/csv_table.h"
#include "sim/compare/metric_names.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace dlsim::compare {

namespace fs = std::filesystem;
using casefile::InputError;

namespace {

constexpr const char* kBlockTables[] = {
    "PipeUtilization", "ArithmeticUtilization", "Memory", "MemoryL0", "MemoryUB",
    "L2Cache",         "ResourceConflictRatio"};

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// ---- one table ----

// Blocks as rows: one number a column, over the cores that have the column.
void addBlocks(const CsvTable& table, const std::string& name, Measurement& to) {
  for (size_t i = 0; i < table.header.size(); ++i) {
    const std::string& column = table.header[i];
    if (same(column, "block_id") || same(column, "sub_block_id"))
      continue;
    double sum = 0;
    unsigned count = 0;
    for (const auto& row : table.rows)
      if (const auto value = numberIn(row[i])) {
        sum += *value;
        ++count;
      }
    if (count)
      to.metrics.push_back({name, column, addsUp(column) ? sum : sum / count});
  }
}

// OpBasicInfo: which operator it was, and how long it took.
void addBasics(const CsvTable& table, Measurement& to) {
  const auto op = table.column("Op Name"), time = table.column("Task Duration(us)");
  if (!op || !time || table.rows.empty())
    throw InputError(table.path + ": has no column 'Op Name' or 'Task Duration(us)', or no row");
  to.labels.emplace_back("op", table.rows[0][*op]);
  if (const auto value = numberIn(table.rows[0][*time]))
    to.metrics.push_back({"", "time_us", *value});
}

// A row an operator, with identifiers first and metrics from aicore_time(us) on.
std::vector<Measurement> operators(const CsvTable& table) {
  std::vector<Measurement> found;
  const size_t op = *table.column("Op Name"), time = *table.column("Task Duration(us)");
  const auto shapes = table.column("Input Shapes"), first = table.column("aicore_time(us)");
  for (const auto& row : table.rows) {
    Measurement one;
    one.labels.emplace_back("op", row[op]);
    if (shapes && row[*shapes] != "N/A" && !row[*shapes].empty())
      one.labels.emplace_back("shapes", row[*shapes]);
    if (const auto value = numberIn(row[time]))
      one.metrics.push_back({"", "time_us", *value});
    for (size_t i = first.value_or(row.size()); i < row.size(); ++i)
      if (const auto value = numberIn(row[i]))
        one.metrics.push_back({"op_summary", table.header[i], *value});
    found.push_back(std::move(one));
  }
  return found;
}

// ncu: a row a metric of a kernel.
std::vector<Measurement> counters(const CsvTable& table) {
  const size_t kernel = *table.column("Kernel Name"), name = *table.column("Metric Name"),
               value = *table.column("Metric Value");
  const auto unit = table.column("Metric Unit"), id = table.column("ID");
  std::map<std::string, size_t> launches;
  std::vector<Measurement> found;
  for (const auto& row : table.rows) {
    const auto [launch, fresh] = launches.emplace((id ? row[*id] + " " : "") + row[kernel], found.size());
    if (fresh)
      found.push_back({{{"op", row[kernel]}}, {}});
    const auto number = numberIn(row[value]);
    if (!number)
      continue;
    const auto common = commonName(row[name], unit ? row[*unit] : "");
    found[launch->second].metrics.push_back(
        {"", common ? common->name : row[name], *number * (common ? common->factor : 1)});
  }
  return found;
}

std::vector<Measurement> plainRows(const CsvTable& table) {
  std::vector<Measurement> found;
  for (const auto& row : table.rows) {
    Measurement one;
    for (size_t i = 0; i < row.size(); ++i) {
      const auto value = numberIn(row[i]);
      if (!isMetric(table.header[i]))
        one.labels.emplace_back(table.header[i], row[i]);
      else if (const auto common = commonName(table.header[i]); value)
        one.metrics.push_back(
            {"", common ? common->name : table.header[i], *value * (common ? common->factor : 1)});
    }
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<Measurement> tableOf(const std::string& path) {
  const CsvTable table = readCsv(path);
  if (table.has("Metric Name") && table.has("Metric Value") && table.has("Kernel Name"))
    return counters(table);
  if (table.has("block_id")) {
    Measurement one;
    addBlocks(table, fs::path(path).stem().string(), one);
    return {one};
  }
  if (table.has("Op Name") && table.has("Task Duration(us)"))
    return operators(table);
  if (std::none_of(table.header.begin(), table.header.end(), isMetric))
    throw InputError(
        path + ": no column is a measurement; expected a profiler's table, ncu --csv, or columns with units "
               "such as time_us, dram_read_bytes, l2_read_hit_ratio");
  return plainRows(table);
}

// ---- folders ----

// What no profiler writes but dlsim does.
void addSummary(const std::string& path, Measurement& to) {
  nlohmann::json summary = nlohmann::json::parse(casefile::readText(path), nullptr, false);
  if (summary.is_discarded() || !summary.contains("hbm") || !summary.contains("l2"))
    throw InputError(path + ": is not the summary of a run of dlsim");
  const double line = 128e-6; // MB of a request that a core reads
  const nlohmann::json& l2 = summary["l2"];
  to.metrics.push_back({"", "hbm_read_MB", summary["hbm"]["read_bytes"].get<double>() * 1e-6});
  to.metrics.push_back({"", "hbm_write_MB", summary["hbm"]["write_bytes"].get<double>() * 1e-6});
  to.metrics.push_back(
      {"", "l2_read_MB", (l2["read_hit"].get<double>() + l2["read_miss"].get<double>()) * line});
  to.metrics.push_back({"", "l2_read_hit_ratio", l2["read_hit_ratio"].get<double>()});
}

bool isSummary(const fs::path& path) {
  return path.extension() == ".csv" && path.filename().string().rfind("op_summary", 0) == 0;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// A profiler's folder is one case: the tables of its blocks, or none of them.
std::optional<Measurement> profile(const fs::path& folder) {
  Measurement one;
  if (fs::exists(folder / "OpBasicInfo.csv"))
    addBasics(readCsv((folder / "OpBasicInfo.csv").string()), one);
  for (const char* name : kBlockTables)
    if (const fs::path path = folder / (std::string(name) + ".csv"); fs::exists(path))
      addBlocks(readCsv(path.string()), name, one);
  if (fs::exists(folder / "summary.json"))
    addSummary((folder / "summary.json").string(), one);
  // The run's own row, not a table of many operators.
  if (fs::exists(folder / "op_summary.csv") && !one.metrics.empty())
    for (const Measurement& row : operators(readCsv((folder / "op_summary.csv").string()))) {
      std::copy_if(row.metrics.begin(), row.metrics.end(), std::back_inserter(one.metrics),
                   [](const Metric& m) { return !m.table.empty(); });
      if (const std::string* shapes = row.label("shapes"))
        one.labels.emplace_back("shapes", *shapes);
    }
  return one.metrics.empty() ? std::nullopt : std::optional<Measurement>(one);
}

void readFolder(const fs::path& folder, const std::string& name, std::vector<Measurement>& found) {
  const auto add = [&](Measurement one) {
    if (!name.empty() && !one.label("case"))
      one.labels.emplace_back("case", name);
    found.push_back(std::move(one));
  };
  const auto whole = profile(folder);
  if (whole)
    add(*whole);
  for (const fs::path& path : entries(folder)) {
    const std::string file = path.filename().string();
    if (fs::is_directory(path))
      readFolder(path, file.rfind("OPPROF_", 0) == 0 ? name : file, found);
    else if ((isSummary(path) && !whole) || file == "counters.csv" || file == "times.csv")
      for (Measurement& one : tableOf(path.string()))
        add(std::move(one));
  }
}

// ---- the same case, measured several times or in several files ----

std::string keyOf(const Measurement& one) {
  if (const std::string* name = one.label("case"))
    return *name;
  std::string key;
  for (const auto& [label, text] : one.labels)
    key += label + "=" + text + " ";
  return key;
}

std::vector<Measurement> merged(const std::vector<Measurement>& all) {
  std::vector<Measurement> found;
  std::map<std::string, size_t> cases;
  std::vector<std::map<std::pair<std::string, std::string>, unsigned>> counts;
  for (const Measurement& one : all) {
    const auto [at, fresh] = cases.emplace(keyOf(one), found.size());
    if (fresh) {
      found.push_back({one.labels, {}});
      counts.emplace_back();
    }
    Measurement& into = found[at->second];
    for (const auto& label : one.labels)
      if (!into.label(label.first))
        into.labels.push_back(label);
    for (const Metric& metric : one.metrics) {
      unsigned& count = counts[at->second][{metric.table, metric.name}];
      const auto known = std::find_if(into.metrics.begin(), into.metrics.end(), [&](const Metric& m) {
        return m.table == metric.table && m.name == metric.name;
      });
      if (known == into.metrics.end())
        into.metrics.push_back(metric);
      else
        known->value += (metric.value - known->value) / (count + 1);
      ++count;
    }
  }
  return found;
}

} // namespace

const std::string* Measurement::label(const std::string& name) const {
  const auto found =
      std::find_if(labels.begin(), labels.end(), [&](const auto& pair) { return same(pair.first, name); });
  return found == labels.end() ? nullptr : &found->second;
}

std::vector<Measurement> readMeasurements(const std::string& path) {
  if (!fs::exists(path))
    throw InputError(path + ": does not exist");
  std::vector<Measurement> found;
  if (fs::is_directory(path))
    readFolder(path, "", found);
  else
    found = tableOf(path);
  if (found.empty())
    throw InputError(
        path +
        ": holds no measurements; expected OPPROF_* folders, op_summary_*.csv, counters.csv, times.csv, or "
        "what dlsim run --out wrote");
  return merged(found);
}

} // namespace dlsim::compare
