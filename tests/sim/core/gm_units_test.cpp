// Transfers, values and a whole matmul tile through all units of a cube core.
#include "sim/core/scalar.h"
#include "tests/sim/support/rig.h"

#include <cstring>
#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using core::Unit;
constexpr int64_t kF16 = 0;

// C[m, n] = A[m, k] * B[k, n] in one tile, f16 in, f16 out, flags between all units. Args: a, b, c.
Program matmulTile(uint64_t m, uint64_t k, uint64_t n, bool flags = true) {
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("ld.d", {22, 20}, 8).op("ld.d", {23, 20}, 16);
  const uint64_t l1b = 64 * 1024;
  p.li(1, 0).li(2, l1b);
  p.li(3, m | k << 32).li(4, k * 2).li(5, m * 32);
  p.op("mte2.nd2nz.l1", {1, 21, 3, 4, 5}, kF16);
  p.li(6, k | n << 32).li(7, n * 2).li(8, k * 32);
  p.op("mte2.nd2nz.l1", {2, 22, 6, 7, 8}, kF16);
  if (flags)
    p.op(setFlag("mte2", "mte1", 0)).op(waitFlag("mte1", "mte2", 0));
  p.li(9, m / 16 | (k / 16) << 16).op("mte1.load.l0a", {1, 1, 9, 5}, kF16);
  p.li(10, k / 16 | (n / 16) << 16).op("mte1.load.l0b", {1, 2, 10, 8}, kF16 | 1 << 4);
  if (flags)
    p.op(setFlag("mte1", "m", 0)).op(waitFlag("m", "mte1", 0));
  p.li(11, m | k << 16 | n << 32).li(12, 1).op("m.mmad", {1, 1, 1, 11, 12, 1}, kF16);
  if (flags)
    p.op(setFlag("m", "fix", 0)).op(waitFlag("fix", "m", 0));
  p.li(13, m | n << 32).li(14, n * 2).li(15, m * 64);
  p.op("fix.copy.gm", {23, 1, 13, 14, 15, 1}, kF16).ex();
  return p;
}

std::vector<uint16_t> halves(size_t count, unsigned seed) {
  std::vector<uint16_t> out(count);
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(static_cast<int>((i * 7 + seed) % 9) - 4);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    out[i] = core::halfFromFloat(bits);
  }
  return out;
}
float asFloat(uint16_t h) {
  const uint32_t bits = core::floatFromHalf(h);
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

TEST(Matmul, OneTileComputesTheProduct) {
  Rig rig;
  const unsigned m = 64, k = 48, n = 80;
  const auto a = halves(m * k, 1), b = halves(k * n, 5);
  const uint64_t pa = rig.upload(a), pb = rig.upload(b), pc = rig.upload(std::vector<uint16_t>(m * n));
  const chip::RunResult result = rig.aic(matmulTile(m, k, n), {pa, pb, pc});
  ASSERT_FALSE(result.fault) << result.fault->text();
  const auto c = rig.download<uint16_t>(pc, m * n);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) {
      float sum = 0;
      for (unsigned x = 0; x < k; ++x)
        sum += asFloat(a[i * k + x]) * asFloat(b[x * n + j]);
      ASSERT_EQ(asFloat(c[i * n + j]), sum) << i << ", " << j;
    }
  const observe::CoreCounters& counters = result.counters.cores[0];
  EXPECT_EQ(counters.macs, uint64_t{m} * k * n);
  EXPECT_EQ(counters.space_written[static_cast<size_t>(core::Space::L1)], (m * k + k * n) * 2u);
  EXPECT_EQ(counters.space_written[static_cast<size_t>(core::Space::GM)], m * n * 2u);
  EXPECT_EQ(counters.unit[static_cast<size_t>(Unit::MTE2)].instructions, 2u);
}

TEST(Matmul, AMissingFlagChangesTheResult) {
  Rig rig;
  const unsigned m = 64, k = 48, n = 80;
  const uint64_t pa = rig.upload(halves(m * k, 1)), pb = rig.upload(halves(k * n, 5)),
                 pc = rig.upload(std::vector<uint16_t>(m * n));
  ASSERT_FALSE(rig.aic(matmulTile(m, k, n, false), {pa, pb, pc}).fault);
  EXPECT_EQ(rig.download<uint16_t>(pc, m * n), std::vector<uint16_t>(m * n)) << "L0C was still zero";
}

TEST(Transfers, UnmappedRowsAreNamed) {
  Rig rig;
  const uint64_t pa = rig.upload(std::vector<uint16_t>(64 * 48)); // 6144 bytes: rows beyond 63 lie outside
  Program p;
  p.op("sreg", {20}, 3)
      .op("ld.d", {21, 20}, 0)
      .li(1, 0)
      .li(3, 65 | uint64_t{48} << 32)
      .li(4, 96)
      .li(5, 65 * 32);
  p.op("mte2.nd2nz.l1", {1, 21, 3, 4, 5}, kF16).ex();
  const chip::RunResult result = rig.aic(p, {pa});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, core::FaultKind::UnmappedMemory);
  EXPECT_EQ(result.fault->address, pa + 64 * 96);
  EXPECT_EQ(result.fault->command, "mte2.nd2nz.l1");
}

TEST(Transfers, CommandsOfAUnitOverlapAndCompleteInOrder) {
  Rig rig;
  const uint64_t pa = rig.upload(std::vector<uint16_t>(64 * 1024));
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(3, 1 | uint64_t{4096} << 32).li(4, 0).li(5, 0);
  for (unsigned i = 0; i < 4; ++i)
    p.li(1, i * 4096).op("mte2.copy.ub", {1, 21, 3, 4, 5, 4}, 0);
  p.ex();
  ASSERT_FALSE(rig.aiv(p, {pa}).fault);
  core::Cycle last = 0, sum = 0;
  for (const auto& e : rig.recorder.commands) {
    EXPECT_GE(e.effect.completed, last);
    last = e.effect.completed;
    sum += e.effect.completed - e.effect.started;
  }
  EXPECT_LT(last - rig.recorder.commands.front().effect.started, sum)
      << "the second does not wait for the first";
  Rig serial({"dma.commands_in_flight=1"});
  const uint64_t ps = serial.upload(std::vector<uint16_t>(64 * 1024));
  ASSERT_FALSE(serial.aiv(p, {ps}).fault);
  for (size_t i = 1; i < serial.recorder.commands.size(); ++i)
    EXPECT_EQ(serial.recorder.commands[i].effect.started, serial.recorder.commands[i - 1].effect.completed);
}

TEST(Transfers, TwoRunsAndEveryQuantumGiveTheSameCyclesAndBytes) {
  std::vector<core::Cycle> cycles;
  std::vector<std::vector<uint16_t>> results;
  for (const chip::SystemOptions options :
       {chip::SystemOptions{false, 0, false}, chip::SystemOptions{false, 0, false},
        chip::SystemOptions{true, 0, false}, chip::SystemOptions{true, 1000, false}}) {
    Rig rig({}, options);
    const uint64_t pa = rig.upload(halves(64 * 48, 1)), pb = rig.upload(halves(48 * 80, 5)),
                   pc = rig.upload(std::vector<uint16_t>(64 * 80));
    const chip::RunResult result = rig.aic(matmulTile(64, 48, 80), {pa, pb, pc});
    ASSERT_FALSE(result.fault) << result.fault->text();
    cycles.push_back(result.cycles);
    results.push_back(rig.download<uint16_t>(pc, 64 * 80));
  }
  for (size_t i = 1; i < cycles.size(); ++i) {
    EXPECT_EQ(cycles[i], cycles[0]);
    EXPECT_EQ(results[i], results[0]);
  }
}

TEST(Transfers, RowsWithoutAGapAreOneBurst) {
  // 64 rows of 32 bytes out of L0C: 2 KB in a row are four requests, with a gap each row is one.
  for (const uint64_t gap : {0u, 32u}) {
    Rig rig;
    Program p;
    p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0);
    p.li(1, 0).li(2, 64 | uint64_t{16} << 32).li(3, 32 + gap).li(4, 64 * 64);
    p.op("fix.copy.gm", {21, 1, 2, 3, 4, 1}, kF16).ex();
    const chip::RunResult result = rig.aic(p, {rig.upload(std::vector<uint16_t>(64 * 32))});
    ASSERT_FALSE(result.fault);
    const observe::CoreCounters& core = result.counters.cores[0];
    EXPECT_EQ(core.write_hit + core.write_miss, gap ? 64u : 4u);
  }
}

// Runs a matmul on a rig and leaves its result's address.
chip::RunResult multiply(Rig& rig, uint64_t& result) {
  const uint64_t a = rig.upload(halves(64 * 48, 1)), b = rig.upload(halves(48 * 80, 5));
  result = rig.upload(std::vector<uint16_t>(64 * 80));
  return rig.aic(matmulTile(64, 48, 80), {a, b, result});
}

TEST(TimingOnly, TakesTheSameCycles) {
  Rig full, fast({}, {false, 0, true});
  uint64_t at;
  EXPECT_EQ(multiply(full, at).cycles, multiply(fast, at).cycles);
}

TEST(TimingOnly, OnlyWhatARunDoesMustBeKnown) {
  // r21 = address of the product, r1 = eight bytes of it.
  const auto fault = [](auto use) {
    Rig fast({}, {false, 0, true});
    uint64_t product;
    multiply(fast, product);
    Program p;
    p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("ld.d", {1, 21}, 0);
    use(p);
    return fast.aic(p.ex(), {product}).fault;
  };
  // It may be calculated with, stored, loaded again and be a plain operand.
  EXPECT_FALSE(fault([](Program& p) {
    p.op("add", {2, 1, 1}).op("st.d", {2, 21}, 0).op("ld.d", {3, 21}, 0).li(4, 0).li(5, 64);
    p.op("mte2.fill.l1", {4, 3, 5});
  }));
  // A register that is written again is known again.
  EXPECT_FALSE(fault([](Program& p) { p.li(1, 0).op(W::to("bnz", {1}, "end")).label("end"); }));
  const auto refused = [&](auto use) {
    const auto found = fault(use);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, core::FaultKind::PoisonUse) << found->text();
  };
  refused([](Program& p) { p.op("add", {2, 1, 1}).op("ld.d", {3, 2}, 0); });
  refused([](Program& p) { p.op("st.d", {1, 21}, 0).op("ld.d", {2, 21}, 0).op("st.d", {20, 2}, 0); });
  refused([](Program& p) { p.op(W::to("bnz", {1}, "end")).label("end"); });
  refused([](Program& p) { p.li(4, 0).op("mte2.fill.l1", {4, 4, 1}); });
}

} // namespace
} // namespace dlsim::test
