// The 910B1 as its chip file has it, all cores of it.
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

TEST(WholeChip, EveryClusterStartsInItsTurn) {
  const sim::ChipSpec spec = sim::loadChip(sim::chipPath("ascend910b1")).spec;
  chip::System system(spec, {false, 0, false});
  chip::Session session(system);
  Program p;
  p.ex();
  const dlk::Kernel kernel = mixOf(p, p);
  chip::Launch launch;
  launch.kernel = &kernel;
  const chip::RunResult result = session.launch(launch);
  ASSERT_FALSE(result.fault);
  // 24 clusters of one cube core and two vector cores; the last one is dispatched 23 x 28 cycles after the
  // first.
  ASSERT_EQ(result.counters.cores.size(), 24u + 48);
  core::Cycle last = 0;
  for (const auto& core : result.counters.cores)
    last = std::max(last, core.start);
  EXPECT_EQ(last, 900u + 1850 + 23 * 28 + 250);
}

} // namespace
} // namespace dlsim::test
