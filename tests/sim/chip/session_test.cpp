// Launches: arguments, start times, several launches on one chip, a whole matrix product on several cores.
#include "sim/core/scalar.h"
#include "tests/sim/support/gemm.h"
#include "tests/sim/support/rig.h"

#include <cstring>
#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

float asFloat(uint16_t h) {
  const uint32_t bits = core::floatFromHalf(h);
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
std::vector<uint16_t> halves(size_t count, unsigned seed) {
  std::vector<uint16_t> out(count);
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(static_cast<int>((i * 2654435761u + seed) >> 7 & 7) - 3);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    out[i] = core::halfFromFloat(bits);
  }
  return out;
}

TEST(Launch, CoresStartOneAfterAnother) {
  Rig rig({"chip.clusters=3"});
  Program p;
  p.op("nop").ex();
  const chip::RunResult result = rig.run(kernelOf(p, dlk::KernelKind::Aic), {}, 1000000, 0);
  ASSERT_FALSE(result.fault);
  EXPECT_EQ(result.cores, 3u);
  EXPECT_EQ(result.head, 900u);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_EQ(result.counters.cores[i].start, 900u + 28 * i + 250);
  core::Cycle last = 0;
  for (const auto& core : result.counters.cores)
    last = std::max(last, core.end);
  EXPECT_EQ(result.cycles, last + 60) << "the tail follows the last core";
}

TEST(Launch, MixedKernelsPayForTheSecondKind) {
  Rig rig({"chip.clusters=2"});
  Program p;
  p.ex();
  const chip::RunResult result = rig.run(mixOf(p, p), {}, 1000000, 0);
  ASSERT_FALSE(result.fault);
  EXPECT_EQ(result.head, 900u + 1850);
  ASSERT_EQ(result.counters.cores.size(), 6u);
  EXPECT_EQ(result.counters.cores[5].start, 900u + 1850 + 28 + 250)
      << "the second cluster is dispatched second";
}

TEST(Launch, ChecksItsArguments) {
  Rig rig;
  Program p;
  p.ex();
  EXPECT_THROW(rig.run(kernelOf(p, dlk::KernelKind::Aic, 2), {1}), std::runtime_error);
  EXPECT_FALSE(rig.aic(p).fault);
}

TEST(Launch, WorkspaceAndConstantsAreThere) {
  Rig rig;
  const uint64_t out = rig.upload(std::vector<uint64_t>(3));
  Program p;
  // Slots: out, grid x y z, workspace base, workspace stride.
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("ld.d", {22, 20}, 32).op("ld.d", {23, 20}, 40);
  p.li(1, 99).op("st.d", {1, 22}, 0).op("ld.d", {2, 22}, 0).op("st.d", {2, 21}, 0).op("st.d", {23, 21}, 8);
  p.li(3, 0x20000000).op("ld.d", {4, 3}, 0).op("st.d", {4, 21}, 16);
  p.op("addi", {30, 30}, -16).op("st.d", {1, 30}, 8).ex(); // the stack
  dlk::Kernel kernel = kernelOf(p, dlk::KernelKind::Aic, 1);
  kernel.workspaceBytesPerCore = 1000;
  kernel.rodata = {1, 2, 3, 4, 5, 6, 7, 8};
  kernel.rodataAddress = 0x20000000;
  const chip::RunResult result = rig.run(kernel, {out});
  ASSERT_FALSE(result.fault) << result.fault->text();
  EXPECT_EQ(rig.download<uint64_t>(out, 3), (std::vector<uint64_t>{99, 1024, 0x0807060504030201ull}));
}

TEST(Launch, ASecondLaunchFindsAWarmCacheAndTheSameValues) {
  Rig rig({"chip.clusters=2", "l2.sets=512"});
  const unsigned m = 128, n = 256, k = 256;
  const uint64_t a = rig.upload(halves(m * k, 1)), b = rig.upload(halves(k * n, 2)),
                 c = rig.upload(std::vector<uint16_t>(m * n));
  const dlk::Kernel kernel = kernelOf(gemmKernel(m, n, k), dlk::KernelKind::Aic, 3);
  const chip::RunResult cold = rig.run(kernel, {a, b, c});
  const chip::RunResult warm = rig.run(kernel, {a, b, c});
  ASSERT_FALSE(cold.fault || warm.fault);
  EXPECT_LT(warm.cycles, cold.cycles);
  EXPECT_EQ(warm.counters.memory.l2_read_miss, 0u);
  EXPECT_GT(cold.counters.memory.l2_read_miss, 0u);
  rig.session().coolDown();
  EXPECT_EQ(rig.run(kernel, {a, b, c}).counters.memory.l2_read_miss, cold.counters.memory.l2_read_miss);
}

TEST(Gemm, SeveralCoresAndTilesComputeTheProduct) {
  Rig rig({"chip.clusters=3", "l2.sets=512"});
  const unsigned m = 256, n = 512, k = 512;
  const auto a = halves(m * k, 1), b = halves(k * n, 77);
  const uint64_t pa = rig.upload(a), pb = rig.upload(b), pc = rig.upload(std::vector<uint16_t>(m * n));
  const chip::RunResult result =
      rig.run(kernelOf(gemmKernel(m, n, k), dlk::KernelKind::Aic, 3), {pa, pb, pc}, 10000000, 0);
  ASSERT_FALSE(result.fault) << result.fault->text();
  EXPECT_EQ(result.flags_left, 0u);
  const auto c = rig.download<uint16_t>(pc, m * n);
  std::vector<float> row(n);
  for (unsigned i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (unsigned x = 0; x < k; ++x)
      for (unsigned j = 0; j < n; ++j)
        row[j] += asFloat(a[i * k + x]) * asFloat(b[x * n + j]);
    for (unsigned j = 0; j < n; ++j)
      ASSERT_EQ(asFloat(c[i * n + j]), asFloat(core::halfFromFloat([&] {
                  uint32_t bits;
                  std::memcpy(&bits, &row[j], 4);
                  return bits;
                }())));
  }
  uint64_t macs = 0;
  for (const auto& core : result.counters.cores)
    macs += core.macs;
  EXPECT_EQ(macs, uint64_t{m} * n * k);
}

} // namespace
} // namespace dlsim::test
