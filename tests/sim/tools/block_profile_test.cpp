// The profiler's published example: a block of 128 x 128 x 1024 in f16, multiplied in steps of k = 32, C in
// f32. Its counters are known to the count: 32 mmads; L0B 4096 and L0A 1024 reads of 512 bytes (a B fractal a
// step, an A fractal held for four); L0C 2048 writes and 2048 - 64 reads of 1024 bytes; 768.25 KB of requests
// for 512 KB of L1 data, because rows of A are 64 bytes and a read moves 128; 128 write requests of 512
// bytes.
#include "sim/tools/profile_csv.h"
#include "tests/sim/support/rig.h"

#include "sim/tools/run_command.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

namespace dlsim::tools::test {
namespace {

using dlsim::test::Program;
using dlsim::test::Rig;

Program block() {
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {1, 20}, 0).op("ld.d", {2, 20}, 8).op("ld.d", {3, 20}, 16);
  p.op("ld.d", {4, 20}, 64); // a second line of arguments
  p.li(5, 128 | uint64_t{32} << 32).li(6, 2048).li(7, 128 * 32).li(8, 32 | uint64_t{128} << 32).li(9, 256);
  p.li(10, 32 * 32).li(11, 0).li(12, 8192).li(13, 8 | 2 << 16).li(14, 2 | 8 << 16);
  p.li(15, 128 | 32 << 16 | uint64_t{128} << 32).li(16, 1).li(17, 128 | uint64_t{128} << 32).li(18, 512);
  p.li(19, 128 * 64);
  for (int step = 0; step < 32; ++step) {
    p.op("mte2.nd2nz.l1", {11, 1, 5, 6, 7}, 0).op("mte2.nd2nz.l1", {12, 2, 8, 9, 10}, 0).op("barrier.all");
    p.op("mte1.load.l0a", {11, 11, 13, 7}, 0).op("mte1.load.l0b", {11, 12, 14, 10}, 1 << 4).op("barrier.all");
    p.op("m.mmad", {11, 11, 11, 15, 16, 11}, 0).op("barrier.all");
    p.op("addi", {1, 1}, 64).op("addi", {2, 2}, 32 * 256).op("mov", {16, 11});
  }
  p.op("fix.copy.gm", {3, 11, 17, 18, 19, 11}, 2).ex();
  return p;
}

class BlockProfile : public ::testing::Test {
protected:
  void SetUp() override {
    const uint64_t a = rig.upload(std::vector<uint16_t>(128 * 1024, 0x3c00)),
                   b = rig.upload(std::vector<uint16_t>(1024 * 128, 0x3c00));
    c = rig.upload(std::vector<float>(128 * 128));
    run.result = rig.aic(block(), {a, b, c, 0, 0, 0, 0, 0, 0});
    ASSERT_FALSE(run.result.fault) << run.result.fault->text();
    kernel.kind = dlk::KernelKind::Aic;
    run.options = &options;
    run.chip = &rig.chip();
    run.kernel = &kernel;
    run.input = &input;
  }
  std::string cell(const std::string& csv, const std::string& name) {
    std::istringstream in(csv);
    std::string header, line, n, v;
    std::getline(in, header);
    std::getline(in, line);
    std::istringstream names(header), values(line);
    while (std::getline(names, n, ',') && std::getline(values, v, ','))
      if (n == name)
        return v;
    return "no column " + name;
  }
  double number(const std::string& csv, const std::string& name) { return std::stod(cell(csv, name)); }

  Rig rig;
  uint64_t c = 0;
  dlk::Kernel kernel;
  casefile::Case input;
  RunOptions options;
  tools::Run run;
};

TEST_F(BlockProfile, CountsOfThePublishedExample) {
  EXPECT_EQ(rig.download<float>(c, 128 * 128), std::vector<float>(128 * 128, 1024.0f));
  const observe::CoreCounters& k = run.result.counters.cores[0];
  EXPECT_EQ(k.l0b_reads, 4096u);
  EXPECT_EQ(k.l0a_reads, 1024u);
  EXPECT_EQ(k.l0c_writes, 2048u);
  EXPECT_EQ(k.l0c_reads, 2048u - 64);
  const std::string memory = memoryCsv(run), l0 = memoryL0Csv(run), cache = l2CacheCsv(run);
  EXPECT_EQ(cell(memory, "read_main_memory_datas(KB)"), "768.250000");
  EXPECT_EQ(cell(memory, "write_main_memory_datas(KB)"), "64.000000");
  EXPECT_EQ(cell(memory, "GM_to_L1_datas(KB)"), "512.000000");
  EXPECT_EQ(cell(memory, "L0C_to_GM_datas(KB)"), "64.000000");
  EXPECT_EQ(cell(memory, "L1_to_GM_datas(KB)(estimate)"), "0.000000");
  EXPECT_EQ(cell(memory, "L0C_to_L1_datas(KB)"), "0.000000");
  EXPECT_EQ(cell(memory, "GM_to_UB_datas(KB)"), "NA");
  EXPECT_EQ(cell(memory, "aic_mte1_instructions"), "64");
  EXPECT_EQ(cell(memory, "aic_mte2_instructions"), "64");
  EXPECT_EQ(cell(cache, "aic_write_cache_hit"), "0");
  EXPECT_EQ(cell(cache, "aic_write_cache_miss_allocate"), "128");
  const double r0 = number(cache, "aic_r0_read_cache_hit") + number(cache, "aic_r0_read_cache_miss_allocate"),
               r1 = number(cache, "aic_r1_read_cache_hit") + number(cache, "aic_r1_read_cache_miss_allocate");
  EXPECT_EQ(r0 + r1, 768.25 * 1024 / 128);
  EXPECT_LE(std::abs(r0 - r1), 0.01 * r0);
}

TEST_F(BlockProfile, BandwidthsAreBytesOfTheEventsOverTheTime) {
  const std::string memory = memoryCsv(run), l0 = memoryL0Csv(run);
  const double seconds = number(memory, "aic_time(us)") * 1e-6, gib = 1073741824.0;
  const auto expect = [&](const std::string& csv, const char* name, double bytes) {
    EXPECT_NEAR(number(csv, name), bytes / gib / seconds, 1e-4 * bytes / gib / seconds) << name;
  };
  expect(memory, "aic_l1_write_bw(GB/s)", 2048 * 256);
  expect(memory, "aic_l1_read_bw(GB/s)", 4096 * 128);
  expect(memory, "aic_main_mem_read_bw(GB/s)", 768.25 * 1024);
  expect(memory, "aic_main_mem_write_bw(GB/s)", 65536);
  expect(l0, "aic_l0a_read_bw(GB/s)", 1024 * 512);
  expect(l0, "aic_l0a_write_bw(GB/s)", 1024 * 256);
  expect(l0, "aic_l0b_read_bw(GB/s)", 4096 * 512);
  expect(l0, "aic_l0b_write_bw(GB/s)", 2048 * 128);
  expect(l0, "aic_l0c_write_bw_cube(GB/s)", 2048 * 1024);
  expect(l0, "aic_l0c_read_bw_cube(GB/s)", (2048 - 64) * 1024);
  // Usage: of the 910B1's 264 GiB/s.
  EXPECT_NEAR(number(memory, "GM_to_L1_bw_usage_rate(%)"), 100 * (512 * 1024 / gib / seconds) / 264, 1e-3);
}

TEST_F(BlockProfile, OperationsAreTheProfilersOrTheTrueOnes) {
  EXPECT_EQ(cell(arithmeticUtilizationCsv(run), "aic_cube_fops"), "262144"); // 8192 an instruction
  EXPECT_EQ(cell(arithmeticUtilizationCsv(run), "aic_cube_total_instr_number"), "32");
  options.correctedPmu = true;
  EXPECT_EQ(cell(arithmeticUtilizationCsv(run), "aic_cube_fops"), std::to_string(2 * 128 * 128 * 1024));
}

} // namespace
} // namespace dlsim::tools::test
