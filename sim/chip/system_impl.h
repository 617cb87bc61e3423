// The hardware of one simulation: calendar and memory path, inside SystemC modules or on their own.
#pragma once

#include "sim/calendar/calendar.h"
#include "sim/chip/session.h"
#include "sim/config/chip_spec.h"
#include "sim/core/environment.h"
#include "sim/memory/memory_system.h"

#include <memory>

namespace dlsim::chip {

class ChipModule;

struct System::Impl {
  Impl(const sim::ChipSpec& spec, SystemOptions options);
  ~Impl();

  // Fires events until none is left, `limit` is passed or stop() is called.
  void run(Cycle limit);
  void stop();
  sim::MemorySystem& memorySystem() { return *memory_system; }
  core::MemoryPath& path() { return *memory_path; }

  const sim::ChipSpec spec;
  const SystemOptions options;
  sim::Calendar calendar;
  std::unique_ptr<ChipModule> module;            // with SystemC
  std::unique_ptr<sim::MemorySystem> own_memory; // without
  std::unique_ptr<core::MemoryPath> own_path;
  sim::MemorySystem* memory_system = nullptr;
  core::MemoryPath* memory_path = nullptr;
  bool dead = false; // a launch has faulted: nothing may run any more
};

} // namespace dlsim::chip
