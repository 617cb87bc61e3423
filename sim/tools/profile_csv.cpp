#include "sim/tools/profile_csv.h"

#include "sim/tools/csv.h"
#include "sim/tools/run_command.h"

namespace dlsim::tools {

namespace {

using core::Unit;
using observe::CoreCounters;
using observe::Stall;
using observe::UnitCounters;

// One line: a core of a block.
struct Row {
  const Run* run;
  const CoreCounters* core;
  bool cube;

  double total() const { return static_cast<double>(core->total()); }
  double us(double cycles) const { return run->microseconds(cycles); }
  // What ratios are relative to.
  double whole() const {
    bool mixed = run->kernel->kind == dlk::KernelKind::Mix;
    return mixed && !run->options->correctedPmu ? static_cast<double>(run->result.cycles) : total();
  }
  const UnitCounters& unit(Unit u) const { return core->unit[static_cast<unsigned>(u)]; }
  double busy(Unit u) const { return static_cast<double>(unit(u).busy); }
  double wait(Unit u) const { return static_cast<double>(unit(u).wait); }
  double queueFull(Unit u) const { return static_cast<double>(core->queue_full[static_cast<unsigned>(u)]); }
  double stall(Stall s) const { return static_cast<double>(core->stall[static_cast<unsigned>(s)]); }
  // Bytes while the unit was busy, in the profiler's "GB/s".
  double activeBandwidth(Unit u, double bytes) const {
    double seconds = us(busy(u)) * 1e-6, unitBytes = run->options->correctedPmu ? 1e9 : 1073741824.0;
    return ratio(bytes / unitBytes, seconds);
  }
};

using Columns = std::vector<Column<Row>>;
using Value = std::function<double(const Row&)>;

bool hasCube(const Run& run, const CoreCounters& core) {
  return run.chip->kinds[core.core.kind].hasUnit("M");
}

std::vector<Row> rowsOf(const Run& run) {
  std::vector<Row> rows;
  for (const CoreCounters& core : run.result.counters.cores)
    if (core.used)
      rows.push_back({&run, &core, hasCube(run, core)});
  return rows;
}

Column<Row> blockColumn() {
  return {"block_id", [](const Row& r) {
            bool mixed = r.run->kernel->kind == dlk::KernelKind::Mix;
            return std::to_string(mixed ? r.core->core.group : r.core->core.index);
          }};
}

Column<Row> subBlockColumn() {
  return {"sub_block_id", [](const Row& r) {
            bool mixed = r.run->kernel->kind == dlk::KernelKind::Mix;
            return (r.cube ? "cube" : "vector") + std::to_string(mixed ? r.core->core.subcore : 0);
          }};
}

// A column of one core type prints NA on the other's lines.
Column<Row> column(bool cube, const std::string& name, Value value) {
  return {(cube ? "aic_" : "aiv_") + name,
          [cube, value](const Row& r) { return r.cube == cube ? fixed6(value(r)) : std::string("NA"); }};
}
Column<Row> count(bool cube, const std::string& name, std::function<uint64_t(const CoreCounters&)> value) {
  return {(cube ? "aic_" : "aiv_") + name, [cube, value](const Row& r) {
            return r.cube == cube ? std::to_string(value(*r.core)) : std::string("NA");
          }};
}

void addCommon(Columns& c, bool cube) {
  c.push_back(column(cube, "time(us)", [](const Row& r) { return r.us(r.total()); }));
  c.push_back(count(cube, "total_cycles", [](const CoreCounters& k) { return k.total(); }));
}

void addPipe(Columns& c, bool cube, const std::string& name, Unit unit) {
  c.push_back(column(cube, name + "_time(us)", [unit](const Row& r) { return r.us(r.busy(unit)); }));
  c.push_back(column(cube, name + "_ratio", [unit](const Row& r) { return ratio(r.busy(unit), r.whole()); }));
}

void addBandwidth(Columns& c, bool cube, const std::string& name, Unit unit, bool written) {
  c.push_back(column(cube, name + "_active_bw(GB/s)", [unit, written](const Row& r) {
    const UnitCounters& u = r.unit(unit);
    return r.activeBandwidth(unit, static_cast<double>(written ? u.bytes_written : u.bytes_read));
  }));
}

void addTime(Columns& c, bool cube, const std::string& name, Value cycles) {
  c.push_back(column(cube, name + "_time(us)", [cycles](const Row& r) { return r.us(cycles(r)); }));
}

double scalarWait(const Row& r) {
  return r.stall(Stall::Flag) + r.stall(Stall::Barrier) + r.stall(Stall::CrossFlag);
}

void addScalar(Columns& c, bool cube) {
  c.push_back(column(cube, "icache_miss_rate", [](const Row& r) {
    return ratio(static_cast<double>(r.core->icache_misses), static_cast<double>(r.core->icache_requests));
  }));
  addTime(c, cube, "scalar", [](const Row& r) { return static_cast<double>(r.core->scalar_busy); });
  c.push_back(column(cube, "scalar_ratio", [](const Row& r) {
    return ratio(static_cast<double>(r.core->scalar_busy), r.whole());
  }));
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

Columns pipeColumns() {
  Columns c{blockColumn(), subBlockColumn()};
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
  return c;
}

double percent(uint64_t hits, uint64_t all) {
  return 100 * ratio(static_cast<double>(hits), static_cast<double>(all));
}

void addL2(Columns& c, bool cube) {
  using K = CoreCounters;
  addCommon(c, cube);
  c.push_back(count(cube, "write_cache_hit", [](const K& k) { return k.write_hit; }));
  c.push_back(count(cube, "write_cache_miss_allocate", [](const K& k) { return k.write_miss; }));
  c.push_back(count(cube, "r0_read_cache_hit", [](const K& k) { return k.r0_hit; }));
  c.push_back(count(cube, "r0_read_cache_miss_allocate", [](const K& k) { return k.r0_miss; }));
  c.push_back(count(cube, "r1_read_cache_hit", [](const K& k) { return k.r1_hit; }));
  c.push_back(count(cube, "r1_read_cache_miss_allocate", [](const K& k) { return k.r1_miss; }));
  auto writes = [](const K& k) { return k.write_hit + k.write_miss + k.write_miss_no_allocate; };
  auto readHits = [](const K& k) { return k.r0_hit + k.r1_hit; };
  auto reads = [=](const K& k) {
    return readHits(k) + k.r0_miss + k.r1_miss + k.r0_miss_no_allocate + k.r1_miss_no_allocate;
  };
  c.push_back(column(cube, "write_hit_rate(%)",
                     [=](const Row& r) { return percent(r.core->write_hit, writes(*r.core)); }));
  c.push_back(column(cube, "read_hit_rate(%)",
                     [=](const Row& r) { return percent(readHits(*r.core), reads(*r.core)); }));
  c.push_back(column(cube, "total_hit_rate(%)", [=](const Row& r) {
    return percent(r.core->write_hit + readHits(*r.core), writes(*r.core) + reads(*r.core));
  }));
}

void addWait(Columns& c, bool cube, const std::string& name, Unit unit) {
  c.push_back(
      column(cube, name + "_wait_ratio", [unit](const Row& r) { return ratio(r.wait(unit), r.whole()); }));
}

void addConflict(Columns& c, const std::string& name, std::function<double(const CoreCounters&)> cycles) {
  c.push_back(column(false, "vec_" + name + "_cflt_ratio",
                     [cycles](const Row& r) { return ratio(cycles(*r.core), r.whole()); }));
}

Columns conflictColumns() {
  using K = CoreCounters;
  Columns c{blockColumn(), subBlockColumn()};
  addCommon(c, true);
  addWait(c, true, "cube", Unit::M);
  addWait(c, true, "mte1", Unit::MTE1);
  addWait(c, true, "mte2", Unit::MTE2);
  addWait(c, true, "mte3", Unit::MTE3);
  addCommon(c, false);
  addConflict(c, "total", [](const K& k) {
    return static_cast<double>(k.bankgroup_conflict + k.bank_conflict + k.resource_conflict + k.mte_conflict);
  });
  addConflict(c, "bankgroup", [](const K& k) { return static_cast<double>(k.bankgroup_conflict); });
  addConflict(c, "bank", [](const K& k) { return static_cast<double>(k.bank_conflict); });
  addConflict(c, "resc", [](const K& k) { return static_cast<double>(k.resource_conflict); });
  addConflict(c, "mte", [](const K& k) { return static_cast<double>(k.mte_conflict); });
  addWait(c, false, "vec", Unit::V);
  addWait(c, false, "mte2", Unit::MTE2);
  addWait(c, false, "mte3", Unit::MTE3);
  return c;
}

} // namespace

std::string pipeUtilizationCsv(const Run& run) { return table(pipeColumns(), rowsOf(run)); }

std::string l2CacheCsv(const Run& run) {
  Columns c{blockColumn(), subBlockColumn()};
  addL2(c, true);
  addL2(c, false);
  return table(c, rowsOf(run));
}

std::string resourceConflictCsv(const Run& run) { return table(conflictColumns(), rowsOf(run)); }

} // namespace dlsim::tools
