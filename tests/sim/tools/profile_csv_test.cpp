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
  sample.kernel.kind = dlk::KernelKind::Aiv;
  for (unsigned kind = 0; kind < sample.chip.spec.kinds.size(); ++kind)
    if (sample.chip.spec.kinds[kind].hasUnit("V"))
      sample.core().core.kind = static_cast<uint8_t>(kind);
  sample.core().bankgroup_conflict = 185;
  sample.core().bank_conflict = 37;
  auto cells = firstLine(resourceConflictCsv(sample.run));
  EXPECT_EQ(cells["sub_block_id"], "vector0");
  EXPECT_EQ(cells["aiv_vec_total_cflt_ratio"], "0.120000");
  EXPECT_EQ(cells["aiv_vec_bankgroup_cflt_ratio"], "0.100000");
  EXPECT_EQ(cells["aic_cube_wait_ratio"], "NA");
}

} // namespace
} // namespace dlsim::tools::test
