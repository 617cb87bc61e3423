// Inside SystemC or on its own, with any quantum: the same ends, also of programs that fault, loop or
// deadlock.
#include "tests/sim/support/gemm.h"
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

const std::vector<chip::SystemOptions>& hostings() {
  static const std::vector<chip::SystemOptions> all = {
      {false, 0, false}, {true, 0, false}, {true, 1000, false}};
  return all;
}

// The end of a program in words, for every way to host it.
std::vector<std::string> ends(const Program& p, core::Cycle limit) {
  std::vector<std::string> out;
  for (const chip::SystemOptions& options : hostings()) {
    Rig rig({}, options);
    const chip::RunResult result = rig.run(kernelOf(p, dlk::KernelKind::Aic), {}, limit);
    out.push_back(result.fault
                      ? core::faultKindName(result.fault->kind) + std::string(" ") + result.fault->detail
                      : std::to_string(result.cycles));
  }
  return out;
}

void expectAlike(const std::vector<std::string>& all, const std::string& first) {
  for (const std::string& end : all)
    EXPECT_EQ(end, all[0]);
  EXPECT_EQ(all[0].rfind(first, 0), 0u) << all[0];
}

TEST(Hosting, EveryEndIsTheSame) {
  Program trap, loop, lock, fine;
  trap.op("nop").op("trap", {}, 3).ex();
  expectAlike(ends(trap, 1000000), "trap");
  loop.label("here").op(W::to("jmp", {}, "here"));
  expectAlike(ends(loop, 30000), "cycle limit reached");
  lock.op(waitFlag("m", "mte1", 0)).ex();
  expectAlike(ends(lock, 1000000), "deadlock");
  fine.op("nop").ex();
  expectAlike(ends(fine, 1000000), "");
}

TEST(Hosting, LaunchesFollowOneAnotherInsideSystemC) {
  std::vector<core::Cycle> cycles;
  for (const chip::SystemOptions& options : hostings()) {
    Rig rig({"chip.clusters=2"}, options);
    const uint64_t a = rig.upload(std::vector<uint16_t>(128 * 256)),
                   b = rig.upload(std::vector<uint16_t>(256 * 256)),
                   c = rig.upload(std::vector<uint16_t>(128 * 256));
    const dlk::Kernel kernel = kernelOf(gemmKernel(128, 256, 256), dlk::KernelKind::Aic, 3);
    core::Cycle sum = 0;
    for (int i = 0; i < 3; ++i) {
      const chip::RunResult result = rig.run(kernel, {a, b, c}, 1000000, 0);
      ASSERT_FALSE(result.fault) << result.fault->text();
      sum = sum * 7 + result.cycles;
    }
    cycles.push_back(sum);
  }
  EXPECT_EQ(cycles[1], cycles[0]);
  EXPECT_EQ(cycles[2], cycles[0]);
}

TEST(Hosting, AFaultedSystemRefusesToGoOn) {
  Rig rig;
  Program trap, fine;
  trap.op("trap", {}, 1).ex();
  fine.ex();
  EXPECT_TRUE(rig.aic(trap).fault);
  EXPECT_THROW(rig.aic(fine), std::runtime_error);
}

} // namespace
} // namespace dlsim::test
