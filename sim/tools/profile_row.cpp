#include "sim/tools/profile_row.h"

#include <algorithm>
#include <tuple>

namespace dlsim::tools {

std::vector<Row> rowsOf(const Run& run) {
  std::vector<Row> rows;
  for (const observe::CoreCounters& core : run.result.counters.cores)
    if (core.used)
      rows.push_back({&run, &core, run.chip->kinds[core.core.kind].hasUnit("M")});
  if (run.kernel->kind == dlk::KernelKind::Mix) // a block is an AIC with its AIVs
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return std::tuple(a.core->core.group, !a.cube, a.core->core.subcore) <
             std::tuple(b.core->core.group, !b.cube, b.core->core.subcore);
    });
  return rows;
}

Columns blockColumns() {
  return {{"block_id",
           [](const Row& r) { return std::to_string(r.mixed() ? r.core->core.group : r.core->core.index); }},
          {"sub_block_id", [](const Row& r) {
             return (r.cube ? "cube" : "vector") + std::to_string(r.mixed() ? r.core->core.subcore : 0);
           }}};
}

Column<Row> column(bool cube, const std::string& name, Value value) {
  return {(cube ? "aic_" : "aiv_") + name,
          [cube, value](const Row& r) { return r.cube == cube ? fixed6(value(r)) : std::string("NA"); }};
}

Column<Row> count(bool cube, const std::string& name, Count value) {
  return {(cube ? "aic_" : "aiv_") + name, [cube, value](const Row& r) {
            return r.cube == cube ? std::to_string(value(*r.core)) : std::string("NA");
          }};
}

Column<Row> always(const std::string& name, Value value) {
  return {name, [value](const Row& r) { return fixed6(value(r)); }};
}

void addCommon(Columns& c, bool cube) {
  c.push_back(column(cube, "time(us)", [](const Row& r) { return r.us(r.total()); }));
  c.push_back(count(cube, "total_cycles", [](const observe::CoreCounters& k) { return k.total(); }));
}

void addRatio(Columns& c, bool cube, const std::string& name, Value cycles) {
  c.push_back(column(cube, name + "_ratio", [cycles](const Row& r) { return ratio(cycles(r), r.whole()); }));
}

void addInstructions(Columns& c, bool cube, const std::string& name, core::Unit unit) {
  c.push_back(count(cube, name, [unit](const observe::CoreCounters& k) {
    return k.unit[static_cast<unsigned>(unit)].instructions;
  }));
}

} // namespace dlsim::tools
