#include "sim/calendar/calendar_host.h"

namespace dlsim::sim {

using sc_core::sc_time_stamp;

CalendarHost::CalendarHost(const sc_core::sc_module_name& name, Calendar& calendar, Cycle quantum)
    : sc_module(name), calendar_(calendar), quantum_(quantum) {
  SC_HAS_PROCESS(CalendarHost);
  SC_METHOD(activate);
  sensitive << event_;
  dont_initialize();
  calendar_.setWakeHook([this](Cycle when) { arm(when); });
  calendar_.setWakeAt(kNever);
  if (!calendar_.empty()) // scheduled before the host existed
    arm(calendar_.nextCycle());
}

void CalendarHost::activate() {
  ++activations_;
  const Cycle now = cycleOf(sc_time_stamp());
  calendar_.setWakeAt(kNever);
  calendar_.runUntil(now + quantum_);
  if (!calendar_.empty())
    arm(calendar_.nextCycle());
}

// An earlier notification of an sc_event overrides a later one, so arming again is enough.
void CalendarHost::arm(Cycle when) {
  calendar_.setWakeAt(when);
  const Cycle now = cycleOf(sc_time_stamp());
  event_.notify(timeOf(when > now ? when - now : 0));
}

} // namespace dlsim::sim
