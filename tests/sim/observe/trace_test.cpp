// The trace file is JSON with a row per unit, slices at the right times and arrows for flags.
#include "sim/observe/trace.h"
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace dlsim::test {
namespace {

using nlohmann::json;
using observe::TraceWriter;

Program loadThenMultiply() {
  Program p;
  p.li(1, 0).li(2, 8 | 4 << 16).li(3, 4096).li(4, 16 | 16 << 16 | uint64_t{16} << 32).li(5, 1);
  p.op("mte1.load.l0a", {1, 1, 2, 3}, 0).op(setFlag("mte1", "m", 3));
  p.op(waitFlag("m", "mte1", 3)).op("m.mmad", {1, 1, 1, 4, 5, 1}, 0).ex();
  return p;
}

json traceOf(Rig& rig, const Program& p, observe::TraceWindow window = {}) {
  std::ostringstream text;
  TraceWriter trace(text, 1000.0, window); // 1000 MHz: a cycle is a nanosecond
  trace.setSource([](unsigned, uint32_t pc) { return "kernel.py:" + std::to_string(pc / 8 + 1); });
  trace.setCoreName([](const core::CoreId& id) { return "core \"" + std::to_string(id.index) + "\""; });
  rig.session().subscribe(trace);
  EXPECT_FALSE(rig.aic(p).fault);
  rig.session().unsubscribe(trace);
  trace.close();
  return json::parse(text.str()).at("traceEvents");
}

std::vector<json> named(const json& events, const std::string& name) {
  std::vector<json> out;
  for (const json& e : events)
    if (e.at("name") == name)
      out.push_back(e);
  return out;
}

TEST(Trace, CommandsAreSlicesWithSourceLines) {
  Rig rig;
  const json events = traceOf(rig, loadThenMultiply());
  const auto loads = named(events, "mte1.load.l0a");
  ASSERT_EQ(loads.size(), 1u);
  const auto& effect = rig.recorder.commands.at(0).effect;
  EXPECT_NEAR(loads[0].at("ts"), static_cast<double>(effect.started) / 1000, 1e-3);
  EXPECT_NEAR(loads[0].at("dur"), 0.092, 1e-4); // 28 + 64 cycles
  EXPECT_EQ(loads[0].at("tid"), 1);
  EXPECT_EQ(loads[0].at("args").at("source"), "kernel.py:7");
  EXPECT_EQ(loads[0].at("args").at("bytes_written"), 16384);
  EXPECT_EQ(named(events, "process_name").at(0).at("args").at("name"), "core \"0\"");
  EXPECT_EQ(named(events, "wait MTE1 id 3").size(), 1u);
}

TEST(Trace, FlagsAreArrows) {
  Rig rig;
  const json events = traceOf(rig, loadThenMultiply());
  const auto arrows = named(events, "flag");
  ASSERT_EQ(arrows.size(), 2u);
  EXPECT_EQ(arrows[0].at("ph"), "s");
  EXPECT_EQ(arrows[1].at("ph"), "f");
  EXPECT_EQ(arrows[0].at("id"), arrows[1].at("id"));
  EXPECT_EQ(arrows[0].at("tid"), 1);
  EXPECT_EQ(arrows[1].at("tid"), 5);
}

TEST(Trace, AWindowLeavesOutTheRest) {
  Rig all, part;
  const json whole = traceOf(all, loadThenMultiply());
  const core::Cycle mmad = all.recorder.commands.at(1).effect.started;
  const json some = traceOf(part, loadThenMultiply(), {mmad + 1, mmad + 2});
  EXPECT_EQ(named(some, "mte1.load.l0a").size(), 0u);
  EXPECT_EQ(named(some, "m.mmad").size(), 1u);
  EXPECT_LT(some.size(), whole.size());
}

TEST(Trace, CommandsThatOverlapStandInRowsOfTheirOwn) {
  std::ostringstream text;
  TraceWriter trace(text, 1000.0);
  core::Command command;
  const auto add = [&](core::Cycle begin, core::Cycle end) {
    core::CommandEffect effect;
    effect.command = &command;
    effect.unit = core::Unit::MTE2;
    effect.started = begin;
    effect.completed = end;
    trace.command(effect);
  };
  add(0, 10);
  add(10, 20); // after it
  add(5, 25);  // across its end
  add(0, 30);  // holds all of the first row
  add(24, 40); // across the end of both
  trace.close();
  std::vector<int> rows;
  std::vector<std::string> names;
  const json trace_file = json::parse(text.str());
  for (const json& e : trace_file.at("traceEvents"))
    if (e.at("ph") == "X")
      rows.push_back(e.at("tid").get<int>() / 16);
    else if (e.at("name") == "thread_name")
      names.push_back(e.at("args").at("name"));
  EXPECT_EQ(rows, (std::vector<int>{0, 0, 1, 0, 2}));
  EXPECT_EQ(names, (std::vector<std::string>{"MTE2", "MTE2 +1", "MTE2 +2"}));
}

TEST(Pmu, BusyIsTheUnionOfOverlappingCommands) {
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 128 | 32 << 16 | uint64_t{128} << 32).li(3, 1);
  for (int i = 0; i < 3; ++i)
    p.op("m.mmad", {1, 1, 1, 2, 3, 1}, 0);
  p.ex();
  const auto& counters = rig.aic(p).counters.cores[0];
  const auto& m = counters.unit[static_cast<size_t>(core::Unit::M)];
  EXPECT_EQ(m.busy, 2u * 128 + 62 + 128);
  EXPECT_EQ(m.instructions, 3u);
  EXPECT_EQ(counters.cube_fp_cycles, 3u * 128);
  EXPECT_EQ(counters.macs_charged, 3u * 128 * 4096);
}

TEST(Pmu, BundlesBySlotAndStallsByPlace) {
  Rig rig;
  Program p;
  p.li(1, 100).li(2, 7);
  const size_t div = p.size();
  p.bundle({W("div", {3, 1, 2}), W("li", {4}, 1)}).op("mov", {5, 3});
  p.bundle({W("nop"), setFlag("mte1", "s", 0)}).op(waitFlag("s", "mte1", 0)).ex();
  const chip::RunResult result = rig.aic(p);
  ASSERT_FALSE(result.fault);
  const auto& counters = result.counters.cores[0];
  EXPECT_EQ(counters.bundles, 7u);
  EXPECT_EQ(counters.words, 9u);
  EXPECT_EQ(counters.dual_issue, 1u);
  EXPECT_EQ(counters.slot_words[2], 1u) << "the MTE1 slot holds the set_flag";
  const auto place = result.counters.by_pc.find((div + 2) * isa::kWordBytes);
  ASSERT_TRUE(place != result.counters.by_pc.end());
  EXPECT_EQ(place->second.cycles[static_cast<size_t>(observe::Stall::ScalarLatency)], 15u);
  EXPECT_EQ(place->second.issue, 1u);
}

} // namespace
} // namespace dlsim::test
