#include "sim/compare/comparison.h"
#include "sim/compare/csv_table.h"
#include "sim/compare/metric_names.h"

#include "sim/casefile/file.h"
#include "sim/casefile/input_error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

namespace dlsim::compare {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            (std::string("compare-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    casefile::writeText((root_ / name).string(), text);
    return (root_ / name).string();
  }
  std::string path(const std::string& name = {}) const { return (root_ / name).string(); }

  // A profiler's folder with two blocks.
  void profile(const std::string& folder, const std::string& time, const std::string& mte2) {
    write(folder + "/OpBasicInfo.csv",
          "Op Name,Op Type,Task Duration(us),Block Dim,\nadd,mix," + time + ",2,\n");
    write(folder + "/PipeUtilization.csv",
          "block_id,sub_block_id,aic_time(us),aiv_time(us),aiv_mte2_time(us),\n0,vector0,NA,9.5," + mte2 +
              ",\n1,vector0,NA,10.5," + mte2 + ",\n");
    write(folder + "/Memory.csv",
          "block_id,sub_block_id,GM_to_UB_datas(KB),\n0,vector0,64,\n1,vector0,32,\n");
  }

  fs::path root_;
};

std::string errorOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const casefile::InputError& error) {
    return error.what();
  }
  return "no error";
}

double valueOf(const Measurement& one, const std::string& table, const std::string& name) {
  for (const Metric& metric : one.metrics)
    if (metric.table == table && metric.name == name)
      return metric.value;
  ADD_FAILURE() << table << ": " << name;
  return -1;
}

TEST_F(Files, CsvAsOthersWriteIt) {
  const CsvTable table = readCsv(write(
      "t.csv", "\xEF\xBB\xBF==PROF== Connected\r\na, b ,\"c,d\",\r\n1,\"2,048\",\"x \"\"y\"\"\",\r\n\r\n"));
  EXPECT_EQ(table.header, (std::vector<std::string>{"a", "b", "c,d"}));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"1", "2,048", "x \"y\""}));
  EXPECT_EQ(numberIn("2,048"), 2048.0);
  for (const char* text : {"", "NA", "N/A", "12 us", "nan", "inf"})
    EXPECT_FALSE(numberIn(text)) << text;
}

TEST_F(Files, BrokenCsvIsNamedWithItsLine) {
  const std::string path = write("t.csv", "a,b\n1,2\n1,2,3\n");
  EXPECT_EQ(errorOf([&] { readCsv(path); }), path + ":3: has 3 cells, the header has 2");
  const std::string open = write("o.csv", "a,b\n1,\"2\n");
  EXPECT_EQ(errorOf([&] { readCsv(open); }), open + ":2: a quoted cell has no end");
  const std::string empty = write("e.csv", "\n");
  EXPECT_NE(errorOf([&] { readCsv(empty); }).find("is empty"), std::string::npos);
}

TEST_F(Files, BlocksOfAProfilersFolderBecomeOneNumber) {
  profile("OPPROF_1", "12.5", "4");
  const std::vector<Measurement> found = readMeasurements(path("OPPROF_1"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(valueOf(found[0], "", "time_us"), 12.5);
  EXPECT_EQ(valueOf(found[0], "PipeUtilization", "aiv_time(us)"), 10.0) << "times are averaged";
  EXPECT_EQ(valueOf(found[0], "Memory", "GM_to_UB_datas(KB)"), 96.0) << "bytes add up";
  EXPECT_EQ(*found[0].label("op"), "add");
}

TEST_F(Files, FoldersOfCasesAreAlignedByName) {
  profile("device/one/OPPROF_20260101_A", "10", "4");
  profile("device/two/OPPROF_20260101_B", "20", "4");
  profile("device/odd/OPPROF_20260101_C", "30", "4");
  profile("model/one", "11", "5");
  profile("model/two", "18", "4");
  const Comparison found = compareCases(readMeasurements(path("model")), readMeasurements(path("device")));
  EXPECT_EQ(found.cases, 2u);
  EXPECT_EQ(found.only_device, std::vector<std::string>{"odd"});
  EXPECT_TRUE(found.only_model.empty());
  std::map<std::string, double> errors;
  for (const Pair& pair : found.pairs)
    if (pair.metric == "time_us")
      errors[pair.case_name] = *pair.error();
  EXPECT_NEAR(errors["one"], 0.1, 1e-12);
  EXPECT_NEAR(errors["two"], -0.1, 1e-12);
}

TEST_F(Files, RepeatedLaunchesAreAveraged) {
  const std::string text = "Op Name,OP Type,Task Duration(us),Input Shapes,aicore_time(us),aic_mac_time(us)\n"
                           "mm,mm,10,\"128,64\",8,3\nmm,mm,14,\"128,64\",10,5\nmm,mm,99,\"256,64\",70,50\n";
  const std::vector<Measurement> found = readMeasurements(write("op_summary_1.csv", text));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(valueOf(found[0], "", "time_us"), 12.0);
  EXPECT_EQ(valueOf(found[0], "op_summary", "aic_mac_time(us)"), 4.0);
  EXPECT_EQ(*found[1].label("shapes"), "256,64");
}

TEST_F(Files, CountersOfAGpuGetOurNamesAndUnits) {
  const std::string head = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  const std::string text = "==PROF== Connected to process 7\n" + head +
                           "\"0\",\"mm\",\"gpu__time_duration.sum\",\"ns\",\"277,856\"\n"
                           "\"0\",\"mm\",\"dram__bytes_read.sum\",\"Mbyte\",\"307.1\"\n"
                           "\"0\",\"mm\",\"dram__bytes_write.sum\",\"byte\",\"32,675,072\"\n"
                           "\"0\",\"mm\",\"lts__t_sector_hit_rate.pct\",\"%\",\"70.59\"\n";
  const std::vector<Measurement> found = readMeasurements(write("counters.csv", text));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(valueOf(found[0], "", "time_us"), 277.856, 1e-9);
  EXPECT_NEAR(valueOf(found[0], "", "hbm_read_MB"), 307.1, 1e-9);
  EXPECT_NEAR(valueOf(found[0], "", "hbm_write_MB"), 32.675072, 1e-9);
  EXPECT_NEAR(valueOf(found[0], "", "l2_sector_hit_ratio"), 0.7059, 1e-9);
}

TEST_F(Files, PlainTablesAreAlignedByTheColumnsThatBothHave) {
  const std::string device =
      write("d.csv",
            "M,N,order,time_ms,dram_read_bytes\n4096,4096,rows,0.2,3000000\n4096,4096,diag8,0.1,2000000\n");
  const std::string model = write(
      "m.csv",
      "order,m,n,chip,time_us,hbm_read_MB\ndiag8,4096.0,4096,h200,110,2.5\nrows,4096.0,4096,h200,200,3\n");
  const Comparison found = compareCases(readMeasurements(model), readMeasurements(device));
  ASSERT_EQ(found.pairs.size(), 4u);
  EXPECT_EQ(found.pairs[0].case_name, "M=4096 N=4096 order=rows");
  EXPECT_NEAR(*found.pairs[0].error(), 0, 1e-12);
  EXPECT_NEAR(*found.pairs[2].error(), 0.1, 1e-9);
  EXPECT_NEAR(*found.pairs[3].error(), 0.25, 1e-9);
}

TEST_F(Files, WhatCannotBeComparedIsSaid) {
  EXPECT_EQ(errorOf([&] { readMeasurements(path("nothing")); }), path("nothing") + ": does not exist");
  write("empty/notes.txt", "hello");
  EXPECT_NE(errorOf([&] { readMeasurements(path("empty")); }).find("holds no measurements"),
            std::string::npos);
  const std::string foreign = write("names.csv", "name,age\nx,3\n");
  EXPECT_NE(errorOf([&] { readMeasurements(foreign); }).find("no column is a measurement"),
            std::string::npos);
  const std::string one = write("a.csv", "x,time_us\n1,5\n2,6\n"),
                    other = write("b.csv", "y,time_us\n1,5\n2,6\n");
  EXPECT_NE(errorOf([&] {
              compareCases(readMeasurements(one), readMeasurements(other));
            }).find("no label names the cases on both sides: the model has x, the device y"),
            std::string::npos);
  const std::string third = write("c.csv", "x,time_us\n7,5\n8,6\n");
  EXPECT_NE(errorOf([&] {
              compareCases(readMeasurements(one), readMeasurements(third));
            }).find("no case is on both sides"),
            std::string::npos);
  const std::string doubled = write("e.csv", "x,kind,time_us\n1,a,5\n1,b,6\n");
  EXPECT_NE(errorOf([&] {
              compareCases(readMeasurements(doubled), readMeasurements(one));
            }).find("several cases 'x=1'"),
            std::string::npos);
}

TEST_F(Files, TextAndTableHoldEveryPair) {
  Comparison comparison;
  comparison.pairs = {
      {"one", "", "time_us", 10, 11}, {"two", "", "time_us", 10, 7}, {"one", "Memory", "zero(KB)", 0, 5}};
  const std::string text = comparisonText(comparison);
  EXPECT_NE(text.find("+10.0 %"), std::string::npos);
  EXPECT_NE(text.find("-30.0 %"), std::string::npos);
  EXPECT_NE(text.find("+20.0 %"), std::string::npos) << "the mean";
  EXPECT_EQ(comparisonCsv(comparison), "case,table,metric,device,model,error\n\"one\",,time_us,10,11,0.1\n"
                                       "\"two\",,time_us,10,7,-0.3\n\"one\",Memory,zero(KB),0,5,\n");
  keepMetrics(comparison, "Memory: zero");
  EXPECT_EQ(comparison.pairs.size(), 1u);
  EXPECT_THROW(keepMetrics(comparison, "nothing"), casefile::InputError);
}

} // namespace
} // namespace dlsim::compare
