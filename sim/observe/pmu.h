// Turns the model's records into performance counters, per core and per place in the program.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/observe/counters.h"
#include "sim/observe/interval_union.h"
#include "sim/observe/observer.h"

#include <vector>

namespace dlsim::core {
class Core;
}
namespace dlsim::sim {
class MemorySystem;
}

namespace dlsim::observe {

class Pmu final : public Observer {
public:
  // A launch begins: all counters from zero, cycles relative to `start`.
  void begin(const sim::ChipSpec& chip, Cycle start);
  // The counters of the launch; cores of the launch, and the memory system's counts since its last reset.
  Counters collect(const std::vector<core::Core*>& cores, const sim::MemorySystem& memory,
                   bool faulted) const;

  void command(const CommandEffect& effect) override;
  void stall(const StallRecord& record) override;
  void wait(const WaitRecord& record) override;
  void bundle(const BundleRecord& record) override;

private:
  void countCube(CoreCounters& core, const CommandEffect& effect);
  void countVector(CoreCounters& core, const CommandEffect& effect);
  SourceStall& place(const CoreId& core, uint32_t pc);
  void addMemory(CoreCounters& to, const sim::MemorySystem& memory, unsigned core) const;

  const sim::ChipSpec* chip_ = nullptr;
  Cycle start_ = 0;
  std::vector<CoreCounters> cores_;                       // by dense number
  std::vector<std::array<Cycle, core::kUnits>> busy_end_; // end of the last command, by core
  std::vector<std::array<IntervalUnion, 16>> id_waits_;   // by core and flag id
  std::vector<std::vector<SourceStall>> places_;          // by kind and word
};

} // namespace dlsim::observe
