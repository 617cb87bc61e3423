// The command line of dlsim.
#pragma once

#include "sim/core/command.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlsim::tools {

inline constexpr int kOk = 0, kWrong = 1, kBadInput = 2, kFaulted = 3;

struct TraceRange {
  core::Cycle begin = 0, end = ~core::Cycle{0};
};

struct RunOptions {
  std::string kernel, args, out, chip;
  std::vector<std::string> overrides; // key=value
  bool checkMemory = false, checkSync = false, checkRace = false, checkInit = false;
  bool timingOnly = false;
  uint64_t maxCycles = 0, quantum = 0;
  unsigned cores = 0, warmup = 0;
  std::optional<TraceRange> trace; // cycles of the task
  bool correctedPmu = false;       // false: the profiler's own conventions
  bool memoryDetail = false;       // the profiler's --aic-metrics=MemoryDetail
  bool instructions = false;       // CSV files of each core by instruction and by source line
  bool visualize = false;          // the profiler's view as tables on the terminal
  bool quiet = false;
};

struct InfoOptions {
  std::string kernel;
};

struct ChipsOptions {
  std::string show;
  std::vector<std::string> diff; // two names
  std::vector<std::string> overrides;
};

struct CompareOptions {
  std::string model, device; // folders or tables
  std::string metric, out;
  std::optional<double> within; // percent
};

struct TimelineOptions {
  std::string run, out;
  std::vector<std::string> cores;
  std::optional<double> begin, end; // microseconds, as the trace counts them
};

struct Options {
  enum class Command : uint8_t { Run, Info, Chips, Compare, Timeline } command = Command::Run;
  RunOptions run;
  InfoOptions info;
  ChipsOptions chips;
  CompareOptions compare;
  TimelineOptions timeline;
};

// Parses the command line. When the program should end at once (help, version, bad usage), prints what there
// is to say and returns nothing, with the exit code in `code`.
std::optional<Options> parseOptions(int argc, char** argv, int& code);

} // namespace dlsim::tools
