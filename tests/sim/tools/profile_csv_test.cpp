#include "sim/tools/profile_csv.h"

#include "tests/sim/tools/sample_run.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace dlsim::tools::test {
namespace {

using core::Unit;

// The first line's cells by column name.
std::map<std::string, std::string> firstLine(const std::string& csv) {
  std::istringstream in(csv);
  std::string header, line, name, value;
  std::getline(in, header);
  std::getline(in, line);
  EXPECT_EQ(line.back(), ',');
  std::istringstream names(header), values(line);
  std::map<std::string, std::string> cells;
  while (std::getline(names, name, ',') && std::getline(values, value, ','))
    cells[name] = value;
  return cells;
}

TEST(ProfileCsv, TimesAndRatiosOfACubeKernel) {
  SampleRun sample;
  sample.unit(Unit::M).busy = 925;
  sample.unit(Unit::FIX).busy = 185; // 0.1 us
  sample.unit(Unit::FIX).bytes_written = 1 << 20;
  sample.core().scalar_busy = 370;
  sample.core().queue_full[static_cast<unsigned>(Unit::MTE2)] = 740;
  sample.core().icache_requests = 8;
  sample.core().icache_misses = 2;
  sample.core().stall[static_cast<unsigned>(observe::Stall::Barrier)] = 37;
  auto cells = firstLine(pipeUtilizationCsv(sample.run));
  EXPECT_EQ(cells["block_id"], "5");
  EXPECT_EQ(cells["sub_block_id"], "cube0");
  EXPECT_EQ(cells["aic_time(us)"], "1.000000");
  EXPECT_EQ(cells["aic_total_cycles"], "1850");
  EXPECT_EQ(cells["aic_cube_time(us)"], "0.500000");
  EXPECT_EQ(cells["aic_cube_ratio"], "0.500000");
  EXPECT_EQ(cells["aic_fixpipe_active_bw(GB/s)"], "9765.625000"); // 1 MiB in 0.1 us
  EXPECT_EQ(cells["aic_icache_miss_rate"], "0.250000");
  EXPECT_EQ(cells["aic_scalar_ratio"], "0.200000");
  EXPECT_EQ(cells["aic_scalar_mte2_stall_time(us)"], "0.400000");
  EXPECT_EQ(cells["aic_scalar_wait_time(us)"], "0.020000");
  EXPECT_EQ(cells["aic_mte3_active_bw(GB/s)"], "0.000000"); // idle: no division by zero
  EXPECT_EQ(cells["aiv_vec_ratio"], "NA");
  sample.options.correctedPmu = true;
  EXPECT_EQ(firstLine(pipeUtilizationCsv(sample.run))["aic_fixpipe_active_bw(GB/s)"], "10485.760000");
}

TEST(ProfileCsv, MixedKernelsDivideByTheTask) {
  SampleRun sample;
  sample.kernel.kind = dlk::KernelKind::Mix;
  sample.unit(Unit::M).busy = 925;
  sample.unit(Unit::M).wait = 370;
  EXPECT_EQ(firstLine(pipeUtilizationCsv(sample.run))["aic_cube_ratio"], "0.250000"); // of 3700 cycles
  EXPECT_EQ(firstLine(resourceConflictCsv(sample.run))["aic_cube_wait_ratio"], "0.100000");
  sample.options.correctedPmu = true;
  EXPECT_EQ(firstLine(pipeUtilizationCsv(sample.run))["aic_cube_ratio"], "0.500000");
}

TEST(ProfileCsv, HitRatesCountAllMisses) {
  SampleRun sample;
  sample.core().write_hit = 1, sample.core().write_miss = 2, sample.core().write_miss_no_allocate = 1;
  sample.core().r0_hit = 5, sample.core().r1_hit = 4, sample.core().r0_miss = 2,
  sample.core().r1_miss_no_allocate = 1;
  auto cells = firstLine(l2CacheCsv(sample.run));
  EXPECT_EQ(cells["aic_write_cache_hit"], "1");
  EXPECT_EQ(cells["aic_r0_read_cache_miss_allocate"], "2");
  EXPECT_EQ(cells["aic_write_hit_rate(%)"], "25.000000");
  EXPECT_EQ(cells["aic_read_hit_rate(%)"], "75.000000");
  EXPECT_EQ(cells["aic_total_hit_rate(%)"], "62.500000");
}

TEST(ProfileCsv, VectorConflicts) {
  SampleRun sample;
  sample.vectorCore();
  sample.core().bankgroup_conflict = 185;
  sample.core().bank_conflict = 37;
  auto cells = firstLine(resourceConflictCsv(sample.run));
  EXPECT_EQ(cells["sub_block_id"], "vector0");
  EXPECT_EQ(cells["aiv_vec_total_cflt_ratio"], "0.120000");
  EXPECT_EQ(cells["aiv_vec_bankgroup_cflt_ratio"], "0.100000");
  EXPECT_EQ(cells["aic_cube_wait_ratio"], "NA");
}

TEST(ProfileCsv, MemoryPathsAsTheProfilerDerivesThemOrAsTheyAre) {
  SampleRun sample;
  sample.core().space_written[static_cast<size_t>(core::Space::L1)] = 256 * 1024;
  sample.core().fix_l1_bytes = 64 * 1024;
  sample.unit(Unit::MTE2).bytes_written = 192 * 1024;
  sample.unit(Unit::FIX).bytes_read = 256 * 1024;    // f32
  sample.unit(Unit::FIX).bytes_written = 128 * 1024; // f16: half of it into L1
  sample.core().write_hit = 100, sample.core().write_miss = 28, sample.core().write_miss_no_allocate = 2000;
  auto cells = firstLine(memoryCsv(sample.run));
  // (1024 x 256-byte writes - 512 x 128-byte writes) x 256: the profiler mixes the units of the two events.
  EXPECT_EQ(cells["GM_to_L1_datas(KB)"], "128.000000");
  EXPECT_EQ(cells["L0C_to_L1_datas(KB)"], "64.000000");
  EXPECT_EQ(cells["L0C_to_GM_datas(KB)"], "192.000000");                 // (2048 - 512) x 128
  EXPECT_EQ(cells["L1_to_GM_datas(KB)(estimate)"], "872.000000");        // (4 x 2128 + 512 - 2048) x 128
  EXPECT_EQ(cells["L1_to_GM_bw_usage_rate(%)(estimate)"], "100.000000"); // saturated
  sample.options.correctedPmu = true;
  cells = firstLine(memoryCsv(sample.run));
  EXPECT_EQ(cells["GM_to_L1_datas(KB)"], "192.000000");
  EXPECT_EQ(cells["L0C_to_GM_datas(KB)"], "64.000000");
  EXPECT_EQ(cells["L1_to_GM_datas(KB)(estimate)"], "0.000000");
  // 192 KB in 1850 cycles over a path of 153 B a cycle.
  EXPECT_NEAR(std::stod(cells["GM_to_L1_bw_usage_rate(%)"]), 100.0 * 192 * 1024 / 1850 / 153, 1e-4);
}

TEST(ProfileCsv, ArithmeticByKind) {
  SampleRun sample;
  sample.unit(Unit::M).busy = 1110;
  sample.core().cube_fp_cycles = 100, sample.core().cube_int_cycles = 50;
  sample.core().mmad_fp = 3, sample.core().mmad_int = 2, sample.core().macs = 5000;
  auto cells = firstLine(arithmeticUtilizationCsv(sample.run));
  EXPECT_EQ(cells["aic_cube_ratio"], "0.600000");
  EXPECT_EQ(cells["aic_cube_fp16_ratio"], "0.400000");
  EXPECT_EQ(cells["aic_cube_int8_ratio"], "0.200000");
  EXPECT_EQ(cells["aic_cube_fops"], std::to_string(3 * 8192 + 2 * 16384));
  sample.vectorCore();
  sample.core().vec[0] = {370, 10, 600}; // f32
  sample.core().vec[1] = {185, 4, 512};  // f16
  cells = firstLine(arithmeticUtilizationCsv(sample.run));
  EXPECT_EQ(cells["aiv_vec_fp32_ratio"], "0.200000");
  EXPECT_EQ(cells["aiv_vec_fp16_ratio"], "0.100000");
  EXPECT_EQ(cells["aiv_vec_fops"], std::to_string(10 * 64 + 4 * 128));
  EXPECT_EQ(cells["aic_cube_fops"], "NA");
  sample.options.correctedPmu = true;
  EXPECT_EQ(firstLine(arithmeticUtilizationCsv(sample.run))["aiv_vec_fops"], "1112");
}

TEST(ProfileCsv, WaitsByFlagIdAreAppendedWhereThereAreAny) {
  SampleRun sample;
  sample.core().wait_id[3] = 185;
  const std::string csv = pipeUtilizationCsv(sample.run);
  EXPECT_EQ(firstLine(csv)["aic_scalar_wait_id3_time(us)"], "0.100000");
  EXPECT_EQ(csv.find("wait_id0"), std::string::npos);
  EXPECT_EQ(csv.find("aiv_scalar_wait_id3"), std::string::npos);
  EXPECT_EQ(csv.find("aic_mte1_active_bw"), std::string::npos);
  sample.options.memoryDetail = true;
  EXPECT_NE(pipeUtilizationCsv(sample.run).find("aic_mte2_active_bw(GB/s)"), std::string::npos);
}

TEST(ProfileCsv, AUsageRateIsOfTheChipsOwnMaximum) {
  SampleRun sample;
  sample.vectorCore();
  sample.unit(Unit::MTE3).bytes_read = 100 << 10; // 97656.25 KiB/s in 1 us: 95.367 GiB/s
  EXPECT_NEAR(std::stod(firstLine(memoryCsv(sample.run))["UB_to_GM_bw_usage_rate(%)"]), 95.367432 / 1.868,
              1e-4);
  sample.chip.spec.name = "ascend910b4";
  EXPECT_NEAR(std::stod(firstLine(memoryCsv(sample.run))["UB_to_GM_bw_usage_rate(%)"]), 95.367432 / 1.7675,
              1e-4);
  sample.chip.spec.name = "mine"; // the profiler falls back to the 910B1
  EXPECT_NEAR(std::stod(firstLine(memoryCsv(sample.run))["UB_to_GM_bw_usage_rate(%)"]), 95.367432 / 1.868,
              1e-4);
}

TEST(ProfileCsv, TheTaskSummaryAveragesOverCores) {
  SampleRun sample;
  sample.unit(Unit::M).busy = 925;
  sample.run.result.counters.cores.push_back(sample.core());
  sample.run.result.counters.cores[1].end = 1025; // 925 cycles
  sample.run.result.cores = 2;
  std::istringstream in(opSummaryCsv(sample.run) + ",");
  std::string header, line, name, value;
  std::getline(in, header);
  std::getline(in, line);
  std::istringstream names(header), values(line);
  std::map<std::string, std::string> cells;
  while (std::getline(names, name, ',') && std::getline(values, value, ','))
    cells[name] = value;
  EXPECT_EQ(cells["aic_total_cycles"], "2775");
  EXPECT_EQ(cells["aicore_time(us)"], "0.750");
  EXPECT_EQ(cells["aic_mac_time(us)"], "0.500");
  EXPECT_EQ(cells["aic_mac_ratio"], "0.667");
  EXPECT_EQ(cells["Task Type"], "AI_CORE");
  EXPECT_EQ(cells["cube_utilization(%)"], "3.125"); // 2775 of 24 x 3700
}

} // namespace
} // namespace dlsim::tools::test
