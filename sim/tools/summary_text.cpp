#include "sim/tools/summary_text.h"

#include "sim/tools/bound.h"
#include "sim/tools/csv.h"
#include "sim/tools/run_command.h"
#include "sim/tools/source_view.h"
#include "sim/tools/verdict.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace dlsim::tools {

namespace {

constexpr size_t kTopLines = 5;

__attribute__((format(printf, 2, 3))) void add(std::string& text, const char* format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  text += line;
}

std::string bytes(uint64_t n) {
  char text[32];
  double x = static_cast<double>(n);
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  unsigned u = 0;
  for (; x >= 1000 && u < 4; ++u)
    x /= 1000;
  std::snprintf(text, sizeof text, u ? "%.2f %s" : "%.0f %s", x, units[u]);
  return text;
}

void addUnits(std::string& text, const Run& run) {
  for (const KindUse& use : useByKind(run)) {
    add(text, "%-14s", ("units of " + use.kind).c_str());
    for (unsigned u = 1; u < core::kUnits; ++u)
      if (use.has[u])
        add(text, " %s %.1f%%", unitText(u).c_str(), 100 * use.busy[u]);
    add(text, " scalar %.1f%%   (busy, mean of %u cores, %.0f cycles each)\n", 100 * use.scalarBusy,
        use.cores, use.cycles);
  }
}

void addMemory(std::string& text, const Run& run) {
  const observe::MemoryCounters& m = run.result.counters.memory;
  auto percent = [](uint64_t hit, uint64_t miss) {
    return 100 * ratio(static_cast<double>(hit), static_cast<double>(hit + miss));
  };
  double seconds = run.timeUs() * 1e-6;
  add(text, "L2             read hit %.1f%%, write hit %.1f%%, ports %.1f%% used\n",
      percent(m.l2_read_hit, m.l2_read_miss), percent(m.l2_write_hit, m.l2_write_miss), 100 * l2Use(run));
  add(text, "HBM            read %s, written %s, %.1f GB/s, row hit %.1f%%\n",
      bytes(m.hbm_read_bytes).c_str(), bytes(m.hbm_write_bytes).c_str(),
      ratio(static_cast<double>(m.hbm_read_bytes + m.hbm_write_bytes) / 1e9, seconds),
      percent(m.hbm_row_hits, m.hbm_row_misses));
  add(text, "same line      at most %llu requests at a line, mean %.2f\n",
      static_cast<unsigned long long>(m.same_line_max), m.same_line_mean);
}

void addBundles(std::string& text, const Run& run) {
  uint64_t bundles = 0, words = 0;
  for (const observe::CoreCounters& c : run.result.counters.cores) {
    bundles += c.bundles;
    words += c.words;
  }
  add(text, "bundles        %.2f words a bundle",
      ratio(static_cast<double>(words), static_cast<double>(bundles)));
  std::vector<LoopOccupancy> loops = loopOccupancy(run);
  auto mmad = std::find_if(loops.begin(), loops.end(), [](const LoopOccupancy& l) { return l.mmad; });
  if (mmad != loops.end())
    add(text, "; K loop at %s: %.2f", mmad->source.empty() ? "?" : mmad->source.c_str(), mmad->words);
  else if (!loops.empty())
    add(text, "; hottest loop at %s: %.2f", loops[0].source.empty() ? "?" : loops[0].source.c_str(),
        loops[0].words);
  text += '\n';
}

void addStalls(std::string& text, const Run& run) {
  double all = 0;
  for (const observe::CoreCounters& c : run.result.counters.cores)
    if (c.used)
      all += static_cast<double>(c.total());
  std::vector<LineStalls> lines = stallsByLine(run);
  for (size_t i = 0; i < std::min(kTopLines, lines.size()); ++i) {
    unsigned top = static_cast<unsigned>(std::max_element(lines[i].cycles.begin(), lines[i].cycles.end()) -
                                         lines[i].cycles.begin());
    add(text, "%-14s %5.1f%%  %s, mostly %s\n", i ? "" : "stalls",
        100 * ratio(static_cast<double>(lines[i].total), all), lines[i].source.c_str(),
        observe::stallName(static_cast<observe::Stall>(top)));
  }
}

void addValues(std::string& text, const Run& run) {
  if (run.options->timingOnly) {
    text += "values         not computed (--timing-only)\n";
    return;
  }
  for (const auto& [name, d] : run.differences)
    add(text, "values         %s\n", differenceText(name, d).c_str());
  for (const std::string& name : run.unchecked)
    add(text, "values         %s: nothing to compare with\n", name.c_str());
}

// The least time that the chip's rates allow, see bound.h.
void addBound(std::string& text, const Run& run) {
  if (!run.macs)
    return;
  const Bound bound = boundOf(run);
  auto us = [&](double cycles) { return run.microseconds(cycles); };
  add(text,
      "least time     %.3f us by the %s: cube %.1f us, copies to L1 %.1f us, L2 %.1f us, HBM %.1f us; the "
      "run "
      "reaches %.1f%% of that rate\n",
      us(bound.cycles()), bound.longestName(), us(bound.cube), us(bound.copies), us(bound.l2), us(bound.hbm),
      100 * bound.cycles() / static_cast<double>(run.result.cycles));
}

} // namespace

std::string differenceText(const std::string& name, const casefile::Difference& d) {
  std::string text;
  if (d.ok()) {
    add(text, "%s: ok, max abs error %.3g, max rel error %.3g (tolerance %.3g)", name.c_str(), d.max_abs,
        d.max_rel, d.tolerance);
    return text;
  }
  std::string index;
  for (uint64_t i : d.index)
    index += (index.empty() ? "" : ", ") + std::to_string(i);
  add(text,
      "%s: %llu of %llu elements differ, max abs error %.3g, max rel error %.3g (tolerance %.3g); first at "
      "[%s]: got %s, "
      "expected %s",
      name.c_str(), static_cast<unsigned long long>(d.mismatches),
      static_cast<unsigned long long>(d.elements), d.max_abs, d.max_rel, d.tolerance, index.c_str(),
      d.got.c_str(), d.expected.c_str());
  return text;
}

std::string summaryText(const Run& run) {
  std::string text;
  add(text, "%s on %s: %s, grid %llu x %llu x %llu on %u cores\n", run.kernel->name.c_str(),
      run.chip->name.c_str(), run.input->name.c_str(), static_cast<unsigned long long>(run.input->grid[0]),
      static_cast<unsigned long long>(run.input->grid[1]),
      static_cast<unsigned long long>(run.input->grid[2]), run.result.cores);
  add(text, "time           %.3f us (%llu cycles, of them %llu before the first core starts)\n", run.timeUs(),
      static_cast<unsigned long long>(run.result.cycles), static_cast<unsigned long long>(run.result.head));
  if (run.macs)
    add(text, "MAC efficiency %.1f%% of the chip's peak over the task's time\n", 100 * run.macEfficiency());
  addUnits(text, run);
  add(text, "bound by       %s\n", boundBy(run).c_str());
  addBound(text, run);
  addMemory(text, run);
  addBundles(text, run);
  addStalls(text, run);
  addValues(text, run);
  add(text, "simulated in   %.2f s, %.2f M commands\n", run.wallSeconds,
      static_cast<double>(run.commands) / 1e6);
  return text;
}

} // namespace dlsim::tools
