// The vector unit: rates, start-ups, UB banks, pipeline overlap.
#include "sim/core/vector_cost.h"
#include "tests/sim/support/rig.h"
#include "tests/sim/support/vector.h"

#include <cmath>
#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using core::Unit;
constexpr int64_t kF16 = 0, kF32 = 2;

const sim::ChipSpec& chip() {
  static const sim::ChipSpec spec = sim::loadChip(sim::chipPath("ascend910b1")).spec;
  return spec;
}

// Operands that never meet in a bank: dst in bank 1, src0 in bank 0, src1 in bank 2, half a row of groups
// apart.
constexpr uint64_t kDst = 1 << 16, kSrc0 = 0, kSrc1 = (2 << 16) + 256;

core::VectorCost cost(const core::Command& c, core::CoreState::Lanes lanes = {}) {
  core::VectorCosts costs(chip().vector, chip().ub);
  return costs.cost(c, lanes);
}

TEST(UbBanks, AddReproducesTheVendorsBankExperiment) {
  // Add f32, 64 repeats (reference at 1.85 GHz: 88 cycles without conflict, 154 with read-read, 139 with
  // read-write).
  const uint64_t word = strides(64);
  const auto none = cost(command("add", kDst, kSrc0, kSrc1, word, kF32));
  EXPECT_EQ(none.startup + none.cycles, 24u + 64);
  EXPECT_EQ(none.bankgroup_conflicts + none.bank_conflicts, 0u);
  // Both sources begin in bank group 0: each repeat reads every group twice.
  const auto reads = cost(command("add", kDst, kSrc0, 2 << 16, word, kF32));
  EXPECT_EQ(reads.startup + reads.cycles, 24u + 128);
  EXPECT_EQ(reads.bankgroup_conflicts, 64u);
}

TEST(UbBanks, ReadAndWriteOfOneBankCostACycleUnlessAllBlocksMeet) {
  const uint64_t word = strides(64);
  const auto exact = cost(command("add", kSrc0, kSrc0, kSrc1, word, kF32)); // dst on src0: slips a repeat
  EXPECT_EQ(exact.cycles, 64u);
  const auto shifted = cost(command("add", kSrc0 + 64, kSrc0, kSrc1, word, kF32));
  // Its last 12 writes (a start-up of 24 cycles at two a repeat) come after the last read.
  EXPECT_EQ(shifted.cycles, 64u + 52);
  EXPECT_EQ(shifted.bank_conflicts, 52u);
  EXPECT_EQ(cost(command("add", kSrc0 + 64, kSrc0, kSrc1, strides(12), kF32)).bank_conflicts, 0u);
}

TEST(UbBanks, WriteStrideOfSixteenBlocksHitsOneGroup) {
  // 8 blocks 512 bytes apart: one group serves one write a cycle.
  const auto c = cost(command("adds", kDst, kSrc0, 0, strides(10, 16, 1, 1, 1, 8), kF32));
  EXPECT_EQ(c.cycles, 80u);
  EXPECT_EQ(c.bankgroup_conflicts, 70u);
  // 17 blocks apart spreads over eight groups.
  EXPECT_EQ(cost(command("adds", kDst, kSrc0, 0, strides(10, 17, 1, 1, 1, 8), kF32)).cycles, 10u);
}

TEST(UbBanks, ThreeBanksOf64KilobytesLieBehindEachOther) {
  // The write's blocks lie two rows from the first source's, in the bank named: only bank 0 is the source's.
  for (const uint64_t at : {uint64_t{64}, uint64_t{0x8000 + 64}, uint64_t{0xb000 + 64}})
    EXPECT_EQ(cost(command("adds", at, kSrc0, 0, strides(64), kF32)).bank_conflicts, 64u - 13) << at;
  for (const uint64_t at : {uint64_t{0x10000 + 64}, uint64_t{0x18000 + 64}, uint64_t{0x20000 + 64}})
    EXPECT_EQ(cost(command("adds", at, kSrc0, 0, strides(64), kF32)).bank_conflicts, 0u) << at;
}

TEST(UbBanks, WithoutConflictsOnlyTheRateIsLeft) {
  sim::UbSpec free = chip().ub;
  free.conflicts = false;
  core::VectorCosts costs(chip().vector, free);
  const core::Command reads = command("add", kDst, kSrc0, 2 << 16, strides(64), kF32),
                      readWrite = command("add", kSrc0 + 64, kSrc0, kSrc1, strides(64), kF32),
                      writes = command("adds", kDst, kSrc0, 0, strides(10, 16, 1, 1, 1, 8), kF32),
                      none = command("add", kDst, kSrc0, kSrc1, strides(64), kF32);
  for (const core::Command& c : {reads, readWrite, writes}) {
    const core::VectorCost without = costs.cost(c, {}), with = cost(c);
    EXPECT_GT(with.bankgroup_conflicts + with.bank_conflicts, 0u);
    EXPECT_EQ(without.cycles, with.cycles - with.bankgroup_conflicts - with.bank_conflicts);
    EXPECT_EQ(without.startup, with.startup);
    EXPECT_EQ(without.bankgroup_conflicts + without.bank_conflicts, 0u);
  }
  EXPECT_EQ(costs.cost(none, {}).cycles, cost(none).cycles);
}

TEST(UbBanks, RowsPerCycleAreTheChips) {
  sim::ChipSpec wide = chip();
  wide.ub.readsPerGroup = 2;
  core::VectorCosts costs(wide.vector, wide.ub);
  EXPECT_EQ(costs.cost(command("add", kDst, kSrc0, 2 << 16, strides(64), kF32), {}).cycles, 64u);
  wide.ub.writesPerGroup = 2;
  core::VectorCosts writes(wide.vector, wide.ub);
  EXPECT_EQ(writes.cost(command("adds", kDst, kSrc0, 0, strides(10, 16, 1, 1, 1, 8), kF32), {}).cycles, 40u);
}

TEST(UbBanks, ZeroStridesAreReadOnce) {
  // src1 repeats one block for all lanes and repeats: it takes no rows after the first.
  const auto c = cost(command("add", kDst, kSrc0, 2 << 16, strides(64, 1, 1, 0, 8, 8, 0), kF32));
  EXPECT_EQ(c.cycles, 65u) << "one conflict in the first repeat";
}

struct Rate {
  const char* op;
  unsigned startup;
  double half, single;
};
class VectorRates : public testing::TestWithParam<Rate> {};
TEST_P(VectorRates, PerRepeat) {
  const Rate& r = GetParam();
  const uint64_t word = strides(20);
  const auto half = cost(command(r.op, kDst, kSrc0, kSrc1, word, kF16)),
             single = cost(command(r.op, kDst, kSrc0, kSrc1, word, kF32));
  EXPECT_EQ(half.startup, r.startup);
  EXPECT_EQ(half.cycles, std::ceil(r.half * 20));
  EXPECT_EQ(single.cycles, std::ceil(r.single * 20));
}
INSTANTIATE_TEST_SUITE_P(
    Ops, VectorRates,
    testing::Values(Rate{"add", 24, 1, 1}, Rate{"sub", 24, 1, 1}, Rate{"mul", 25, 1, 1},
                    Rate{"max", 23, 1, 1}, Rate{"min", 23, 1, 1}, Rate{"and", 20, 1, 1}, Rate{"or", 20, 1, 1},
                    Rate{"xor", 20, 1, 1}, Rate{"div", 31, 4, 4}, Rate{"mla", 26, 2, 2},
                    Rate{"adds", 26, 1, 1}, Rate{"muls", 26, 1, 1}, Rate{"maxs", 23, 1, 1},
                    Rate{"mins", 23, 1, 1}, Rate{"axpy", 26, 1, 1}, Rate{"relu", 23, 1, 1},
                    Rate{"abs", 23, 1, 1}, Rate{"exp", 31, 4, 2}, Rate{"ln", 33, 4, 2},
                    Rate{"sqrt", 39, 4, 2}, Rate{"rsqrt", 24, 1.07, 1.07}, Rate{"rec", 24, 1, 1},
                    Rate{"copy", 24, 1, 1}, Rate{"dup", 24, 1, 1}, Rate{"cmp", 24, 1, 1},
                    Rate{"cmps", 24, 1, 1}, Rate{"cadd", 46, 7, 7}, Rate{"cmax", 46, 7, 7},
                    Rate{"cmin", 46, 7, 7}, Rate{"cgadd", 38, 7, 1}, Rate{"cgmax", 38, 7, 1},
                    Rate{"cgmin", 38, 7, 1}, Rate{"cpadd", 38, 1, 1}, Rate{"gather", 24, 12.8, 12.8},
                    Rate{"trans", 24, 2, 2}, Rate{"shls", 24, 1, 1}),
    [](const auto& info) { return info.param.op; });

TEST(VectorRatesMore, SelectAndCast) {
  core::Command sel = command("sel", kDst, kSrc0, kSrc1, strides(20), kF16);
  sel.r[4] = 150000;
  EXPECT_EQ(cost(sel).startup, 27u);
  EXPECT_EQ(cost(sel).cycles, 20u);
  sel.imm = kF32;
  EXPECT_EQ(cost(sel).cycles, 20u);
  const auto cast = cost(command("cast", kDst, kSrc0, 0, strides(20, 1, 1, 1, 4, 8), kF32 | kF16 << 4));
  EXPECT_EQ(cast.startup, 27u);
  EXPECT_EQ(cast.cycles, 18u) << "0.9 cycles a repeat";
  const auto narrow =
      cost(command("cast", kDst, kSrc0, 0, strides(20, 1, 1, 1, 4, 8), kF16 | 3 << 4)); // f16 to i8
  EXPECT_EQ(narrow.cycles, 20u);
}

TEST(VectorModes, CountModeIgnoresRepeatsAndCostsOnce) {
  core::CoreState::Lanes lanes;
  lanes.count_mode = true;
  lanes.count = 64 * 9 + 1;
  const auto c = cost(command("add", kDst, kSrc0, kSrc1, strides(1), kF32), lanes);
  EXPECT_EQ(c.startup, 24u + 15);
  EXPECT_EQ(c.cycles, 10u);
}

TEST(VectorModes, CostsAreLookedUpByShape) {
  core::VectorCosts costs(chip().vector, chip().ub);
  costs.cost(command("add", kDst, kSrc0, kSrc1, strides(64), kF32), {});
  costs.cost(command("add", kDst + 512, kSrc0, kSrc1, strides(64), kF32), {});
  costs.cost(command("add", kDst, kSrc0, kSrc1, strides(64), kF32), {});
  EXPECT_EQ(costs.cached(), 2u);
}

std::vector<Recorder::Effect> run(Rig& rig, Program& p) {
  const chip::RunResult result = rig.aiv(p);
  EXPECT_FALSE(result.fault) << result.fault->text();
  return rig.recorder.commands;
}

TEST(VectorUnit, CommandsStreamDependentOnesFollowTheResult) {
  Rig rig;
  Program p;
  p.li(1, kDst).li(2, kSrc0).li(3, kSrc1).li(4, strides(16)).li(5, kDst + 0x4000);
  p.op("v.add", {1, 2, 3, 4}, kF32).op("v.add", {5, 2, 3, 4}, kF32); // independent
  p.op("v.add", {1, 5, 3, 4}, kF32).ex();                            // reads what the second wrote
  const auto e = run(rig, p);
  EXPECT_EQ(e.at(0).effect.completed - e.at(0).effect.started, 24u + 16 + 9);
  EXPECT_EQ(e.at(1).effect.started - e.at(0).effect.started, 24u + 16);
  // Sixteen repeats behind the last result: each finds what it reads. That is before the unit is free.
  EXPECT_EQ(e.at(2).effect.started - e.at(1).effect.started, 24u + 16);
  EXPECT_LE(e.at(1).effect.completed - 16, e.at(2).effect.started);
}

TEST(VectorUnit, ABarrierWaitsForResultsEachTime) {
  Rig rig;
  Program p;
  p.li(1, kDst).li(2, kSrc0).li(3, kSrc1).li(4, strides(1));
  for (int i = 0; i < 3; ++i)
    p.op("v.add", {1, 2, 3, 4}, kF32).op("barrier.v", {});
  p.ex();
  const auto e = run(rig, p);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(e.at(i).effect.completed - e.at(i).effect.started, 24u + 1 + 9);
  for (size_t i = 1; i < 3; ++i)
    EXPECT_GE(e.at(i).effect.started, e.at(i - 1).effect.completed);
}

TEST(VectorUnit, MaskCommandsTakeTheirCycleAndKeepTheOrder) {
  Rig rig;
  Program p;
  p.li(1, 5).li(2, 0).li(3, kDst).li(4, strides(1)).li(5, 0x3f800000);
  p.op("v.mask", {1, 2}).op("v.dup", {3, 5, 4}, kF32).ex();
  const auto e = run(rig, p);
  EXPECT_EQ(e.at(1).effect.started - e.at(0).effect.started, 1u);
}

core::Cycle addsBehindATransfer(Rig& rig) {
  const uint64_t in = rig.upload(std::vector<uint8_t>(32768));
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(10, 0).li(11, 1 | uint64_t{32768} << 32).li(12, 0);
  p.li(1, 0x8000).li(2, 1 << 16).li(4, strides(64)).li(5, 0x3f800000);
  p.op("mte2.copy.ub", {10, 21, 11, 12, 12, 12}, 0);
  p.op("v.adds", {1, 2, 5, 4}, kF32).ex(); // writes bank 0, where the transfer writes
  EXPECT_FALSE(rig.aiv(p, {in}).fault);
  for (const Recorder::Effect& e : rig.recorder.commands)
    if (e.effect.unit == Unit::V)
      return e.effect.completed - e.effect.started;
  return 0;
}

TEST(VectorUnit, TransfersTakeRowsOfTheBankTheyWrite) {
  Rig rig, free({"ub.conflicts=false"});
  // 32 KB occupy the port for 256 cycles, more than the 64 of the command; the port takes 4 of 16 groups.
  EXPECT_EQ(addsBehindATransfer(rig), addsBehindATransfer(free) + 16);
}

TEST(VectorUnit, ScalarsSeeUbAfterAFlag) {
  Rig rig;
  const uint64_t out = rig.upload(std::vector<uint64_t>{0});
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(1, 512).li(2, 1234).li(3, strides(1));
  p.op("v.dup", {1, 2, 3}, 5).op(setFlag("v", "s", 0)).op(waitFlag("s", "v", 0));
  p.op("ldub.w", {4, 1}, 8).op("st.d", {4, 21}, 0).ex();
  const chip::RunResult result = rig.aiv(p, {out});
  ASSERT_FALSE(result.fault);
  EXPECT_EQ(rig.download<uint64_t>(out, 1)[0], 1234u);
  EXPECT_GT(rig.recorder.stalled(observe::Stall::Flag), 30u);
  EXPECT_EQ(result.counters.cores[0].scalar_flag_wait[static_cast<size_t>(Unit::V)],
            rig.recorder.stalled(observe::Stall::Flag));
}

TEST(VectorUnit, AStoreToUbHoldsTheNextAccess) {
  Rig rig({"scalar.ub_store_cycles=6"});
  Program p;
  p.li(1, 512).li(2, 7).op("nop");
  const size_t at = p.size();
  p.op("stub.w", {2, 1}, 0).op("ldub.w", {3, 1}, 0).ex();
  rig.aiv(p);
  EXPECT_EQ(rig.recorder.issued(at + 1) - rig.recorder.issued(at), 6u);
  Rig one;
  one.aiv(p);
  EXPECT_EQ(one.recorder.issued(at + 1) - one.recorder.issued(at), 1u);
}

} // namespace
} // namespace dlsim::test
