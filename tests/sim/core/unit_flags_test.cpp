// The unit flag: M and FIX hand over L0C block by block. All counts by hand, for a tile of 2 x 2 fractals.
#include "sim/observe/checks.h"
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using core::Unit;
constexpr int64_t kF16 = 0, kMmadKeep = 2 << 5, kMmadSet = 3 << 5, kFixClear = 3 << 10;

// r1 = 0, mmad of 32 x k x 32 (r2), init (r3), fix.copy.l1 of the tile (r4, r5, r6).
Program tile(uint64_t k) {
  Program p;
  p.li(1, 0).li(2, 32 | k << 16 | uint64_t{32} << 32).li(3, 1);
  p.li(4, 32 | uint64_t{32} << 32).li(5, 32 * 32).li(6, 32 * 64);
  return p;
}
Program& mmad(Program& p, int64_t imm) { return p.op("m.mmad", {1, 1, 1, 2, 3, 1}, kF16 | imm); }
Program& fix(Program& p, int64_t imm) { return p.op("fix.copy.l1", {1, 1, 4, 5, 6, 1}, kF16 | imm); }

const core::CommandEffect& effect(const Rig& rig, Unit unit, size_t which = 0) {
  for (const auto& e : rig.recorder.commands)
    if (e.effect.unit == unit && which-- == 0)
      return e.effect;
  throw std::runtime_error("no such command");
}

TEST(UnitFlag, TheFixpipeFollowsTheLastProduct) {
  Rig rig;
  Program p = tile(160); // ten steps a fractal
  mmad(p, kMmadSet);
  fix(p, kFixClear).ex();
  ASSERT_FALSE(rig.aic(p).fault);
  const core::Cycle start = effect(rig, Unit::M).started;
  // Fractals are there 62 + 10, 20, 30, 40 cycles after the start, each is read in 256 / 64 cycles.
  EXPECT_EQ(effect(rig, Unit::FIX).completed - start, 62u + 40 + 4);
  EXPECT_EQ(effect(rig, Unit::FIX).started, effect(rig, Unit::FIX).issued + 1) << "busy while it waits";
}

TEST(UnitFlag, AFastProductWaitsForTheReading) {
  Rig rig;
  Program p = tile(16); // a step a fractal: the fixpipe is the slower one
  mmad(p, kMmadSet);
  fix(p, kFixClear);
  mmad(p, kMmadSet);
  fix(p, kFixClear).ex();
  ASSERT_FALSE(rig.aic(p).fault);
  const core::Cycle start = effect(rig, Unit::M).started;
  EXPECT_EQ(effect(rig, Unit::FIX).completed - start, 62u + 1 + 4 * 4);
  // The last fractal is read 79 cycles after the start; the second product reaches it after three steps.
  EXPECT_EQ(effect(rig, Unit::M, 1).started - start, 79u - 3);
}

TEST(UnitFlag, TheNextProductEntersBehindTheReading) {
  Rig rig;
  Program p = tile(160);
  mmad(p, kMmadSet);
  fix(p, kFixClear);
  mmad(p, kMmadKeep).ex();
  ASSERT_FALSE(rig.aic(p).fault);
  // The first fractal is read 62 + 10 + 4 cycles after the start, the others no later than they are needed.
  EXPECT_EQ(effect(rig, Unit::M, 1).started - effect(rig, Unit::M).started, 76u);
}

TEST(UnitFlag, OnlyTheLastMmadOfAChainSets) {
  Rig rig;
  Program p = tile(160);
  mmad(p, kMmadKeep);
  mmad(p, kMmadKeep);
  mmad(p, kMmadSet);
  fix(p, kFixClear).ex();
  ASSERT_FALSE(rig.aic(p).fault);
  EXPECT_EQ(effect(rig, Unit::M, 2).started - effect(rig, Unit::M).started, 80u)
      << "no wait within the chain";
  EXPECT_EQ(effect(rig, Unit::FIX).completed - effect(rig, Unit::M, 2).started, 62u + 40 + 4);
}

TEST(UnitFlag, AWaitWithoutEndNamesTheUnit) {
  Rig fixpipe, cube;
  Program p = tile(16), q = tile(16);
  fix(p, kFixClear).op("barrier.all").ex();
  const chip::RunResult first = fixpipe.aic(p);
  ASSERT_TRUE(first.fault);
  EXPECT_EQ(first.fault->kind, core::FaultKind::Deadlock);
  EXPECT_NE(first.fault->text().find("FIX waits for unit flags of L0C that no m.mmad sets"),
            std::string::npos)
      << first.fault->text();
  mmad(q, kMmadSet);
  mmad(q, kMmadSet).op("barrier.all").ex();
  const chip::RunResult second = cube.aic(q);
  ASSERT_TRUE(second.fault);
  EXPECT_NE(second.fault->text().find("M waits for unit flags of L0C that no fix.copy clears"),
            std::string::npos)
      << second.fault->text();
}

TEST(UnitFlag, OrdersTheTwoUnitsForTheRaceCheck) {
  for (const bool flags : {true, false}) {
    observe::Checks checks({true, false, 20, {}});
    Rig rig;
    rig.session().subscribe(checks);
    Program p = tile(160);
    for (int i = 0; i < 2; ++i) {
      mmad(p, flags ? kMmadSet : 0);
      fix(p, flags ? kFixClear : 0);
    }
    p.ex();
    ASSERT_FALSE(rig.aic(p).fault);
    EXPECT_EQ(checks.findings().empty(), flags);
  }
}

} // namespace
} // namespace dlsim::test
