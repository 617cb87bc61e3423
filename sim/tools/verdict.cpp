#include "sim/tools/verdict.h"

#include "sim/tools/csv.h"
#include "sim/tools/run_command.h"

#include "isa/tables/tables.h"

#include <cstdio>

namespace dlsim::tools {

std::string unitText(unsigned unit) { return std::string(isa::unitName(static_cast<isa::Unit>(unit))); }

std::vector<KindUse> useByKind(const Run& run) {
  std::vector<KindUse> uses;
  for (unsigned kind = 0; kind < run.chip->kinds.size(); ++kind) {
    KindUse use;
    use.kind = run.chip->kinds[kind].name;
    double all = 0;
    std::array<double, core::kUnits> busy{}, wait{}, full{};
    double scalar = 0;
    for (const observe::CoreCounters& core : run.result.counters.cores) {
      if (!core.used || core.core.kind != kind)
        continue;
      ++use.cores;
      all += static_cast<double>(core.total());
      scalar += static_cast<double>(core.scalar_busy);
      for (unsigned u = 0; u < core::kUnits; ++u) {
        busy[u] += static_cast<double>(core.unit[u].busy);
        wait[u] += static_cast<double>(core.unit[u].wait);
        full[u] += static_cast<double>(core.queue_full[u]);
      }
    }
    if (!use.cores)
      continue;
    use.cycles = all / use.cores;
    use.scalarBusy = ratio(scalar, all);
    for (unsigned u = 0; u < core::kUnits; ++u) {
      use.busy[u] = ratio(busy[u], all);
      use.wait[u] = ratio(wait[u], all);
      use.queueFull[u] = ratio(full[u], all);
      use.has[u] = run.chip->kinds[kind].hasUnit(unitText(u));
    }
    uses.push_back(use);
  }
  return uses;
}

double hbmUse(const Run& run) {
  const observe::MemoryCounters& m = run.result.counters.memory;
  double peak = run.chip->hbm.channels() * run.chip->hbm.channelBytes * run.chip->hbm.efficiency;
  return ratio(static_cast<double>(m.hbm_read_bytes + m.hbm_write_bytes),
               peak * static_cast<double>(run.result.cycles));
}

double l2Use(const Run& run) {
  double bytes = 0;
  for (const observe::CoreCounters& core : run.result.counters.cores)
    bytes += static_cast<double>(core.gm_read_bytes + core.gm_write_bytes);
  return ratio(bytes, run.chip->l2.slices * run.chip->l2.portBytes * static_cast<double>(run.result.cycles));
}

namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

} // namespace

std::string boundBy(const Run& run) {
  constexpr double kThreshold = 0.8;
  double hbm = hbmUse(run), l2 = l2Use(run);
  std::string best = "nothing", where;
  double most = 0;
  for (const KindUse& use : useByKind(run)) {
    auto consider = [&](const std::string& name, double share) {
      if (share > most)
        most = share, best = name, where = use.kind;
    };
    for (unsigned u = 1; u < core::kUnits; ++u)
      consider(unitText(u), use.busy[u]);
    consider("scalar unit", use.scalarBusy);
  }
  std::string unit = best + " of " + where + " busy " + percent(most);
  if (most >= kThreshold && (best == "M" || best == "V"))
    return "compute bound: " + unit;
  if (hbm >= kThreshold)
    return "memory bound: HBM at " + percent(hbm) + " of its sustained bandwidth; " + unit;
  if (l2 >= kThreshold)
    return "memory bound: L2 at " + percent(l2) + " of its bandwidth; " + unit;
  if (most >= kThreshold && best == "scalar unit")
    return "scalar bound: " + unit;
  if (most >= kThreshold && best == "MTE1")
    return "on-chip movement bound: " + unit;
  if (most >= kThreshold)
    return "memory bound: " + unit + ", HBM at " + percent(hbm) + ", L2 at " + percent(l2);
  return "latency bound: no unit is busy for 80 %; most is " + unit;
}

} // namespace dlsim::tools
