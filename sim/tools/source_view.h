// The run by places in the kernel's source, and how full its bundles are.
#pragma once

#include "sim/observe/counters.h"

#include "isa/dlk/kernel.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dlsim::sim {
struct ChipSpec;
}

namespace dlsim::tools {

struct Run;

std::string sourceText(const sim::ChipSpec& chip, const dlk::Kernel& kernel, unsigned kind,
                       uint32_t pc);                                     // "file:line"
std::string coreName(const sim::ChipSpec& chip, const core::CoreId& id); // "AIC3"

struct LineStalls {
  std::string source;
  std::array<core::Cycle, observe::kStalls> cycles{};
  core::Cycle total = 0;
};
// Source lines by stalled sequencer cycles, most first; summed over cores.
std::vector<LineStalls> stallsByLine(const Run& run);

struct LoopOccupancy {
  std::string source;  // of its first bundle
  uint64_t issued = 0; // bundles
  double words = 0;    // a bundle, mean
  bool mmad = false;
};
// Innermost loops with commands, most issued bundles first.
std::vector<LoopOccupancy> loopOccupancy(const Run& run);

} // namespace dlsim::tools
