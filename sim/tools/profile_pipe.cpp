// PipeUtilization.csv and ResourceConflictRatio.csv.
#include "sim/tools/profile_csv.h"
#include "sim/tools/profile_row.h"

namespace dlsim::tools {

namespace {

using core::Unit;
using observe::CoreCounters;
using observe::Stall;
using observe::UnitCounters;

void addTime(Columns& c, bool cube, const std::string& name, Value cycles) {
  c.push_back(column(cube, name + "_time(us)", [cycles](const Row& r) { return r.us(cycles(r)); }));
}

void addPipe(Columns& c, bool cube, const std::string& name, Unit unit) {
  addTime(c, cube, name, [unit](const Row& r) { return r.busy(unit); });
  addRatio(c, cube, name, [unit](const Row& r) { return r.busy(unit); });
}

// Bytes over the time in which the unit was busy.
void addBandwidth(Columns& c, bool cube, const std::string& name, Unit unit, bool written) {
  c.push_back(column(cube, name + "_active_bw(GB/s)", [unit, written](const Row& r) {
    const UnitCounters& u = r.unit(unit);
    return r.rate(static_cast<double>(written ? u.bytes_written : u.bytes_read), r.busy(unit));
  }));
}

double scalarWait(const Row& r) {
  return r.stall(Stall::Flag) + r.stall(Stall::Barrier) + r.stall(Stall::CrossFlag);
}

void addScalar(Columns& c, bool cube) {
  c.push_back(column(cube, "icache_miss_rate", [](const Row& r) {
    return ratio(static_cast<double>(r.core->icache_misses), static_cast<double>(r.core->icache_requests));
  }));
  addTime(c, cube, "scalar", [](const Row& r) { return static_cast<double>(r.core->scalar_busy); });
  addRatio(c, cube, "scalar", [](const Row& r) { return static_cast<double>(r.core->scalar_busy); });
  addTime(c, cube, "scalar_single", [](const Row& r) { return static_cast<double>(r.core->single_issue); });
  addTime(c, cube, "scalar_dual", [](const Row& r) { return static_cast<double>(r.core->dual_issue); });
}

void addQueueStall(Columns& c, bool cube, const std::string& name, Unit unit) {
  addTime(c, cube, "scalar_" + name + "_stall", [unit](const Row& r) { return r.queueFull(unit); });
}

void addScalarWaits(Columns& c, bool cube) {
  addTime(c, cube, "scalar_wait_ib", [](const Row& r) { return r.stall(Stall::ICache); });
  addTime(c, cube, "scalar_wait", scalarWait);
}

// Only ids for which some core of the type waited, as the profiler does.
void addWaitIds(Columns& c, bool cube, const std::vector<Row>& rows) {
  for (size_t id = 0; id < CoreCounters{}.wait_id.size(); ++id)
    for (const Row& row : rows)
      if (row.cube == cube && row.core->wait_id[id]) {
        addTime(c, cube, "scalar_wait_id" + std::to_string(id),
                [id](const Row& r) { return static_cast<double>(r.core->wait_id[id]); });
        break;
      }
}

Columns pipeColumns(const Run& run, const std::vector<Row>& rows) {
  Columns c = blockColumns();
  addCommon(c, true);
  addPipe(c, true, "cube", Unit::M);
  addPipe(c, true, "mte1", Unit::MTE1);
  addPipe(c, true, "mte2", Unit::MTE2);
  addPipe(c, true, "mte3", Unit::MTE3);
  addBandwidth(c, true, "mte3", Unit::MTE3, true);
  addPipe(c, true, "fixpipe", Unit::FIX);
  addBandwidth(c, true, "fixpipe", Unit::FIX, true);
  addScalar(c, true);
  addQueueStall(c, true, "mte1", Unit::MTE1);
  addQueueStall(c, true, "mte2", Unit::MTE2);
  addQueueStall(c, true, "mte3", Unit::MTE3);
  addQueueStall(c, true, "cube", Unit::M);
  addScalarWaits(c, true);
  addCommon(c, false);
  addPipe(c, false, "vec", Unit::V);
  addPipe(c, false, "mte2", Unit::MTE2);
  addBandwidth(c, false, "mte2", Unit::MTE2, false);
  addPipe(c, false, "mte3", Unit::MTE3);
  addBandwidth(c, false, "mte3", Unit::MTE3, true);
  addScalar(c, false);
  addQueueStall(c, false, "mte2", Unit::MTE2);
  addQueueStall(c, false, "mte3", Unit::MTE3);
  addTime(c, false, "scalar_stall_by_ub", [](const Row& r) { return r.stall(Stall::UbBusy); });
  addQueueStall(c, false, "vector", Unit::V);
  addScalarWaits(c, false);
  for (const bool cube : {true, false})
    addWaitIds(c, cube, rows);
  if (run.options->memoryDetail) {
    addBandwidth(c, true, "mte1", Unit::MTE1, false);
    addBandwidth(c, true, "mte2", Unit::MTE2, false);
  }
  return c;
}

void addWait(Columns& c, bool cube, const std::string& name, Unit unit) {
  addRatio(c, cube, name + "_wait", [unit](const Row& r) { return r.wait(unit); });
}

void addConflict(Columns& c, const std::string& name, Count cycles) {
  addRatio(c, false, "vec_" + name + "_cflt",
           [cycles](const Row& r) { return static_cast<double>(cycles(*r.core)); });
}

} // namespace

std::string pipeUtilizationCsv(const Run& run) {
  const std::vector<Row> rows = rowsOf(run);
  return table(pipeColumns(run, rows), rows);
}

std::string resourceConflictCsv(const Run& run) {
  using K = CoreCounters;
  Columns c = blockColumns();
  addCommon(c, true);
  addWait(c, true, "cube", Unit::M);
  addWait(c, true, "mte1", Unit::MTE1);
  addWait(c, true, "mte2", Unit::MTE2);
  addWait(c, true, "mte3", Unit::MTE3);
  addCommon(c, false);
  addConflict(c, "total", [](const K& k) {
    return k.bankgroup_conflict + k.bank_conflict + k.resource_conflict + k.mte_conflict;
  });
  addConflict(c, "bankgroup", [](const K& k) { return k.bankgroup_conflict; });
  addConflict(c, "bank", [](const K& k) { return k.bank_conflict; });
  addConflict(c, "resc", [](const K& k) { return k.resource_conflict; });
  addConflict(c, "mte", [](const K& k) { return k.mte_conflict; });
  addWait(c, false, "vec", Unit::V);
  addWait(c, false, "mte2", Unit::MTE2);
  addWait(c, false, "mte3", Unit::MTE3);
  return table(c, rowsOf(run));
}

} // namespace dlsim::tools
