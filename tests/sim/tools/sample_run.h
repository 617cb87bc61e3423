// A run made by hand: one cube core of a 910B1 for 1850 cycles, which are 1 us.
#pragma once

#include "sim/config/chip_file.h"
#include "sim/tools/run_command.h"

namespace dlsim::tools::test {

struct SampleRun {
  sim::Chip chip = sim::loadChip(sim::chipPath("ascend910b1"));
  dlk::Kernel kernel;
  casefile::Case input;
  RunOptions options;
  Run run;

  SampleRun() {
    kernel.name = "kernel";
    kernel.kind = dlk::KernelKind::Aic;
    run.options = &options;
    run.chip = &chip.spec;
    run.kernel = &kernel;
    run.input = &input;
    run.result.cycles = 3700;
    run.result.cores = 1;
    observe::CoreCounters core;
    core.used = true;
    core.core.index = 5;
    core.core.group = 5;
    core.start = 100;
    core.end = 1950;
    run.result.counters.cores.push_back(core);
  }
  observe::CoreCounters& core() { return run.result.counters.cores[0]; }
  // Makes the core one that has a vector unit.
  void vectorCore() {
    kernel.kind = dlk::KernelKind::Aiv;
    for (unsigned kind = 0; kind < chip.spec.kinds.size(); ++kind)
      if (chip.spec.kinds[kind].hasUnit("V"))
        core().core.kind = static_cast<uint8_t>(kind);
  }
  observe::UnitCounters& unit(core::Unit u) { return core().unit[static_cast<unsigned>(u)]; }
};

} // namespace dlsim::tools::test
