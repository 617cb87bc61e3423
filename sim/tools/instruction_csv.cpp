#include "sim/tools/instruction_csv.h"

#include "sim/config/chip_spec.h"
#include "sim/tools/csv.h"
#include "sim/tools/source_view.h"

#include "isa/tables/hex.h"
#include "isa/tables/tables.h"

#include <algorithm>

namespace dlsim::tools {

namespace {

// The profiler's names of pipes.
std::string pipeName(core::Unit unit) {
  switch (unit) {
  case core::Unit::M:
    return "CUBE";
  case core::Unit::V:
    return "VECTOR";
  case core::Unit::FIX:
    return "FIXP";
  default:
    return core::unitText(unit);
  }
}

std::string folderOf(const sim::ChipSpec& chip, const core::CoreId& id) {
  const bool cube = chip.kinds.at(id.kind).hasUnit("M");
  return "core" + std::to_string(id.group) + (cube ? ".cubecore" : ".veccore") + std::to_string(id.subcore);
}

} // namespace

void InstructionProfile::Cost::add(const Cost& o) {
  calls += o.calls, cycles += o.cycles, bytes += o.bytes, stalled += o.stalled;
  group_conflicts += o.group_conflicts, bank_conflicts += o.bank_conflicts, mte_conflicts += o.mte_conflicts;
  elements += o.elements, lanes += o.lanes;
  read_conflict = std::max(read_conflict, o.read_conflict);
  write_conflict = std::max(write_conflict, o.write_conflict);
}

void InstructionProfile::command(const observe::CommandEffect& e) {
  Core& core = cores_[e.core.dense];
  core.id = e.core;
  Cost cost;
  cost.calls = 1;
  cost.cycles = e.completed - e.started;
  cost.bytes = std::max(e.bytes_read, e.bytes_written);
  cost.stalled = e.started - std::min(e.started, e.ready);
  cost.group_conflicts = e.bankgroup_conflicts, cost.bank_conflicts = e.bank_conflicts,
  cost.mte_conflicts = e.mte_conflicts;
  cost.elements = e.elements, cost.lanes = uint64_t{e.repeats} * e.lanes;
  cost.read_conflict = e.read_conflict, cost.write_conflict = e.write_conflict;
  core.costs[{e.command->pc, e.command->op}].add(cost);
}

std::string InstructionProfile::detail(const Cost& c, core::Unit unit) {
  std::string text =
      "processBytes: " + std::to_string(c.bytes) + "; realStallCyc: " + std::to_string(c.stalled);
  if (unit != core::Unit::V)
    return text;
  return text + "; ubReadConflict: " + std::to_string(c.read_conflict) +
         "; ubWriteConflict: " + std::to_string(c.write_conflict) + "; vecUtilization: " +
         fixed6(100 * ratio(static_cast<double>(c.elements), static_cast<double>(c.lanes))) +
         "; bankgroupConflictCyc: " + std::to_string(c.group_conflicts) +
         "; bankConflictCyc: " + std::to_string(c.bank_conflicts) +
         "; mteConflictCyc: " + std::to_string(c.mte_conflicts);
}

std::vector<std::pair<std::string, std::string>> InstructionProfile::csvs(const sim::ChipSpec& chip,
                                                                          const dlk::Kernel& kernel) const {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [dense, core] : cores_) {
    std::string instructions = "instr,addr,pipe,call_count,cycles,running_time(us),detail\n";
    std::map<std::string, Cost> lines;
    const auto cells = [&](const Cost& c) {
      return std::to_string(c.calls) + "," + std::to_string(c.cycles) + "," +
             fixed6(static_cast<double>(c.cycles) / chip.clockMhz) + ",";
    };
    for (const auto& [key, cost] : core.costs) {
      const auto [pc, op] = key;
      const isa::InstrInfo& info = isa::info(op);
      const auto unit = static_cast<core::Unit>(info.unit);
      instructions += std::string(info.mnemonic) + "," + isa::hex(isa::kTextBase + pc, 8) + "," +
                      pipeName(unit) + "," + cells(cost) + detail(cost, unit) + ",\n";
      lines[sourceText(chip, kernel, core.id.kind, pc)].add(cost);
    }
    std::string code = "code,call_count,cycles,running_time(us)\n";
    for (const auto& [source, cost] : lines)
      code += source + "," + cells(cost) + "\n";
    const std::string name = folderOf(chip, core.id);
    files.emplace_back("simulator/" + name + "/" + name + "_instr_exe.csv", instructions);
    files.emplace_back("simulator/" + name + "/" + name + "_code_exe.csv", code);
  }
  return files;
}

} // namespace dlsim::tools
