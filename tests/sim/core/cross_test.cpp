// Flags between cores: the three modes and their latency.
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

W cross(const char* what, const char* unit, unsigned id, unsigned mode) {
  return W(std::string(what) + "." + unit, {}, id | mode << 4);
}

// Core 0 spends `cycles` more than the others before it sets.
Program late(unsigned mode) {
  Program p;
  p.op("sreg", {1}, 0).li(2, 1000).op(W::to("bnz", {1}, "set"));
  p.label("spin").op("addi", {2, 2}, -1).op(W::to("bnz", {2}, "spin"));
  p.label("set").op(cross("xset", "s", 3, mode)).op(cross("xwait", "s", 3, mode)).ex();
  return p;
}

TEST(CrossFlags, ModeZeroIsABarrierOfAllCoresOfAKind) {
  Rig rig({"chip.clusters=3"});
  const chip::RunResult result = rig.run(kernelOf(late(0), dlk::KernelKind::Aic), {}, 1000000, 0);
  ASSERT_FALSE(result.fault) << result.fault->text();
  const Program p = late(0);
  const size_t set = p.size() - 3, wait = p.size() - 2;
  // Nobody passes before the last has set; the token needs cross_core_cycles.
  for (unsigned core = 0; core < 3; ++core)
    EXPECT_EQ(rig.recorder.issued(wait, core), rig.recorder.issued(set, 0) + 500);
}

TEST(CrossFlags, ModeOneJoinsTheSubCoresOfACluster) {
  Rig rig({"chip.clusters=2"});
  const Program p = late(1);
  const chip::RunResult result = rig.run(kernelOf(p, dlk::KernelKind::Aiv), {}, 1000000, 0);
  ASSERT_FALSE(result.fault) << result.fault->text();
  const size_t set = p.size() - 3, wait = p.size() - 2;
  EXPECT_EQ(rig.recorder.issued(wait, 1), rig.recorder.issued(set, 0) + 500) << "core 1 waits for core 0";
  EXPECT_LT(rig.recorder.issued(wait, 2), rig.recorder.issued(set, 0)) << "the other cluster does not";
}

TEST(CrossFlags, ModeTwoGoesBetweenTheKindsOfACluster) {
  Rig rig;
  const uint64_t data = rig.upload(std::vector<uint64_t>{0, 0, 0, 0});
  Program cube, vector;
  // The cube core writes, both vector cores read it after the flag; then both report, and the cube core reads
  // the sum.
  cube.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(1, 40).op("st.d", {1, 21}, 0);
  cube.op(cross("xset", "s", 0, 2)).op(cross("xwait", "s", 1, 2));
  cube.op("ld.d", {2, 21}, 8).op("ld.d", {3, 21}, 16).op("add", {2, 2, 3}).op("st.d", {2, 21}, 24).ex();
  vector.op("sreg", {20}, 3)
      .op("ld.d", {21, 20}, 0)
      .op("sreg", {5}, 2)
      .op("shli", {6, 5}, 3)
      .op("add", {6, 6, 21});
  vector.op(cross("xwait", "s", 0, 2)).op("ld.d", {1, 21}, 0).op("add", {1, 1, 5}).op("st.d", {1, 6}, 8);
  vector.op(cross("xset", "s", 1, 2)).ex();
  const chip::RunResult result = rig.run(mixOf(cube, vector, 1), {data}, 1000000, 0);
  ASSERT_FALSE(result.fault) << result.fault->text();
  EXPECT_EQ(rig.download<uint64_t>(data, 4)[3], 81u);
}

TEST(CrossFlags, CommandQueuesCanWaitForOtherCores) {
  Rig rig({"chip.clusters=2"});
  Program p;
  p.op("sreg", {1}, 0).li(2, 300).op(W::to("bnz", {1}, "set"));
  p.label("spin").op("addi", {2, 2}, -1).op(W::to("bnz", {2}, "spin"));
  p.label("set").op(cross("xset", "mte2", 2, 0)).op(cross("xwait", "mte2", 2, 0)).op(setFlag("mte2", "s", 0));
  const size_t wait = p.size();
  p.op(waitFlag("s", "mte2", 0)).ex();
  const chip::RunResult result = rig.run(kernelOf(p, dlk::KernelKind::Aic), {}, 1000000, 0);
  ASSERT_FALSE(result.fault) << result.fault->text();
  EXPECT_EQ(rig.recorder.issued(wait, 0), rig.recorder.issued(wait, 1));
}

TEST(CrossFlags, AMissingPartnerIsADeadlock) {
  Rig rig;
  Program p;
  p.op(cross("xwait", "s", 9, 0)).ex();
  const chip::RunResult result = rig.run(kernelOf(p, dlk::KernelKind::Aic), {}, 1000000, 0);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::Deadlock);
  EXPECT_NE(result.fault->text().find("cross-core flag 9"), std::string::npos);
}

} // namespace
} // namespace dlsim::test
