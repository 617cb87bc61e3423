#include "sim/tools/visualize.h"

#include "sim/tools/profile_row.h"
#include "sim/tools/verdict.h"

#include "isa/tables/tables.h"

#include <algorithm>
#include <cstdio>

namespace dlsim::tools {

namespace {

using core::Unit;

template <class... A> void add(std::string& text, const char* format, A... args) {
  char line[256];
  std::snprintf(line, sizeof line, format, args...);
  text += line;
}

struct Spread {
  double mean = 0, least = 0, most = 0;
};

Spread spread(const std::vector<Row>& rows, const Value& value) {
  Spread s;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double x = value(rows[i]);
    s.mean += x / static_cast<double>(rows.size());
    s.least = i ? std::min(s.least, x) : x;
    s.most = i ? std::max(s.most, x) : x;
  }
  return s;
}

void addLine(std::string& text, const std::string& name, const std::vector<Row>& rows, const Value& cycles,
             uint64_t instructions) {
  const Spread s = spread(rows, cycles),
               share = spread(rows, [&](const Row& r) { return 100 * ratio(cycles(r), r.whole()); });
  add(text, "  %-22s %12.3f %12.3f %12.3f %9.1f%% %12llu\n", name.c_str(), rows[0].us(s.mean),
      rows[0].us(s.least), rows[0].us(s.most), share.mean, static_cast<unsigned long long>(instructions));
}

uint64_t instructions(const std::vector<Row>& rows, Unit unit) {
  uint64_t sum = 0;
  for (const Row& row : rows)
    sum += row.unit(unit).instructions;
  return sum;
}

void addPipes(std::string& text, const Run& run, const std::vector<Row>& rows,
              const sim::CoreKindSpec& kind) {
  add(text, "%s, %zu cores%s\n", kind.name.c_str(), rows.size(),
      rows[0].mixed() && !rows[0].corrected() ? " (ratios of the whole task)" : "");
  add(text, "  %-22s %12s %12s %12s %10s %12s\n", "pipe", "mean us", "least us", "most us", "mean",
      "commands");
  addLine(text, "total", rows, [](const Row& r) { return r.total(); }, 0);
  for (unsigned u = 1; u < core::kUnits; ++u) {
    const auto unit = static_cast<Unit>(u);
    if (!kind.hasUnit(unitText(u)))
      continue;
    addLine(text, unitText(u), rows, [unit](const Row& r) { return r.busy(unit); }, instructions(rows, unit));
    addLine(text, "  waits for flags", rows, [unit](const Row& r) { return r.wait(unit); }, 0);
  }
  addLine(
      text, "scalar", rows, [](const Row& r) { return static_cast<double>(r.core->scalar_busy); },
      instructions(rows, Unit::S));
  for (unsigned s = 1; s < observe::kStalls; ++s) {
    const auto why = static_cast<observe::Stall>(s);
    const Value cycles = [why](const Row& r) { return r.stall(why); };
    if (spread(rows, cycles).most > 0)
      addLine(text, std::string("  ") + observe::stallName(why), rows, cycles, 0);
  }
}

// Bytes of a path, as far as the counters tell the paths of one unit apart.
double movedOn(const Row& r, const sim::PathSpec& path, Unit unit) {
  for (unsigned s = 0; s < core::kSpaces; ++s) {
    const auto space = static_cast<core::Space>(s);
    if (unit == Unit::MTE1 && core::spaceKey(space) == path.to)
      return r.written(space);
  }
  if (unit == Unit::FIX) {
    const auto to_l1 = static_cast<double>(r.core->fix_l1_bytes);
    return path.to == "l1" ? to_l1 : static_cast<double>(r.unit(unit).bytes_written) - to_l1;
  }
  return static_cast<double>(path.from == "gm" ? r.unit(unit).bytes_written : r.unit(unit).bytes_read);
}

// Bytes that a unit moved on its path, while it was busy, against the path's width.
void addPaths(std::string& text, const std::vector<Row>& rows, const sim::CoreKindSpec& kind) {
  add(text, "  %-22s %12s %12s %12s %10s\n", "path", "KB in all", "GB/s busy", "GB/s width", "used");
  for (const auto& [name, path] : kind.paths) {
    const std::optional<isa::Unit> unit = isa::unitByName(path.unit);
    if (!unit)
      continue;
    double bytes = 0, busy = 0;
    for (const Row& row : rows) {
      busy += row.busy(*unit);
      bytes += movedOn(row, path, *unit);
    }
    if (bytes == 0)
      continue;
    const double width = path.bytesPerCycle * rows[0].run->chip->clockMhz * 1e6 / 1e9;
    const double rate = ratio(bytes / 1e9, rows[0].us(busy) * 1e-6);
    add(text, "  %-22s %12.1f %12.2f %12.2f %9.1f%%\n", (path.from + " -> " + path.to).c_str(), bytes / 1024,
        rate, width, 100 * ratio(rate, width));
  }
}

void addRoofs(std::string& text, const Run& run) {
  const observe::MemoryCounters& m = run.result.counters.memory;
  const double seconds = run.timeUs() * 1e-6;
  const auto bytes = static_cast<double>(m.hbm_read_bytes + m.hbm_write_bytes);
  add(text, "memory\n  %-22s %12.2f GB/s %10.1f%% of the sustained bandwidth\n", "HBM",
      ratio(bytes / 1e9, seconds), 100 * hbmUse(run));
  add(text, "  %-22s %17s %10.1f%% of the ports\n", "L2", "", 100 * l2Use(run));
  if (run.macs) {
    const double ops = 2 * static_cast<double>(run.macs);
    add(text, "  %-22s %12.2f TOP/s %9.1f%% of the cubes, %.1f operations a byte of HBM\n", "products",
        ratio(ops / 1e12, seconds), 100 * run.macEfficiency(), ratio(ops, bytes));
  }
  text += "verdict  " + boundBy(run) + "\n";
}

} // namespace

std::string visualizeText(const Run& run) {
  std::string text;
  for (unsigned kind = 0; kind < run.chip->kinds.size(); ++kind) {
    std::vector<Row> rows;
    for (const Row& row : rowsOf(run))
      if (row.core->core.kind == kind)
        rows.push_back(row);
    if (rows.empty())
      continue;
    addPipes(text, run, rows, run.chip->kinds[kind]);
    addPaths(text, rows, run.chip->kinds[kind]);
  }
  addRoofs(text, run);
  return text;
}

} // namespace dlsim::tools
