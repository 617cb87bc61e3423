#include "sim/tools/options.h"

#include <gtest/gtest.h>

namespace dlsim::tools::test {
namespace {

struct Parsed {
  std::optional<Options> options;
  int code = kOk;
};

Parsed parse(std::vector<std::string> words) {
  words.insert(words.begin(), "dlsim");
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  Parsed parsed;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parsed.options = parseOptions(static_cast<int>(argv.size()), argv.data(), parsed.code);
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(Options, RunWithAndWithoutTheWord) {
  for (bool word : {false, true}) {
    std::vector<std::string> words = {"k.dlk",
                                      "--args",
                                      "c.json",
                                      "-D",
                                      "a.b=1",
                                      "-D",
                                      "c=2",
                                      "--trace=10:20",
                                      "--out",
                                      "o",
                                      "--check=mem,sync",
                                      "--pmu=corrected",
                                      "--warmup=3",
                                      "--max-cycles",
                                      "99"};
    if (word)
      words.insert(words.begin(), "run");
    Parsed p = parse(words);
    ASSERT_TRUE(p.options);
    const RunOptions& run = p.options->run;
    EXPECT_EQ(run.kernel, "k.dlk");
    EXPECT_EQ(run.overrides, (std::vector<std::string>{"a.b=1", "c=2"}));
    EXPECT_EQ(run.trace->begin, 10u);
    EXPECT_EQ(run.trace->end, 20u);
    EXPECT_TRUE(run.checkMemory && run.checkSync && run.correctedPmu);
    EXPECT_EQ(run.warmup, 3u);
    EXPECT_EQ(run.maxCycles, 99u);
  }
}

TEST(Options, OpenWindowsAndFlagsWithoutValue) {
  Parsed p = parse({"k.dlk", "--args", "c", "--out", "o", "--trace=:7"});
  EXPECT_EQ(p.options->run.trace->end, 7u);
  p = parse({"k.dlk", "--args", "c", "--out", "o", "--trace", "--check"});
  EXPECT_EQ(p.options->run.trace->end, ~core::Cycle{0});
  EXPECT_TRUE(p.options->run.checkSync);
  EXPECT_FALSE(parse({"k.dlk", "--args", "c"}).options->run.trace);
}

TEST(Options, BadUsageIsCode2AndHelpIs0) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"run"},
                                             {"k.dlk"},
                                             {"k.dlk", "--args"},
                                             {"k.dlk", "--args", "c", "--trace=9:9", "--out", "o"},
                                             {"k.dlk", "--args", "c", "--check=x"},
                                             {"chips", "diff", "a"},
                                             {"k.dlk", "--args", "c", "--warmup=-1"}}) {
    Parsed p = parse(words);
    EXPECT_FALSE(p.options);
    EXPECT_EQ(p.code, kBadInput);
  }
  EXPECT_EQ(parse({"--help"}).code, kOk);
  EXPECT_EQ(parse({"run", "--help"}).code, kOk);
  EXPECT_EQ(parse({"chips", "show", "x"}).options->chips.show, "x");
  EXPECT_EQ(parse({"info", "k.dlk"}).options->info.kernel, "k.dlk");
}

} // namespace
} // namespace dlsim::tools::test
