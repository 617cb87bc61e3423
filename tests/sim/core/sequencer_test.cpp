// The sequencer: bundles, interlocks, branches, memory, counted stalls. Cycle counts are computed by hand.
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using observe::Stall;

// Stores a register to the address in the first argument, then exits.
void storeAndExit(Program& p, unsigned value) {
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("st.d", {value, 21}, 0).ex();
}

TEST(Sequencer, OneBundleACycle) {
  Rig rig;
  Program p;
  p.op("li", {1}, 5).op("li", {2}, 6).bundle({W("add", {3, 1, 2}), W("sub", {4, 1, 2})});
  p.op("add", {5, 3, 4}).ex();
  rig.aic(p);
  EXPECT_EQ(rig.recorder.issued(1), rig.recorder.issued(0) + 1);
  EXPECT_EQ(rig.recorder.issued(2), rig.recorder.issued(1) + 1);
  EXPECT_EQ(rig.recorder.issued(4), rig.recorder.issued(2) + 1);
  EXPECT_EQ(rig.recorder.stalled(Stall::ScalarLatency), 0u);
}

TEST(Sequencer, ExitWaitsForTheCommandsOfItsOwnBundle) {
  Rig rig;
  const uint64_t data = rig.upload(std::vector<uint8_t>(4096));
  Program p;
  p.li(1, 0).li(2, data).li(3, 1 | uint64_t{4096} << 32).li(4, 0);
  p.bundle({W("mte2.copy.ub", {1, 2, 3, 4, 4, 4}, 0), W("exit")});
  const chip::RunResult result = rig.aiv(p);
  ASSERT_FALSE(result.fault) << result.fault->text();
  ASSERT_EQ(rig.recorder.commands.size(), 1u);
  // The cycle after the one in which the queue drained.
  EXPECT_EQ(result.counters.cores[0].end + result.start, rig.recorder.commands[0].effect.completed + 1);
}

TEST(Sequencer, ExitWithAWaitInItsBundleThatNobodyEndsIsADeadlock) {
  Rig rig;
  Program p;
  p.bundle({W("exit"), waitFlag("v", "s", 2)});
  const chip::RunResult result = rig.aiv(p);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::Deadlock) << result.fault->text();
}

TEST(Sequencer, ReadsAllRegistersOfABundleBeforeItWritesAny) {
  Rig rig;
  const uint64_t out = rig.upload(std::vector<uint64_t>{0});
  Program p;
  p.op("li", {1}, 10).op("li", {2}, 3);
  p.bundle({W("mov", {1, 2}), W("mov", {2, 1})}); // swaps
  p.op("shli", {1, 1}, 8).op("or", {3, 1, 2});
  storeAndExit(p, 3);
  ASSERT_FALSE(rig.aic(p, {out}).fault);
  EXPECT_EQ(rig.download<uint64_t>(out, 1)[0], 3u << 8 | 10u);
}

// Distance from the producer to a consumer right behind it = the latency of the producer.
struct Latency {
  const char* name;
  W producer;
  unsigned cycles;
};
class Interlock : public testing::TestWithParam<Latency> {};
TEST_P(Interlock, HoldsTheConsumer) {
  Rig rig;
  Program p;
  p.li(1, 7).li(2, 3).op("nop");
  const size_t at = p.size();
  p.op(GetParam().producer).op("mov", {4, 3}).ex();
  ASSERT_FALSE(rig.aiv(p).fault);
  EXPECT_EQ(rig.recorder.issued(at + 1) - rig.recorder.issued(at), GetParam().cycles);
  EXPECT_EQ(rig.recorder.stalled(Stall::ScalarLatency), GetParam().cycles - 1);
}
INSTANTIATE_TEST_SUITE_P(
    Latencies, Interlock,
    testing::Values(Latency{"alu", W("add", {3, 1, 2}), 1}, Latency{"mul", W("mul", {3, 1, 2}), 3},
                    Latency{"muli", W("muli", {3, 1}, 5), 3}, Latency{"div", W("div", {3, 1, 2}), 16},
                    Latency{"remu", W("remu", {3, 1, 2}), 16}, Latency{"fadd", W("fadd", {3, 1, 2}), 4},
                    Latency{"cvt", W("cvt.f32.i64", {3, 1}), 4}, Latency{"fneg", W("fneg", {3, 1}), 1},
                    Latency{"fdiv", W("fdiv", {3, 1, 2}), 12}, Latency{"fsqrt", W("fsqrt", {3, 1}), 12},
                    Latency{"sreg", W("sreg", {3}, 1), 1}, Latency{"ldub", W("ldub.d", {3, 2}, 5), 4}),
    [](const auto& info) { return info.param.name; });

TEST(Sequencer, AShortResultDoesNotOvertakeALongOneOfTheSameRegister) {
  Rig rig;
  Program p;
  p.li(1, 100).li(2, 7).op("nop");
  const size_t at = p.size();
  p.op("div", {3, 1, 2}).op("li", {3}, 5).ex();
  rig.aic(p);
  // The quotient is there at +16, the constant one cycle after its issue: not before +15.
  EXPECT_EQ(rig.recorder.issued(at + 1) - rig.recorder.issued(at), 15u);
}

TEST(Sequencer, TakenBranchCostsItsBubbles) {
  Rig rig;
  Program p;
  p.li(1, 3);
  const size_t loop = p.size();
  p.label("loop").op("addi", {1, 1}, -1).op(W::to("bnz", {1}, "loop")).ex();
  rig.aic(p);
  // Three passes of two bundles; two of the branches are taken, two bubbles each.
  EXPECT_EQ(rig.recorder.stalled(Stall::Branch), 4u);
  EXPECT_EQ(rig.recorder.issued(loop + 2) - rig.recorder.issued(0), 1u + 6 + 4);
}

TEST(Sequencer, CallsAndReturns) {
  Rig rig;
  const uint64_t out = rig.upload(std::vector<uint64_t>{0});
  Program p;
  p.li(1, 20).op(W::to("call", {}, "twice"));
  p.op("addi", {1, 1}, 2);
  storeAndExit(p, 1);
  p.label("twice").op("add", {1, 1, 1}).op("ret");
  ASSERT_FALSE(rig.aic(p, {out}).fault);
  EXPECT_EQ(rig.download<uint64_t>(out, 1)[0], 42u);
}

TEST(Sequencer, SpecialRegisters) {
  Rig rig({"chip.clusters=2"});
  const uint64_t out = rig.upload(std::vector<uint64_t>(4 * 8, ~uint64_t{0}));
  Program p;
  p.op("sreg", {20}, 3)
      .op("ld.d", {21, 20}, 0)
      .op("sreg", {1}, 0)
      .op("muli", {2, 1}, 64)
      .op("add", {21, 21, 2});
  for (unsigned r = 0; r < 7; ++r)
    if (r != 4)
      p.op("sreg", {3}, r).op("st.d", {3, 21}, 8 * r);
  p.op("ld.d", {4, 20}, 8).op("st.d", {4, 21}, 56).ex();
  ASSERT_FALSE(rig.run(kernelOf(p, dlk::KernelKind::Aiv, 1), {out}, 1000000, 0).fault);
  const auto v = rig.download<uint64_t>(out, 32);
  for (uint64_t core = 0; core < 4; ++core) {
    EXPECT_EQ(v[core * 8 + 0], core);
    EXPECT_EQ(v[core * 8 + 1], 4u);
    EXPECT_EQ(v[core * 8 + 2], core % 2);
    EXPECT_EQ(v[core * 8 + 3], sim::GlobalMemory::kArgumentBase);
    EXPECT_EQ(v[core * 8 + 5], 2u);
    EXPECT_EQ(v[core * 8 + 6], core / 2);
    EXPECT_EQ(v[core * 8 + 7], 1u) << "grid x follows the arguments";
  }
}

TEST(Sequencer, NarrowLoadsExtend) {
  Rig rig;
  const uint64_t in = rig.upload(std::vector<uint64_t>{0x8899aabbccddeeffull});
  const uint64_t out = rig.upload(std::vector<uint64_t>(7));
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("ld.d", {22, 20}, 8);
  unsigned slot = 0;
  for (const char* load : {"ld.b", "ld.bu", "ld.h", "ld.hu", "ld.w", "ld.wu", "ld.d"})
    p.op(load, {1, 21}, 0).op("st.d", {1, 22}, 8 * slot++);
  p.ex();
  ASSERT_FALSE(rig.aic(p, {in, out}).fault);
  EXPECT_EQ(rig.download<uint64_t>(out, 7),
            (std::vector<uint64_t>{~uint64_t{0}, 0xff, 0xffffffffffffeeffull, 0xeeff, 0xffffffffccddeeffull,
                                   0xccddeeff, 0x8899aabbccddeeffull}));
}

TEST(Sequencer, DataCacheHitsAfterAMiss) {
  Rig rig;
  const uint64_t in = rig.upload(std::vector<uint64_t>(32, 1));
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0);
  p.op("ld.d", {1, 21}, 0).op("mov", {2, 1});
  const size_t at = p.size();
  p.op("ld.d", {3, 21}, 8).op("mov", {4, 3}); // the same 64-byte line
  const size_t third = p.size();
  p.op("ld.d", {5, 21}, 64).op("mov", {6, 5}).ex();
  const chip::RunResult result = rig.aic(p, {in});
  EXPECT_EQ(rig.recorder.issued(at + 1) - rig.recorder.issued(at), 4u) << "a hit takes dcache.hit_cycles";
  EXPECT_GT(rig.recorder.issued(third + 1) - rig.recorder.issued(third - 1), 200u) << "a new line is a miss";
  EXPECT_EQ(result.counters.cores[0].dcache_misses, 3u); // argument block and two lines of data
  EXPECT_EQ(result.counters.cores[0].dcache_requests, 4u);
}

TEST(Sequencer, InstructionCacheMissesAndPrefetches) {
  Rig rig({"core.aic.icache.line_bytes=128", "core.aic.icache.prefetch_bytes=0"});
  Program p;
  for (int i = 0; i < 40; ++i) // 41 words: 3 lines of 16 words
    p.op("nop");
  p.ex();
  const chip::RunResult cold = rig.aic(p);
  EXPECT_EQ(cold.counters.cores[0].icache_misses, 3u);
  Rig ahead({"core.aic.icache.line_bytes=128", "core.aic.icache.prefetch_bytes=256"});
  const chip::RunResult prefetched = ahead.aic(p);
  EXPECT_EQ(prefetched.counters.cores[0].icache_misses, 1u);
  EXPECT_LT(prefetched.cycles, cold.cycles - 200);
}

TEST(Sequencer, TrapNamesItsCode) {
  Rig rig;
  Program p;
  p.op("nop").op("trap", {}, 77).ex();
  const chip::RunResult result = rig.aic(p);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::Trap);
  EXPECT_EQ(result.fault->pc, 8u);
  EXPECT_NE(result.fault->text().find("77"), std::string::npos);
  EXPECT_EQ(result.fault->core_name, "AIC0");
}

std::optional<core::FaultKind> faultOf(const Program& p, bool aiv = false) {
  Rig rig;
  const chip::RunResult result = aiv ? rig.aiv(p) : rig.aic(p);
  return result.fault ? std::optional(result.fault->kind) : std::nullopt;
}

TEST(Sequencer, FaultsOfTheProgram) {
  Program word, wrongKind, end, unmapped, ub, intoBundle;
  word.raw(0x7fffffffffffffffull).ex();
  EXPECT_EQ(faultOf(word), core::FaultKind::IllegalWord);
  wrongKind.op("v.mask", {1, 2}).ex();
  EXPECT_EQ(faultOf(wrongKind), core::FaultKind::IllegalWord);
  EXPECT_EQ(faultOf(wrongKind, true), std::nullopt);
  end.op("nop");
  EXPECT_EQ(faultOf(end), core::FaultKind::IllegalWord);
  unmapped.li(1, 0x200000000ull).op("ld.d", {2, 1}, 0).ex();
  EXPECT_EQ(faultOf(unmapped), core::FaultKind::UnmappedMemory);
  ub.li(1, 196608 - 4).op("ldub.d", {2, 1}, 0).ex();
  EXPECT_EQ(faultOf(ub, true), core::FaultKind::OutOfRange);
  intoBundle.op("jmp", {}, 2).bundle({W("nop"), W("li", {1}, 1)}).ex();
  EXPECT_EQ(faultOf(intoBundle), core::FaultKind::IllegalWord);
}

TEST(Sequencer, TwoWordsOfABundleCannotWriteOneRegister) {
  Program p;
  p.bundle({W("li", {1}, 1), W("li", {1}, 2)}).ex();
  EXPECT_EQ(faultOf(p), core::FaultKind::IllegalWord);
}

TEST(Sequencer, EndlessLoopsMeetTheCycleLimit) {
  Rig rig;
  Program p;
  p.label("here").op(W::to("jmp", {}, "here"));
  const chip::RunResult result = rig.run(kernelOf(p, dlk::KernelKind::Aic), {}, 20000);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::MaxCycles);
}

} // namespace
} // namespace dlsim::test
