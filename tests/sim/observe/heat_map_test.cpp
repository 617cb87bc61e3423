// The heat map keeps every request and byte, in the right place and time.
#include "sim/observe/heat_map.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dlsim::observe {
namespace {

using nlohmann::json;

sim::UbSpec banks() {
  sim::UbSpec ub;
  ub.groups = 16;
  ub.banksPerGroup = 3;
  ub.rowBytes = 32;
  ub.bankBytes = 4096;
  return ub;
}

CommandEffect effect(Cycle started, Cycle completed, uint64_t address, uint64_t bytes) {
  CommandEffect e;
  e.started = started;
  e.completed = completed;
  core::Footprint footprint;
  footprint.address = address;
  footprint.bytes = bytes;
  footprint.space = core::Space::UB;
  e.footprints.add(footprint);
  return e;
}

double total(const json& matrix) {
  double sum = 0;
  for (const json& bin : matrix)
    for (const json& value : bin)
      sum += value.get<double>();
  return sum;
}

TEST(HeatMap, BytesStandInTheirBankAndTime) {
  HeatMap heat(0, [](unsigned) { return 0; }, banks());
  heat.command(effect(0, 32, 0, 64));                // groups 0 and 1 of bank 0
  heat.command(effect(16, 32, 65536 + 15 * 32, 32)); // group 15 of bank 1
  const json all = json::parse(heat.json(1000));
  const json& bins = all.at("ub_bytes").at("0");
  EXPECT_EQ(all.at("bin_cycles"), 16);
  ASSERT_EQ(bins.size(), 2u);
  ASSERT_EQ(bins[0].size(), 48u);
  EXPECT_EQ(bins[0][0], 16);
  EXPECT_EQ(bins[1][1], 16);
  EXPECT_EQ(bins[0][31], 0);
  EXPECT_EQ(bins[1][31], 32);
  EXPECT_EQ(total(bins), 96);
}

TEST(HeatMap, RequestsOfSlicesAreSharedOverTheTimeBetweenLooks) {
  std::vector<uint64_t> served{0, 0};
  HeatMap heat(2, [&](unsigned slice) { return served[slice]; }, banks());
  served = {64, 8};
  heat.command(effect(0, 64, 0, 0));
  served = {0, 16}; // a launch has set the counters to zero
  heat.command(effect(64, 96, 0, 0));
  const json bins = json::parse(heat.json(1000)).at("l2_requests");
  ASSERT_EQ(bins.size(), 6u);
  EXPECT_EQ(bins[0][0], 16);
  EXPECT_EQ(bins[3][1], 2);
  EXPECT_EQ(bins[4][0], 0);
  EXPECT_EQ(bins[5][1], 4);
}

TEST(HeatMap, LongRunsKeepTheirSumsInWiderBins) {
  HeatMap heat(0, [](unsigned) { return 0; }, banks());
  for (Cycle at = 0; at < 100000; at += 1000)
    heat.command(effect(at, at + 1000, 0, 32000));
  const json all = json::parse(heat.json(1000));
  const json& bins = all.at("ub_bytes").at("0");
  EXPECT_LE(bins.size(), HeatMap::kMostBins);
  EXPECT_EQ(all.at("bin_cycles"), 512);
  EXPECT_NEAR(total(bins), 3200000, 48.0 * HeatMap::kMostBins);
}

TEST(HeatMap, AWindowLeavesOutTheRest) {
  HeatMap heat(0, [](unsigned) { return 0; }, banks(), {100, 200});
  heat.command(effect(0, 100, 0, 32));
  heat.command(effect(50, 150, 0, 1000));
  heat.command(effect(200, 300, 0, 32));
  const json all = json::parse(heat.json(1000));
  EXPECT_EQ(all.at("begin_cycle"), 100);
  EXPECT_NEAR(total(all.at("ub_bytes").at("0")), 500, 40);
}

} // namespace
} // namespace dlsim::observe
