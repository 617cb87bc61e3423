// Exact multiply-accumulates, and the cycles that the cubes would need for them at their full rate.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/observe/observer.h"

#include <cstdint>
#include <vector>

namespace dlsim::tools {

class MachineCounts final : public observe::Observer {
public:
  explicit MachineCounts(const sim::ChipSpec& chip) : chip_(chip) {}
  void command(const observe::CommandEffect& effect) override;
  void reset() { macs_ = 0, idealCycles_ = 0, commands_ = 0, byCore_.clear(); }

  uint64_t macs() const { return macs_; }
  double idealCycles() const { return idealCycles_; } // of one core, for all cores' work
  double busiestCycles() const;                       // of the core with the most of them
  uint64_t commands() const { return commands_; }

private:
  const sim::ChipSpec& chip_;
  uint64_t macs_ = 0;
  double idealCycles_ = 0;
  std::vector<double> byCore_; // ideal cycles, by dense number
  uint64_t commands_ = 0;
};

} // namespace dlsim::tools
