// `dlsim run`: one kernel, one launch (after warm-ups), its values and counters.
#pragma once

#include "sim/casefile/case.h"
#include "sim/casefile/compare.h"
#include "sim/chip/session.h"
#include "sim/config/chip_spec.h"
#include "sim/tools/options.h"

#include "isa/dlk/kernel.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlsim::tools {

// All that the reports read.
struct Run {
  const RunOptions* options = nullptr;
  const sim::ChipSpec* chip = nullptr;
  const dlk::Kernel* kernel = nullptr;
  const casefile::Case* input = nullptr;
  chip::RunResult result;
  uint64_t macs = 0;
  double idealCubeCycles = 0;   // one core's, for all the work
  double busiestCubeCycles = 0; // the busiest core's, for its own
  uint64_t commands = 0;
  double wallSeconds = 0;                                                // host time of the measured launch
  std::vector<std::pair<std::string, casefile::Difference>> differences; // by output
  std::vector<std::string> unchecked;                                    // outputs without an expected array

  double microseconds(double cycles) const { return cycles / chip->clockMhz; }
  double timeUs() const { return microseconds(static_cast<double>(result.cycles)); }
  // True multiply-accumulates over what the chip's cubes could do in the task's time.
  double macEfficiency() const;
  bool valuesOk() const;
};

int runCommand(const RunOptions& options);

} // namespace dlsim::tools
