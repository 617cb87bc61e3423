// op_summary.csv, as msprof writes it: sums over blocks, times scaled to rounds of blocks over the cores.
#include "sim/tools/profile_csv.h"
#include "sim/tools/profile_row.h"

#include <algorithm>
#include <cmath>

namespace dlsim::tools {

namespace {

using core::Unit;

// Names of dtypes in the profiler.
std::string typeName(isa::DType type) {
  switch (type) {
  case isa::DType::F16:
    return "FLOAT16";
  case isa::DType::BF16:
    return "DT_BF16";
  case isa::DType::F32:
  case isa::DType::HF32:
    return "FLOAT";
  default:
    break;
  }
  std::string name(isa::dtypeName(type)); // "i32", "u8"
  return (name[0] == 'u' ? "UINT" : "INT") + name.substr(1);
}

std::string shapeText(const std::vector<uint64_t>& shape) {
  std::string text;
  for (const uint64_t extent : shape)
    text += (text.empty() ? "" : ",") + std::to_string(extent);
  return text;
}

enum class What : uint8_t { Shapes, Types, Formats };

// `"128,1024;1024,128"`: all tensors that are (or are not) outputs.
std::string tensors(const Run& run, bool outputs, What what) {
  std::string list;
  bool first = true;
  for (const casefile::Arg& arg : run.input->args) {
    if (!arg.tensor || arg.data.output != outputs)
      continue;
    list += first ? "" : ";";
    first = false;
    list += what == What::Shapes  ? shapeText(arg.data.shape)
            : what == What::Types ? typeName(arg.data.dtype)
                                  : "ND";
  }
  return what == What::Shapes ? '"' + list + '"' : list;
}

// The cores of one type, together.
struct Group {
  const Run& run;
  std::vector<Row> rows;
  unsigned cores = 0; // of the chip

  Group(const Run& r, bool cube) : run(r) {
    for (const Row& row : rowsOf(r))
      if (row.cube == cube)
        rows.push_back(row);
    for (const sim::CoreKindSpec& kind : r.chip->kinds)
      if (kind.hasUnit("M") == cube)
        cores += r.chip->count(kind.name);
  }
  double sum(const Value& value) const {
    double total = 0;
    for (const Row& row : rows)
      total += value(row);
    return total;
  }
  double cycles() const {
    return sum([](const Row& r) { return r.total(); });
  }
  // Cycles summed over blocks, as the time of the rounds that they make on the cores.
  double time(double cycles) const {
    if (rows.empty() || !cores)
      return 0;
    const double blocks = static_cast<double>(rows.size());
    return run.microseconds(cycles) * std::ceil(blocks / cores) / blocks;
  }
};

using Cells = std::vector<std::pair<std::string, std::string>>;

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

void addPipe(Cells& cells, const Group& g, const std::string& name, const Value& cycles) {
  const double sum = g.sum(cycles);
  cells.emplace_back(name + "_time(us)", fixed(g.time(sum), 3));
  cells.emplace_back(name + "_ratio", fixed(ratio(sum, g.cycles()), 3));
}

Value busy(Unit unit) {
  return [unit](const Row& r) { return r.busy(unit); };
}

void addCore(Cells& cells, const Group& g, const std::string& prefix, const std::string& time) {
  cells.emplace_back(time, fixed(g.time(g.cycles()), 3));
  cells.emplace_back(prefix + "_total_cycles", fixed(g.cycles(), 0));
}

void addMissRate(Cells& cells, const Group& g, const std::string& prefix) {
  const double misses = g.sum([](const Row& r) { return static_cast<double>(r.core->icache_misses); });
  const double requests = g.sum([](const Row& r) { return static_cast<double>(r.core->icache_requests); });
  cells.emplace_back(prefix + "_icache_miss_rate", fixed(ratio(misses, requests), 3));
}

Cells describe(const Run& run, const Group& cube, const Group& vector) {
  const bool mixed = run.kernel->kind == dlk::KernelKind::Mix;
  const bool hf32 =
      std::any_of(cube.rows.begin(), cube.rows.end(), [](const Row& r) { return r.core->hf32; });
  return {{"Device_id", "0"},
          {"Model ID", "4294967295"},
          {"Task ID", "0"},
          {"Stream ID", "0"},
          {"Op Name", run.kernel->name},
          {"OP Type", run.kernel->name},
          {"OP State", "static"},
          {"Task Type", mixed                                      ? "MIX_AIC"
                        : run.kernel->kind == dlk::KernelKind::Aic ? "AI_CORE"
                                                                   : "AI_VECTOR_CORE"},
          {"Task Start Time(us)", "0.000"},
          {"Task Duration(us)", fixed(run.timeUs(), 3)},
          {"Task Wait Time(us)", "0.000"},
          {"Block Num", std::to_string(run.result.cores)},
          {"Mix Block Num", std::to_string(mixed ? vector.rows.size() : 0)},
          {"HF32 Eligible", hf32 ? "YES" : "NO"},
          {"Input Shapes", tensors(run, false, What::Shapes)},
          {"Input Data Types", tensors(run, false, What::Types)},
          {"Input Formats", tensors(run, false, What::Formats)},
          {"Output Shapes", tensors(run, true, What::Shapes)},
          {"Output Data Types", tensors(run, true, What::Types)},
          {"Output Formats", tensors(run, true, What::Formats)},
          {"Context ID", "N/A"}};
}

} // namespace

std::string opSummaryCsv(const Run& run) {
  const Group cube(run, true), vector(run, false);
  const Value scalar = [](const Row& r) { return static_cast<double>(r.core->scalar_busy); };
  Cells cells = describe(run, cube, vector);
  addCore(cells, cube, "aic", "aicore_time(us)");
  addPipe(cells, cube, "aic_mac", busy(Unit::M));
  addPipe(cells, cube, "aic_scalar", scalar);
  addPipe(cells, cube, "aic_mte1", busy(Unit::MTE1));
  addPipe(cells, cube, "aic_mte2", busy(Unit::MTE2));
  addPipe(cells, cube, "aic_fixpipe", busy(Unit::FIX));
  addMissRate(cells, cube, "aic");
  addCore(cells, vector, "aiv", "aiv_time(us)");
  addPipe(cells, vector, "aiv_vec", busy(Unit::V));
  addPipe(cells, vector, "aiv_scalar", scalar);
  addPipe(cells, vector, "aiv_mte2", busy(Unit::MTE2));
  addPipe(cells, vector, "aiv_mte3", busy(Unit::MTE3));
  addMissRate(cells, vector, "aiv");
  const double all = static_cast<double>(cube.cores) * static_cast<double>(run.result.cycles);
  cells.emplace_back("cube_utilization(%)", fixed(100 * ratio(cube.cycles(), all), 3));
  std::string header, line;
  for (const auto& [name, value] : cells) {
    header += (header.empty() ? "" : ",") + name;
    line += (line.empty() ? "" : ",") + value;
  }
  return header + "\n" + line + "\n";
}

} // namespace dlsim::tools
