// Building blocks of the profiler's CSV files: one line is a core of a block, a column is a name and how to
// compute it from that core's counters.
#pragma once

#include "sim/tools/csv.h"
#include "sim/tools/run_command.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dlsim::tools {

struct Row {
  const Run* run;
  const observe::CoreCounters* core;
  bool cube;

  bool corrected() const { return run->options->correctedPmu; }
  bool mixed() const { return run->kernel->kind == dlk::KernelKind::Mix; }
  double total() const { return static_cast<double>(core->total()); }
  double us(double cycles) const { return run->microseconds(cycles); }
  // Cycles that ratios are relative to: the profiler divides a mixed kernel's by the whole task.
  double whole() const { return mixed() && !corrected() ? static_cast<double>(run->result.cycles) : total(); }
  const observe::UnitCounters& unit(core::Unit u) const { return core->unit[static_cast<unsigned>(u)]; }
  double busy(core::Unit u) const { return static_cast<double>(unit(u).busy); }
  double wait(core::Unit u) const { return static_cast<double>(unit(u).wait); }
  double queueFull(core::Unit u) const {
    return static_cast<double>(core->queue_full[static_cast<unsigned>(u)]);
  }
  double stall(observe::Stall s) const { return static_cast<double>(core->stall[static_cast<unsigned>(s)]); }
  double read(core::Space s) const { return static_cast<double>(core->space_read[static_cast<size_t>(s)]); }
  double written(core::Space s) const {
    return static_cast<double>(core->space_written[static_cast<size_t>(s)]);
  }
  // "GB/s" over some cycles: GiB/s as the profiler has it, decimal when corrected.
  double rate(double bytes, double cycles) const {
    return ratio(bytes / (corrected() ? 1e9 : 1073741824.0), us(cycles) * 1e-6);
  }
  double bandwidth(double bytes) const { return rate(bytes, total()); } // over the core's own time
};

using Columns = std::vector<Column<Row>>;
using Value = std::function<double(const Row&)>;
using Count = std::function<uint64_t(const observe::CoreCounters&)>;

// The cores that took part, in order of block and sub-block.
std::vector<Row> rowsOf(const Run& run);

Columns blockColumns(); // block_id, sub_block_id
// A column of one core type prints NA on the other's lines.
Column<Row> column(bool cube, const std::string& name, Value value);
Column<Row> count(bool cube, const std::string& name, Count value);
Column<Row> always(const std::string& name, Value value); // of both core types
void addCommon(Columns& c, bool cube);                    // time(us), total_cycles
void addRatio(Columns& c, bool cube, const std::string& name, Value cycles);
void addInstructions(Columns& c, bool cube, const std::string& name, core::Unit unit);

} // namespace dlsim::tools
