#include "sim/tools/verdict.h"

#include "sim/tools/bound.h"
#include "sim/tools/summary_json.h"
#include "sim/tools/summary_text.h"
#include "tests/sim/tools/sample_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dlsim::tools::test {
namespace {

using core::Unit;

bool starts(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

TEST(Verdict, ByTheBusiestUnitAndTheRoofs) {
  SampleRun sample;
  EXPECT_TRUE(starts(boundBy(sample.run), "latency bound"));
  sample.unit(Unit::MTE2).busy = 1500; // 81 %
  EXPECT_TRUE(starts(boundBy(sample.run), "memory bound: MTE2 of aic busy 81.1 %")) << boundBy(sample.run);
  sample.unit(Unit::M).busy = 1600;
  EXPECT_TRUE(starts(boundBy(sample.run), "compute bound: M of aic busy 86.5 %"));
  sample.unit(Unit::M).busy = 0;
  double sustained =
      sample.chip.spec.hbm.channels() * sample.chip.spec.hbm.channelBytes * sample.chip.spec.hbm.efficiency;
  sample.run.result.counters.memory.hbm_read_bytes = static_cast<uint64_t>(0.9 * sustained * 3700);
  EXPECT_TRUE(starts(boundBy(sample.run), "memory bound: HBM at 90.0 %")) << boundBy(sample.run);
}

TEST(Verdict, MacEfficiencyIsOfTheWholeChip) {
  SampleRun sample;
  sample.run.idealCubeCycles = 24 * 370;
  EXPECT_DOUBLE_EQ(sample.run.macEfficiency(), 0.1); // 370 of 3700 cycles on each of 24 cubes
}

TEST(Bound, IsTheSlowestResourceAfterTheHead) {
  SampleRun sample;
  EXPECT_EQ(boundOf(sample.run).cycles(), 0) << "no products, no bound";
  EXPECT_EQ(summaryText(sample.run).find("least time"), std::string::npos);
  const sim::ChipSpec& chip = sample.chip.spec;
  sample.run.macs = 1;
  sample.run.result.head = 900;
  sample.run.busiestCubeCycles = 1000;
  EXPECT_DOUBLE_EQ(boundOf(sample.run).cycles(), 1900);
  sample.core().gm_read_bytes = 222000; // one core: 2000 cycles at 111 bytes a cycle
  EXPECT_DOUBLE_EQ(boundOf(sample.run).copies, 222000 / chip.dma.nd2nzBytesPerCycle);
  EXPECT_DOUBLE_EQ(boundOf(sample.run).cycles(), 900 + 222000 / chip.dma.nd2nzBytesPerCycle);
  EXPECT_STREQ(boundOf(sample.run).longestName(), "copies to L1 of the busiest core");
  EXPECT_DOUBLE_EQ(boundOf(sample.run).l2, 222000 / (chip.l2.slices * chip.noc.sliceReadBytes));
  const double sustained = chip.hbm.channels() * chip.hbm.channelBytes * chip.hbm.efficiency;
  sample.run.result.counters.memory.hbm_read_bytes = 1000000;
  sample.run.result.counters.memory.hbm_write_bytes = 2000000;
  EXPECT_DOUBLE_EQ(boundOf(sample.run).cycles(), 900 + 3e6 / sustained);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(summaryJson(sample.run))["least_cycles"]["total"].get<double>(),
                   900 + 3e6 / sustained);
  EXPECT_NE(summaryText(sample.run).find("by the HBM"), std::string::npos);
}

TEST(Verdict, SummariesHoldTheNumbers) {
  SampleRun sample;
  sample.run.result.counters.memory.same_line_max = 7;
  sample.run.result.counters.memory.l2_read_hit = 3;
  sample.run.result.counters.memory.l2_read_miss = 1;
  sample.core().queue_full[static_cast<unsigned>(Unit::MTE2)] = 185;
  casefile::Difference wrong;
  wrong.elements = 6, wrong.mismatches = 2, wrong.max_abs = INFINITY, wrong.index = {1, 2}, wrong.got = "nan",
  wrong.expected = "1";
  sample.run.differences.emplace_back("c", wrong);
  auto json = nlohmann::json::parse(summaryJson(sample.run));
  EXPECT_EQ(json["time_us"], 2.0);
  EXPECT_EQ(json["l2"]["read_hit_ratio"], 0.75);
  EXPECT_EQ(json["same_line"]["largest"], 7);
  EXPECT_DOUBLE_EQ(json["mte2_stall_ratio"], 0.1);
  EXPECT_EQ(json["values"]["c"]["max_abs"], "inf");
  EXPECT_EQ(json["values"]["c"]["first_mismatch"]["index"], nlohmann::json({1, 2}));
  EXPECT_FALSE(sample.run.valuesOk());
  std::string text = summaryText(sample.run);
  EXPECT_NE(text.find("2.000 us (3700 cycles"), std::string::npos);
  EXPECT_NE(text.find("c: 2 of 6 elements differ"), std::string::npos);
  EXPECT_NE(text.find("first at [1, 2]: got nan, expected 1"), std::string::npos);
}

} // namespace
} // namespace dlsim::tools::test
