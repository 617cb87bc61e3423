#include "sim/tools/summary_json.h"

#include "sim/tools/bound.h"
#include "sim/tools/csv.h"
#include "sim/tools/run_command.h"
#include "sim/tools/source_view.h"
#include "sim/tools/verdict.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dlsim::tools {

using Json = nlohmann::ordered_json;
using observe::CoreCounters;

namespace {

// JSON has no infinity.
Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(x > 0 ? "inf" : "nan"); }

Json unitJson(const observe::UnitCounters& u) {
  return {{"instructions", u.instructions},
          {"busy", u.busy},
          {"wait", u.wait},
          {"bytes_read", u.bytes_read},
          {"bytes_written", u.bytes_written}};
}

Json memoryRequests(const CoreCounters& c) {
  return {{"r0_hit", c.r0_hit},
          {"r0_miss", c.r0_miss},
          {"r0_miss_no_allocate", c.r0_miss_no_allocate},
          {"r1_hit", c.r1_hit},
          {"r1_miss", c.r1_miss},
          {"r1_miss_no_allocate", c.r1_miss_no_allocate},
          {"write_hit", c.write_hit},
          {"write_miss", c.write_miss},
          {"write_miss_no_allocate", c.write_miss_no_allocate},
          {"read_bytes", c.gm_read_bytes},
          {"write_bytes", c.gm_write_bytes}};
}

Json vectorWork(const CoreCounters& c) {
  Json kinds = Json::object();
  for (unsigned k = 0; k < observe::kVectorKinds; ++k)
    if (c.vec[k].repeats)
      kinds[observe::vectorKindName(static_cast<observe::VectorKind>(k))] = {
          {"cycles", c.vec[k].cycles}, {"repeats", c.vec[k].repeats}, {"elements", c.vec[k].elements}};
  return kinds;
}

Json coreJson(const Run& run, const CoreCounters& c) {
  Json units = Json::object(), stalls = Json::object(), full = Json::object(), spaces = Json::object();
  for (unsigned u = 0; u < core::kUnits; ++u) {
    std::string name = unitText(u);
    if (c.unit[u].instructions || c.unit[u].wait)
      units[name] = unitJson(c.unit[u]);
    if (c.queue_full[u])
      full[name] = c.queue_full[u];
  }
  for (unsigned s = 1; s < observe::kStalls; ++s)
    stalls[observe::stallName(static_cast<observe::Stall>(s))] = c.stall[s];
  for (unsigned s = 0; s < core::kSpaces; ++s)
    if (c.space_read[s] || c.space_written[s])
      spaces[core::spaceName(static_cast<core::Space>(s))] = {{"read", c.space_read[s]},
                                                              {"written", c.space_written[s]}};
  return {{"core", coreName(*run.chip, c.core)},
          {"start", c.start},
          {"end", c.end},
          {"units", units},
          {"stalls", stalls},
          {"queue_full", full},
          {"scalar_flag_wait", c.scalar_flag_wait},
          {"wait_id", c.wait_id},
          {"bundles", c.bundles},
          {"words", c.words},
          {"slot_words", c.slot_words},
          {"single_issue", c.single_issue},
          {"dual_issue", c.dual_issue},
          {"scalar_instructions", c.scalar_instructions},
          {"scalar_busy", c.scalar_busy},
          {"icache", {{"requests", c.icache_requests}, {"misses", c.icache_misses}}},
          {"dcache", {{"requests", c.dcache_requests}, {"misses", c.dcache_misses}}},
          {"gm", memoryRequests(c)},
          {"spaces", spaces},
          {"macs", c.macs},
          {"macs_charged", c.macs_charged},
          {"mmad_fp", c.mmad_fp},
          {"mmad_int", c.mmad_int},
          {"cube_fp_cycles", c.cube_fp_cycles},
          {"cube_int_cycles", c.cube_int_cycles},
          {"vector",
           {{"work", vectorWork(c)},
            {"bankgroup_conflict", c.bankgroup_conflict},
            {"bank_conflict", c.bank_conflict},
            {"resource_conflict", c.resource_conflict},
            {"mte_conflict", c.mte_conflict}}},
          {"ub_scalar", {{"reads", c.ub_scalar_reads}, {"writes", c.ub_scalar_writes}}}};
}

// Null for a run without products.
Json leastCycles(const Run& run) {
  if (!run.macs)
    return nullptr;
  const Bound bound = boundOf(run);
  return {{"head", bound.head}, {"cube", bound.cube}, {"copies", bound.copies},
          {"l2", bound.l2},     {"hbm", bound.hbm},   {"total", bound.cycles()}};
}

Json utilisation(const Run& run) {
  Json kinds = Json::object();
  for (const KindUse& use : useByKind(run)) {
    Json units = Json::object();
    for (unsigned u = 1; u < core::kUnits; ++u)
      if (use.has[u])
        units[unitText(u)] = {
            {"busy_ratio", use.busy[u]}, {"wait_ratio", use.wait[u]}, {"queue_full_ratio", use.queueFull[u]}};
    units["S"] = {{"busy_ratio", use.scalarBusy}};
    kinds[use.kind] = {{"cores", use.cores}, {"mean_cycles", use.cycles}, {"units", units}};
  }
  return kinds;
}

// Mean share of a core's time in which its sequencer was held by a full MTE2 queue.
double mte2Stall(const Run& run) {
  double full = 0, all = 0;
  for (const CoreCounters& c : run.result.counters.cores)
    if (c.used) {
      full += static_cast<double>(c.queue_full[static_cast<unsigned>(core::Unit::MTE2)]);
      all += static_cast<double>(c.total());
    }
  return ratio(full, all);
}

Json occupancy(const Run& run) {
  uint64_t bundles = 0, words = 0;
  std::array<uint64_t, 8> slots{};
  for (const CoreCounters& c : run.result.counters.cores) {
    bundles += c.bundles;
    words += c.words;
    for (unsigned s = 0; s < slots.size(); ++s)
      slots[s] += c.slot_words[s];
  }
  Json loops = Json::array();
  for (const LoopOccupancy& loop : loopOccupancy(run))
    loops.push_back({{"source", loop.source},
                     {"bundles", loop.issued},
                     {"words_per_bundle", loop.words},
                     {"mmad", loop.mmad}});
  return {{"bundles", bundles},
          {"words", words},
          {"words_per_bundle", ratio(static_cast<double>(words), static_cast<double>(bundles))},
          {"slot_words", slots},
          {"loops", loops}};
}

Json stallLines(const Run& run) {
  Json lines = Json::array();
  for (const LineStalls& line : stallsByLine(run)) {
    Json reasons = Json::object();
    for (unsigned s = 1; s < observe::kStalls; ++s)
      if (line.cycles[s])
        reasons[observe::stallName(static_cast<observe::Stall>(s))] = line.cycles[s];
    lines.push_back({{"source", line.source}, {"cycles", line.total}, {"reasons", reasons}});
  }
  return lines;
}

Json valuesJson(const Run& run) {
  Json outputs = Json::object();
  for (const auto& [name, d] : run.differences) {
    outputs[name] = {{"ok", d.ok()},
                     {"elements", d.elements},
                     {"mismatches", d.mismatches},
                     {"max_abs", finite(d.max_abs)},
                     {"max_rel", finite(d.max_rel)},
                     {"tolerance", d.tolerance}};
    if (!d.ok())
      outputs[name]["first_mismatch"] = {{"index", d.index}, {"got", d.got}, {"expected", d.expected}};
  }
  return outputs;
}

} // namespace

std::string summaryJson(const Run& run) {
  const observe::MemoryCounters& m = run.result.counters.memory;
  auto hit = [](uint64_t hits, uint64_t misses) {
    return ratio(static_cast<double>(hits), static_cast<double>(hits + misses));
  };
  Json cores = Json::array();
  for (const CoreCounters& c : run.result.counters.cores)
    if (c.used)
      cores.push_back(coreJson(run, c));
  Json summary = {{"kernel", run.kernel->name},
                  {"case", run.input->name},
                  {"chip", run.chip->name},
                  {"clock_mhz", run.chip->clockMhz},
                  {"timing_only", run.options->timingOnly},
                  {"grid", run.input->grid},
                  {"order", run.kernel->grid.order},
                  {"cycles", run.result.cycles},
                  {"time_us", run.timeUs()},
                  {"head_cycles", run.result.head},
                  {"cores_used", run.result.cores},
                  {"macs", run.macs},
                  {"mac_efficiency", run.macEfficiency()},
                  {"bound_by", boundBy(run)},
                  {"least_cycles", leastCycles(run)},
                  {"mte2_stall_ratio", mte2Stall(run)},
                  {"utilisation", utilisation(run)},
                  {"l2",
                   {{"read_hit", m.l2_read_hit},
                    {"read_miss", m.l2_read_miss},
                    {"write_hit", m.l2_write_hit},
                    {"write_miss", m.l2_write_miss},
                    {"read_hit_ratio", hit(m.l2_read_hit, m.l2_read_miss)},
                    {"write_hit_ratio", hit(m.l2_write_hit, m.l2_write_miss)},
                    {"port_use", l2Use(run)}}},
                  {"hbm",
                   {{"read_bytes", m.hbm_read_bytes},
                    {"write_bytes", m.hbm_write_bytes},
                    {"row_hits", m.hbm_row_hits},
                    {"row_misses", m.hbm_row_misses},
                    {"use", hbmUse(run)}}},
                  {"same_line",
                   {{"largest", m.same_line_max},
                    {"mean", m.same_line_mean},
                    {"wait_cycles", m.same_line_wait},
                    {"sharers", m.same_line_sharers}}},
                  {"occupancy", occupancy(run)},
                  {"stalls_by_line", stallLines(run)},
                  {"values", valuesJson(run)},
                  {"unchecked_outputs", run.unchecked},
                  {"commands", run.commands},
                  {"flags_left", run.result.flags_left},
                  {"cores", cores}};
  return summary.dump(1) + "\n";
}

} // namespace dlsim::tools
