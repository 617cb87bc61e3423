// What every unit promises: a reset leaves nothing, a drain ends, back-pressure loses nothing and keeps the
// order. And the parts that the units are made of.
#include "sim/core/cross_flags.h"
#include "sim/core/poison.h"
#include "sim/core/scalar.h"
#include "sim/core/tags.h"
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using core::Unit;
using isa::Opcode;

struct UnitCase {
  Unit unit;
  bool vector;
  W command; // registers 1..6 hold operands that suit it
};

Program operands(const UnitCase& c, uint64_t data) {
  Program p;
  switch (c.unit) {
  case Unit::MTE1:
    p.li(1, 0).li(2, 1 | 1 << 16).li(3, 512);
    break;
  case Unit::MTE2:
    p.li(1, 0).li(2, data).li(3, 1 | uint64_t{512} << 32).li(4, 0);
    break;
  case Unit::MTE3:
    p.li(1, data).li(2, 0).li(3, 1 | uint64_t{512} << 32).li(4, 0);
    break;
  case Unit::FIX:
    p.li(1, data).li(2, 0).li(3, 16 | uint64_t{16} << 32).li(4, 32).li(5, 1024);
    break;
  case Unit::M:
    p.li(1, 0).li(2, 16 | 16 << 16 | uint64_t{16} << 32).li(3, 1);
    break;
  default:
    p.li(1, 0).li(2, 7).li(3, 1 | 1 << 8 | uint64_t{8} << 24 | uint64_t{1} << 48);
    break;
  }
  return p;
}

class Contract : public testing::TestWithParam<UnitCase> {};

TEST_P(Contract, BackPressureLosesNothingAndKeepsTheOrder) {
  const UnitCase& c = GetParam();
  for (const char* depth : {"1", "3", "32"}) {
    Rig rig({std::string("core.aic.queue_depth=") + depth, std::string("core.aiv.queue_depth=") + depth});
    const uint64_t data = rig.upload(std::vector<uint8_t>(4096));
    Program p = operands(c, data);
    for (int i = 0; i < 50; ++i)
      p.op(c.command);
    p.ex();
    const chip::RunResult result = c.vector ? rig.aiv(p) : rig.aic(p);
    ASSERT_FALSE(result.fault) << result.fault->text();
    ASSERT_EQ(rig.recorder.commands.size(), 50u);
    for (size_t i = 0; i < 50; ++i) {
      const auto& e = rig.recorder.commands[i].effect;
      EXPECT_EQ(e.unit, c.unit);
      EXPECT_LT(e.issued, e.started);
      EXPECT_LE(e.ready, e.started);
      EXPECT_LE(e.started, e.completed);
      if (i) {
        const auto& before = rig.recorder.commands[i - 1].effect;
        EXPECT_LT(before.issued, e.issued);
        EXPECT_LE(before.started, e.started);
        EXPECT_LE(before.completed, e.completed);
      }
    }
    EXPECT_GE(result.counters.cores[0].end + result.start, rig.recorder.commands.back().effect.completed)
        << "exit waits for the queue to drain";
  }
}

TEST_P(Contract, AResetLeavesNothingBehind) {
  const UnitCase& c = GetParam();
  Rig rig;
  const uint64_t data = rig.upload(std::vector<uint8_t>(4096));
  Program leaves = operands(c, data), clean;
  const std::string unit(isa::unitMnemonic(c.unit));
  leaves.op(c.command).op(setFlag(unit, "s", 2)).ex(); // a token that nobody takes
  clean.op(waitFlag("s", unit, 2)).ex();
  const chip::RunResult first = c.vector ? rig.aiv(leaves) : rig.aic(leaves);
  ASSERT_FALSE(first.fault);
  EXPECT_EQ(first.flags_left, 1u);
  const chip::RunResult second = c.vector ? rig.aiv(clean) : rig.aic(clean);
  ASSERT_TRUE(second.fault) << "the token of the first launch must be gone";
  EXPECT_EQ(second.fault->kind, core::FaultKind::Deadlock);
}

INSTANTIATE_TEST_SUITE_P(Units, Contract,
                         testing::Values(UnitCase{Unit::MTE1, false, W("mte1.load.l0a", {1, 1, 2, 3}, 0)},
                                         UnitCase{Unit::MTE2, false,
                                                  W("mte2.copy.l1", {1, 2, 3, 4, 4, 4}, 0)},
                                         UnitCase{Unit::MTE3, false, W("mte3.copy.l1", {1, 2, 3, 4, 4}, 7)},
                                         UnitCase{Unit::FIX, false, W("fix.copy.gm", {1, 2, 3, 4, 5, 2}, 0)},
                                         UnitCase{Unit::M, false, W("m.mmad", {1, 1, 1, 2, 3, 1}, 0)},
                                         UnitCase{Unit::V, true, W("v.dup", {1, 2, 3}, 2)}),
                         [](const auto& info) { return core::unitText(info.param.unit); });

// ---- scalar arithmetic ------------------------------------------------------------------------------------

uint64_t eval(Opcode op, uint64_t a, uint64_t b = 0, int64_t imm = 0) {
  return core::evaluateScalar(op, a, b, 0, imm);
}
constexpr uint64_t kMin = 0x8000000000000000ull, kOnes = ~uint64_t{0};

TEST(Scalar, DivisionEdges) {
  EXPECT_EQ(eval(Opcode::DIV, 7, 0), kOnes);
  EXPECT_EQ(eval(Opcode::DIVU, 7, 0), kOnes);
  EXPECT_EQ(eval(Opcode::REM, 7, 0), 7u);
  EXPECT_EQ(eval(Opcode::REMU, 7, 0), 7u);
  EXPECT_EQ(eval(Opcode::DIV, kMin, kOnes), kMin);
  EXPECT_EQ(eval(Opcode::REM, kMin, kOnes), 0u);
  EXPECT_EQ(eval(Opcode::DIV, static_cast<uint64_t>(-7), 2), static_cast<uint64_t>(-3));
  EXPECT_EQ(eval(Opcode::REM, static_cast<uint64_t>(-7), 2), static_cast<uint64_t>(-1));
}

TEST(Scalar, IntegerEdges) {
  EXPECT_EQ(eval(Opcode::SHL, 1, 65), 2u);
  EXPECT_EQ(eval(Opcode::SAR, kMin, 63), kOnes);
  EXPECT_EQ(eval(Opcode::SHR, kMin, 63), 1u);
  EXPECT_EQ(eval(Opcode::SHLI, 1, 0, 70), 64u);
  EXPECT_EQ(eval(Opcode::MULH, kOnes, kOnes), 0u);
  EXPECT_EQ(eval(Opcode::MULHU, kOnes, kOnes), kOnes - 1);
  EXPECT_EQ(eval(Opcode::ANDI, kOnes, 0, -2), kOnes - 1);
  EXPECT_EQ(eval(Opcode::SXTB, 0x80), kOnes - 0x7f);
  EXPECT_EQ(eval(Opcode::ZXTW, kOnes), 0xffffffffu);
  EXPECT_EQ(eval(Opcode::LI, 0, 0, -5), static_cast<uint64_t>(-5));
  EXPECT_EQ(eval(Opcode::LIH, 0xffffffff00000001ull, 0, 2), 0x200000001ull);
  EXPECT_EQ(core::evaluateScalar(Opcode::SEL, 0, 1, 2, 0), 2u);
  EXPECT_EQ(eval(Opcode::MINU, kOnes, 1), 1u);
  EXPECT_EQ(eval(Opcode::MIN, kOnes, 1), kOnes);
}

TEST(Scalar, FloatEdges) {
  constexpr uint64_t nan = 0x7fc00000, one = 0x3f800000, inf = 0x7f800000, minus = 0x80000000;
  EXPECT_EQ(eval(Opcode::FMIN, nan, one), one);
  EXPECT_EQ(eval(Opcode::FMAX, one, nan), one);
  EXPECT_EQ(eval(Opcode::FMIN, 0, minus), minus);
  EXPECT_EQ(eval(Opcode::FMAX, minus, 0), 0u);
  EXPECT_EQ(eval(Opcode::FSUB, inf, inf), nan) << "the canonical NaN on every host";
  EXPECT_EQ(eval(Opcode::FSQRT, minus | one), nan);
  EXPECT_EQ(eval(Opcode::FEQ, nan, nan), 0u);
  EXPECT_EQ(eval(Opcode::FUNO, nan, one), 1u);
  EXPECT_EQ(eval(Opcode::FNEG, 0xdead00003f800000ull), 0xbf800000u)
      << "the high half of a register is ignored";
  EXPECT_EQ(eval(Opcode::CVTWS, nan), 0u);
  EXPECT_EQ(eval(Opcode::CVTWS, inf), 0x7fffffffffffffffull);
  EXPECT_EQ(eval(Opcode::CVTWS, minus | inf), kMin);
  EXPECT_EQ(eval(Opcode::CVTUS, minus | one), 0u);
  EXPECT_EQ(eval(Opcode::CVTUS, inf), kOnes);
  EXPECT_EQ(eval(Opcode::CVTSW, kOnes), 0xbf800000u);
  EXPECT_EQ(eval(Opcode::CVTSU, kOnes), 0x5f800000u);
  EXPECT_EQ(eval(Opcode::CVTBS, 0x3f808000), 0x3f80u) << "ties to even";
  EXPECT_EQ(eval(Opcode::CVTBS, 0x3f818000), 0x3f82u);
}

TEST(Scalar, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t h = 0; h < 0x10000; ++h)
    if ((h & 0x7c00) != 0x7c00 || (h & 0x3ff) == 0) {
      ASSERT_EQ(core::halfFromFloat(core::floatFromHalf(static_cast<uint16_t>(h))), h);
    }
  EXPECT_EQ(core::halfFromFloat(0x33000000), 0u) << "2^-25 is half of the smallest subnormal: to even";
  EXPECT_EQ(core::halfFromFloat(0x33000001), 1u);
  EXPECT_EQ(core::halfFromFloat(0x477fefff), 0x7bffu);
  EXPECT_EQ(core::halfFromFloat(0x477ff000), 0x7c00u) << "65520 rounds to infinity";
}

// ---- tags and poison --------------------------------------------------------------------------------------

TEST(CacheTags, LeastRecentlyUsedLeavesAndDirtyLinesAreReported) {
  core::CacheTags tags(4 * 2 * 64, 64, 2); // 4 sets of 2 ways
  EXPECT_FALSE(tags.insert(0));
  EXPECT_FALSE(tags.insert(4));
  tags.markDirty(0);
  EXPECT_TRUE(tags.touch(0));
  EXPECT_FALSE(tags.insert(8)) << "line 4 was clean";
  EXPECT_FALSE(tags.contains(4));
  EXPECT_EQ(tags.insert(12), std::optional<uint64_t>(0));
}

TEST(Poison, RangesMergeAndSplit) {
  core::Poison poison;
  poison.mark(10, 20);
  poison.mark(30, 40);
  poison.mark(20, 30);
  EXPECT_EQ(poison.ranges(), 1u);
  poison.clean(15, 17);
  EXPECT_EQ(poison.ranges(), 2u);
  EXPECT_TRUE(poison.touches(14, 15));
  EXPECT_FALSE(poison.touches(15, 17));
  EXPECT_TRUE(poison.touches(16, 18));
  EXPECT_FALSE(poison.touches(40, 50));
  poison.clean(0, 100);
  EXPECT_EQ(poison.ranges(), 0u);
}

} // namespace
} // namespace dlsim::test
