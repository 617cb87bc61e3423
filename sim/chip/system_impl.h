// The hardware of one simulation: calendar, memory path and, when SystemC hosts it, the host module.
#pragma once

#include "sim/calendar/calendar.h"
#include "sim/chip/session.h"
#include "sim/config/chip_spec.h"
#include "sim/memory/memory_system.h"

#include <memory>

namespace dlsim::sim {
class CalendarHost;
}

namespace dlsim::chip {

struct System::Impl {
  Impl(const sim::ChipSpec& spec, SystemOptions options);
  ~Impl();

  // Fires events until none is left, `limit` is passed or stop() is called.
  void run(Cycle limit);
  void stop();

  const sim::ChipSpec spec;
  const SystemOptions options;
  sim::Calendar calendar;
  sim::MemorySystem memory_system;
  std::unique_ptr<sim::CalendarHost> host;
  bool dead = false; // a launch has faulted: nothing may run any more
};

} // namespace dlsim::chip
