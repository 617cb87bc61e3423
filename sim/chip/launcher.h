// One launch: decoded programs, core start times, and the ways in which it ends.
#pragma once

#include "isa/dlk/kernel.h"
#include "sim/chip/session.h"
#include "sim/core/core.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlsim::chip {

// A core kind that takes part in a launch.
struct Part {
  const sim::CoreKindSpec* kind = nullptr;
  unsigned kind_index = 0;
  const dlk::Text* text = nullptr;
  isa::CoreKind isa_kind = isa::CoreKind::Any;
  std::unique_ptr<core::Program> program;
  unsigned cores = 0;
};

// The kinds that a kernel runs on, by the names that the kernel and the chip file use.
std::vector<Part> partsOf(const dlk::Kernel& kernel, const sim::ChipSpec& chip, unsigned limit);

class Launcher final : public core::CoreHost {
public:
  Launcher(const dlk::Kernel& kernel, const sim::ChipSpec& chip, sim::Calendar& calendar,
           std::vector<Part>& parts);

  // Schedules every core's first bundle; `start` is the task's first cycle.
  void begin(const std::vector<core::Core*>& cores, uint64_t arguments, uint64_t stack_bytes, Cycle start);

  bool finished() const { return running_ == 0; }
  const std::optional<core::Fault>& fault() const { return fault_; }
  void fail(core::Fault fault);
  Cycle head() const { return head_; }
  // After the run: the last core's end with the task's tail.
  Cycle end() const;
  core::Fault deadlock(const std::vector<core::Core*>& cores) const;
  core::Fault cycleLimit(const std::vector<core::Core*>& cores, Cycle limit) const;

  static uint64_t stackBase(const core::CoreId& id, uint64_t stack_bytes);

  void coreFinished(core::Core& core, Cycle now) override;
  void coreFaulted(const core::Fault& fault) override { fail(fault); }
  std::string sourceLine(unsigned kind, uint32_t pc) const override;

  // Called when the run must stop early.
  std::function<void()> stop;

private:
  std::string waits(const std::vector<core::Core*>& cores, unsigned most) const;

  const dlk::Kernel& kernel_;
  const sim::ChipSpec& chip_;
  sim::Calendar& calendar_;
  std::vector<Part>& parts_;
  std::optional<core::Fault> fault_;
  unsigned running_ = 0;
  Cycle start_ = 0, head_ = 0, last_end_ = 0;
};

} // namespace dlsim::chip
