// Hosts a Calendar inside SystemC: one SC_METHOD that re-arms one sc_event. One cycle is one unit of
// SystemC's time resolution.
#pragma once

#include "sim/calendar/calendar.h"

#include <systemc>

namespace dlsim::sim {

class CalendarHost : public sc_core::sc_module {
public:
  /// quantum 0: sc_time_stamp() equals now() at every busy cycle. Q > 0: one activation fires up to Q further
  /// cycles, so sc_time_stamp() may lag behind Calendar::now() by Q; the calendar's own results do not
  /// change.
  CalendarHost(const sc_core::sc_module_name& name, Calendar& calendar, Cycle quantum = 0);

  Calendar& calendar() { return calendar_; }
  std::uint64_t activations() const { return activations_; }

  static Cycle cycleOf(const sc_core::sc_time& time) { return time.value(); }
  static sc_core::sc_time timeOf(Cycle cycle) { return sc_core::sc_time::from_value(cycle); }

private:
  void activate();
  void arm(Cycle when);

  Calendar& calendar_;
  Cycle quantum_;
  sc_core::sc_event event_;
  std::uint64_t activations_ = 0;
};

} // namespace dlsim::sim
