// What a run was bound by, with the profiler's thresholds: 80 % of a pipe's time, 80 % of a bandwidth roof.
#pragma once

#include "sim/core/command.h"

#include <array>
#include <string>
#include <vector>

namespace dlsim::tools {

struct Run;

// Means over the cores of one kind that took part.
struct KindUse {
  std::string kind;
  unsigned cores = 0;
  double cycles = 0;                            // of a core
  std::array<double, core::kUnits> busy{};      // share of the core's cycles
  std::array<double, core::kUnits> wait{};      // held by a flag or barrier
  std::array<double, core::kUnits> queueFull{}; // sequencer held by a full queue of the unit
  double scalarBusy = 0;
  std::array<bool, core::kUnits> has{};
};
std::vector<KindUse> useByKind(const Run& run);

std::string unitText(unsigned unit); // "MTE2"

double hbmUse(const Run& run); // share of the sustained HBM bandwidth over the task's time
double l2Use(const Run& run);  // share of all slices' port bandwidth

std::string boundBy(const Run& run);

} // namespace dlsim::tools
