// Units: start-up and rate of every kind of command, overlap, flags and back-pressure; all counts by hand.
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using core::Unit;

uint64_t span(const Recorder::Effect& e) { return e.effect.completed - e.effect.started; }
std::vector<Recorder::Effect> of(const Rig& rig, Unit unit) {
  std::vector<Recorder::Effect> out;
  for (const auto& e : rig.recorder.commands)
    if (e.effect.unit == unit)
      out.push_back(e);
  return out;
}

constexpr int64_t kF16 = 0, kF32 = 2, kI8 = 3, kHf32 = 6;

// r1 = 0, r2 = shape word, r3 = block stride.
Program loads(const char* mnemonic, uint64_t shape, uint64_t stride, int64_t imm) {
  Program p;
  p.li(1, 0).li(2, shape).li(3, stride).op(mnemonic, {1, 1, 2, 3}, imm).ex();
  return p;
}

TEST(Mte1, FractalLoadIsStartupAndWidth) {
  Rig rig;
  // 8 x 4 fractals of 512 bytes = 16384 bytes at 256 B/cycle behind 28 cycles.
  rig.aic(loads("mte1.load.l0a", 8 | 4 << 16, 128 * 32, kF16));
  EXPECT_EQ(span(of(rig, Unit::MTE1).at(0)), 28u + 64);
  Rig b;
  b.aic(loads("mte1.load.l0b", 8 | 4 << 16, 128 * 32, kF16));
  EXPECT_EQ(span(of(b, Unit::MTE1).at(0)), 28u + 128) << "L0B's path is half as wide";
}

TEST(Mte1, APartOfTheStartupIsHiddenUnlessTheChipSaysNo) {
  for (const bool overlap : {false, true}) {
    Rig rig({overlap ? "mte1.overlap_startup=true" : "mte1.overlap_startup=false"});
    Program p;
    p.li(1, 0).li(2, 8 | 4 << 16).li(3, 4096);
    p.op("mte1.load.l0a", {1, 1, 2, 3}, kF16).op("mte1.load.l0a", {1, 1, 2, 3}, kF16).ex();
    rig.aic(p);
    const auto e = of(rig, Unit::MTE1);
    EXPECT_EQ(e.at(1).effect.started - e.at(0).effect.started, overlap ? 19u + 64 : 92u);
    EXPECT_EQ(span(e.at(1)), 92u);
  }
}

// r1 = 0, r2 = shape, r3 = map, r4 = window, r5 = right edge.
Program windows(uint64_t mf, uint64_t kf, uint64_t height, uint64_t width, uint64_t kernel, uint64_t stride) {
  Program p;
  p.li(1, 0).li(2, mf | kf << 16).li(3, height | width << 16 | uint64_t{4} << 32);
  p.li(4, kernel | kernel << 8 | stride << 16 | stride << 24 | uint64_t{1} << 32 | uint64_t{1} << 40);
  return p.op("mte1.img2col.l0a", {1, 1, 2, 3, 4, 1}, kF16).ex();
}

TEST(Mte1, WindowsAreStartupAndRowsOfTheImage) {
  struct Case {
    uint64_t width, kernel, stride, cycles_of_a_fractal;
  };
  // 16 positions in one row of the output: 2 cycles; over n rows n + 2; with a stride 2 s, over n rows 2 s +
  // n.
  for (const Case c : {Case{64, 1, 1, 2}, Case{8, 1, 1, 2 + 2}, Case{4, 1, 1, 4 + 2}, Case{1, 1, 1, 16},
                       Case{64, 1, 2, 4}, Case{16, 1, 2, 4 + 2}, Case{64, 1, 3, 16}}) {
    Rig rig;
    const chip::RunResult result = rig.aic(windows(1, 4, 64, c.width, c.kernel, c.stride));
    ASSERT_FALSE(result.fault) << result.fault->text();
    EXPECT_EQ(span(of(rig, Unit::MTE1).at(0)), 50 + 4 * c.cycles_of_a_fractal) << c.width << " " << c.stride;
  }
}

TEST(Mte1, LoadsFollowAWindowLoadAsCloselyAsAnyOther) {
  Rig rig;
  Program chain; // two window loads of 8 cycles of data and a plain one
  chain.li(1, 0).li(2, 1 | 4 << 16).li(3, 64 | 64 << 16 | uint64_t{4} << 32);
  chain.li(4, 1 | 1 << 8 | 1 << 16 | 1 << 24 | uint64_t{1} << 32 | uint64_t{1} << 40)
      .li(5, 8 | 4 << 16)
      .li(6, 128 * 32);
  for (int i = 0; i < 2; ++i)
    chain.op("mte1.img2col.l0a", {1, 1, 2, 3, 4, 1}, kF16);
  chain.op("mte1.load.l0b", {1, 1, 5, 6}, kF16); // 128
  const chip::RunResult result = rig.aic(chain.ex());
  ASSERT_FALSE(result.fault) << result.fault->text();
  const auto e = of(rig, Unit::MTE1);
  const uint64_t begin = e.at(0).effect.started;
  EXPECT_EQ(e.at(0).effect.completed, begin + 50 + 8);
  EXPECT_EQ(e.at(1).effect.completed, begin + (19 + 8) + 50 + 8);
  EXPECT_EQ(e.at(2).effect.completed, begin + 2 * (19 + 8) + 28 + 128);
}

TEST(Mte1, WritesIntoL1TakeABankNowAndThen) {
  // 64 loads of 16 KB to L0B, 128 cycles each, beside three times 128 KB of zeros from global memory: every
  // second row of 256 bytes meets one.
  const auto time = [](std::vector<std::string> overrides, bool copy) {
    Rig rig(std::move(overrides));
    const uint64_t data = rig.upload(std::vector<uint8_t>(131072));
    Program p;
    p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(1, 0).li(2, 8 | 4 << 16).li(3, 128 * 32).li(6, 65536);
    p.li(4, 1 | uint64_t{131072} << 32);
    for (int i = 0; copy && i < 3; ++i)
      p.op("mte2.copy.l1", {6, 21, 4, 1, 1, 1});
    for (int i = 0; i < 64; ++i)
      p.op("mte1.load.l0b", {1, 1, 2, 3}, kF16);
    const chip::RunResult result = rig.aic(p.ex(), {data});
    EXPECT_FALSE(result.fault);
    const auto e = of(rig, Unit::MTE1);
    return e.back().effect.completed - e.front().effect.started;
  };
  const uint64_t alone = time({"mte1.l1_banks=2"}, false);
  EXPECT_EQ(alone, 64u * (128 + 19) + 9);
  EXPECT_EQ(time({"mte1.l1_banks=2"}, true), alone + 3 * 131072 / 256 / 2);
  EXPECT_EQ(time({}, true), time({"mte1.l1_banks=2"}, true)); // as the chip file has it
  EXPECT_EQ(time({"mte1.l1_banks=4"}, true), alone + 3 * 131072 / 256 / 4);
  EXPECT_EQ(time({"mte1.l1_banks=0"}, true), alone);
}

TEST(Mte1, TablesHaveTheirOwnStartupAndWidth) {
  for (const char* mnemonic : {"mte1.load.bt", "mte1.load.fb"}) {
    Rig rig;
    Program p;
    p.li(1, 0).li(2, 1024).op(mnemonic, {1, 1, 2}).ex();
    rig.aic(p);
    EXPECT_EQ(span(of(rig, Unit::MTE1).at(0)), 20u + 32) << mnemonic;
  }
}

Program mmads(unsigned count, uint64_t m, uint64_t k, uint64_t n, int64_t dtype) {
  Program p;
  p.li(1, 0).li(2, m | k << 16 | n << 32).li(3, 1);
  for (unsigned i = 0; i < count; ++i)
    p.op("m.mmad", {1, 1, 1, 2, 3, 1}, dtype);
  p.ex();
  return p;
}

struct CubeCase {
  const char* name;
  int64_t dtype;
  uint64_t m, k, n, cycles;
};
class Cube : public testing::TestWithParam<CubeCase> {};
TEST_P(Cube, ChargesTheCeilings) {
  const CubeCase& c = GetParam();
  Rig rig;
  const chip::RunResult result = rig.aic(mmads(1, c.m, c.k, c.n, c.dtype));
  ASSERT_FALSE(result.fault) << result.fault->text();
  EXPECT_EQ(span(of(rig, Unit::M).at(0)), 62 + c.cycles);
  EXPECT_EQ(result.counters.cores[0].macs, c.m * c.k * c.n);
}
INSTANTIATE_TEST_SUITE_P(Shapes, Cube,
                         testing::Values(CubeCase{"f16", kF16, 128, 32, 128, 8 * 2 * 8},
                                         CubeCase{"bf16", 1, 128, 32, 128, 8 * 2 * 8},
                                         CubeCase{"ragged", kF16, 17, 17, 1, 2 * 2 * 1},
                                         CubeCase{"f32", kF32, 16, 32, 32, 1 * 8 * 2},
                                         CubeCase{"hf32", kHf32, 16, 32, 32, 1 * 4 * 2},
                                         CubeCase{"i8", kI8, 32, 64, 16, 2 * 2 * 1}),
                         [](const auto& info) { return info.param.name; });

TEST(CubeUnit, ChainsPayOnlyPartOfTheStartup) {
  Rig rig;
  rig.aic(mmads(3, 128, 32, 128, kF16));
  const auto e = of(rig, Unit::M);
  // The next mmad enters 128 cycles behind the one before it; results come 62 + 128 after the start.
  EXPECT_EQ(e.at(1).effect.started - e.at(0).effect.started, 128u);
  EXPECT_EQ(e.at(2).effect.completed - e.at(0).effect.started, 128u * 2 + 190);
  Rig gap({"cube.chained_cycles=6"});
  gap.aic(mmads(2, 128, 32, 128, kF16));
  EXPECT_EQ(of(gap, Unit::M).at(1).effect.started - of(gap, Unit::M).at(0).effect.started, 134u);
  Rig alone({"cube.overlap_startup=false"});
  alone.aic(mmads(2, 128, 32, 128, kF16));
  EXPECT_EQ(of(alone, Unit::M).at(1).effect.started - of(alone, Unit::M).at(0).effect.started, 190u);
}

TEST(Fixpipe, ToL1IsStartupAndElements) {
  Rig rig;
  Program p;
  // 32 x 64 f32 to f16: 2048 elements at 64 a cycle, 4096 bytes at 128 a cycle.
  p.li(1, 0).li(2, 32 | uint64_t{64} << 32).li(3, 32 * 32).li(4, 32 * 64);
  p.op("fix.copy.l1", {1, 1, 2, 3, 4, 1}, kF16).op("fix.copy.l1", {1, 1, 2, 3, 4, 1}, kF16).ex();
  ASSERT_FALSE(rig.aic(p).fault);
  const auto e = of(rig, Unit::FIX);
  EXPECT_EQ(span(e.at(0)), 20u + 32);
  EXPECT_EQ(e.at(1).effect.started - e.at(0).effect.started, 52u);
  Rig narrow({"core.aic.path.l0c_l1.bytes_per_cycle=64"});
  narrow.aic(p);
  EXPECT_EQ(span(of(narrow, Unit::FIX).at(0)), 20u + 64);
}

TEST(Fixpipe, IsNoFasterThanItsWayOut) {
  Rig rig;
  Program p;
  // 32 x 64 f32: 2048 elements at 64 a cycle would be 32 cycles, their 8192 bytes at 128 a cycle are 64.
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0);
  p.li(1, 0).li(2, 32 | uint64_t{64} << 32).li(3, 256).li(4, 32 * 64);
  p.op("fix.copy.gm", {21, 1, 2, 3, 4, 1}, kF32).op("fix.copy.gm", {21, 1, 2, 3, 4, 1}, kF32).ex();
  ASSERT_FALSE(rig.aic(p, {rig.upload(std::vector<float>(2048))}).fault);
  const auto e = of(rig, Unit::FIX);
  EXPECT_EQ(e.at(1).effect.started - e.at(0).effect.started, 20u + 64);
}

TEST(Mte2, FillTakesTheWidthOfThePath) {
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 0x3f803f80).li(3, 153 * 32).op("mte2.fill.l1", {1, 2, 3}).ex();
  ASSERT_FALSE(rig.aic(p).fault);
  EXPECT_EQ(span(of(rig, Unit::MTE2).at(0)), 32u);
}

// A burst of 32 bytes with 4064 of padding passes the 128 B/cycle of the path in 32 cycles, its request of
// 128 bytes in one; with no burst at all, the padding alone.
TEST(Mte2, PaddingTakesTheWidthOfThePath) {
  const auto copy = [](uint64_t length, uint64_t padding) {
    Rig rig;
    Program p;
    p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0);
    p.li(1, 0).li(2, 1 | length << 32).li(3, 0).li(4, 4096 | padding << 48).li(5, 0);
    p.op("mte2.copy.ub", {1, 21, 2, 3, 4, 5}, 0).ex();
    EXPECT_FALSE(rig.aiv(p, {rig.upload(std::vector<uint16_t>(2048))}).fault);
    return span(of(rig, Unit::MTE2).at(0));
  };
  EXPECT_EQ(copy(32, 4064) - copy(32, 0), 32u - 1);
  EXPECT_EQ(copy(32, 96), copy(32, 0)) << "the request's 128 bytes pass in the same cycle";
  EXPECT_EQ(copy(0, 4096), 32u);
}

TEST(Flags, SetAfterCompletionWaitBeforeStart) {
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 8 | 4 << 16).li(3, 4096).li(4, 16 | 16 << 16 | uint64_t{16} << 32).li(5, 1);
  p.op("mte1.load.l0a", {1, 1, 2, 3}, kF16).op(setFlag("mte1", "m", 3));
  p.op(waitFlag("m", "mte1", 3)).op("m.mmad", {1, 1, 1, 4, 5, 1}, kF16).ex();
  const chip::RunResult result = rig.aic(p);
  ASSERT_FALSE(result.fault);
  EXPECT_EQ(result.flags_left, 0u);
  const auto load = of(rig, Unit::MTE1).at(0).effect, mmad = of(rig, Unit::M).at(0).effect;
  // One cycle from the set to the token, one for the wait.
  EXPECT_EQ(mmad.started - load.completed, 2u);
  EXPECT_EQ(result.counters.cores[0].unit[static_cast<size_t>(Unit::M)].wait,
            rig.recorder.waits.at(0).end - rig.recorder.waits.at(0).begin);
  EXPECT_EQ(rig.recorder.waits.at(0).id, 3);
}

TEST(Flags, RegisterFormsAddTheRegister) {
  Rig rig;
  Program p;
  p.li(1, 5).op("set_flagr.mte1", {1}, unitNumber("s") << 4 | 2).op(waitFlag("s", "mte1", 7)).ex();
  EXPECT_FALSE(rig.aic(p).fault);
  Rig bad;
  Program q;
  q.li(1, 6).op("set_flagr.mte1", {1}, unitNumber("s") << 4 | 2).ex();
  ASSERT_TRUE(bad.aic(q).fault);
}

TEST(Flags, TheSixteenthTokenOverflows) {
  Rig ok, over;
  Program p, q;
  for (int i = 0; i < 15; ++i)
    p.op(setFlag("mte1", "m", 0)), q.op(setFlag("mte1", "m", 0));
  q.op(setFlag("mte1", "m", 0)).ex();
  p.ex();
  const chip::RunResult fine = ok.aic(p);
  EXPECT_FALSE(fine.fault);
  EXPECT_EQ(fine.flags_left, 15u);
  const chip::RunResult result = over.aic(q);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::FlagOverflow);
}

TEST(Flags, ADeadlockNamesUnitFlagAndCore) {
  Rig rig;
  Program p;
  p.op(waitFlag("m", "mte1", 4)).op("barrier.all").ex();
  const chip::RunResult result = rig.aic(p);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::Deadlock);
  const std::string text = result.fault->text();
  EXPECT_NE(text.find("AIC0: M waits for flag MTE1 -> M, id 4"), std::string::npos) << text;
  EXPECT_NE(text.find("barrier.all"), std::string::npos) << text;
}

TEST(Barriers, AllWaitsForTheQueuesAndCostsItsCycles) {
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 8 | 4 << 16).li(3, 4096).op("mte1.load.l0a", {1, 1, 2, 3}, kF16);
  const size_t at = p.size();
  p.op("barrier.all").ex();
  rig.aic(p);
  EXPECT_EQ(rig.recorder.issued(at) - of(rig, Unit::MTE1).at(0).effect.completed, 22u);
}

TEST(Barriers, OfAUnitOrdersItsCommands) {
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 128 | 32 << 16 | uint64_t{128} << 32).li(3, 1);
  p.op("m.mmad", {1, 1, 1, 2, 3, 1}, kF16).op("barrier.m").op("m.mmad", {1, 1, 1, 2, 3, 1}, kF16).ex();
  rig.aic(p);
  const auto e = of(rig, Unit::M);
  EXPECT_EQ(e.at(1).effect.started, e.at(0).effect.completed);
}

TEST(Queues, AFullQueueStallsTheSequencerAndLosesNothing) {
  Rig rig({"core.aic.queue_depth=2"});
  const chip::RunResult result = rig.aic(mmads(8, 128, 32, 128, kF16));
  EXPECT_EQ(of(rig, Unit::M).size(), 8u);
  // Command i leaves the queue when it starts, 128 i cycles after the first: the fourth mmad can issue when
  // the second starts, the eighth when the sixth does.
  const auto e = of(rig, Unit::M);
  EXPECT_EQ(e.at(7).effect.issued, e.at(5).effect.started);
  EXPECT_EQ(result.counters.cores[0].queue_full[static_cast<size_t>(Unit::M)],
            rig.recorder.stalled(observe::Stall::QueueFull));
  // Eight issue cycles without stalls; the first starts one cycle after its issue.
  EXPECT_EQ(rig.recorder.stalled(observe::Stall::QueueFull),
            e.at(7).effect.issued - e.at(0).effect.issued - 7);
}

TEST(Queues, DepthIsTheChips) {
  Rig rig;
  rig.aic(mmads(40, 128, 32, 128, kF16));
  const auto e = of(rig, Unit::M);
  // One in execution and 32 queued: the 34th waits until the second has started.
  EXPECT_EQ(e.at(32).effect.issued - e.at(0).effect.issued, 32u);
  EXPECT_EQ(e.at(33).effect.issued, e.at(1).effect.started);
}

TEST(OnChipAddresses, OverflowAndMisalignmentAreFaults) {
  Rig over, crooked;
  Program p = loads("mte1.load.l0a", 16 | 16 << 16, 256 * 32, kF16); // 128 KB into 64
  const chip::RunResult result = over.aic(p);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::OutOfRange);
  EXPECT_EQ(result.fault->command, "mte1.load.l0a");
  Program q;
  q.li(1, 256).li(2, 1 | 1 << 16).li(3, 512).op("mte1.load.l0a", {1, 3, 2, 3}, kF16).ex();
  const chip::RunResult second = crooked.aic(q);
  ASSERT_TRUE(second.fault);
  EXPECT_EQ(second.fault->kind, core::FaultKind::Misaligned);
  EXPECT_EQ(second.fault->address, 256u);
}

} // namespace
} // namespace dlsim::test
