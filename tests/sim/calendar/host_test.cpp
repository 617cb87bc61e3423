#include "sim/calendar/calendar_host.h"

#include <gtest/gtest.h>

#include <vector>

using namespace dlsim::sim;

namespace {

/// Fires `left` times, `step` apart, and notes calendar and SystemC time.
struct Ticker final : Event {
  Ticker(Calendar& calendar, Cycle step, int left) : calendar(calendar), step(step), left(left) {}
  void fire(Cycle now) override {
    seen.push_back(now);
    systemc.push_back(CalendarHost::cycleOf(sc_core::sc_time_stamp()));
    if (--left > 0)
      calendar.schedule(*this, now + step);
  }
  Calendar& calendar;
  Cycle step;
  int left;
  std::vector<Cycle> seen, systemc;
};

TEST(CalendarHost, QuantumChangesActivationsAndNotTimes) {
  Calendar exactCalendar, coarseCalendar;
  CalendarHost exact("exact", exactCalendar, 0), coarse("coarse", coarseCalendar, 1000);
  Ticker a(exactCalendar, 7, 300), b(coarseCalendar, 7, 300), far(exactCalendar, 10000, 3);
  exactCalendar.schedule(a, 5); // before the simulation starts: the host must wake up for it
  coarseCalendar.schedule(b, 5);
  exactCalendar.schedule(far, 5);
  sc_core::sc_start();
  EXPECT_EQ(a.seen, b.seen);
  EXPECT_EQ(a.systemc, a.seen); // exact SystemC time at every busy cycle
  EXPECT_EQ(far.systemc, far.seen);
  EXPECT_EQ(exact.activations(), 300u + 2u);
  EXPECT_LE(coarse.activations(), 4u);
  EXPECT_TRUE(exactCalendar.empty());
  EXPECT_TRUE(coarseCalendar.empty());

  // Work that arrives after the calendar ran dry, from outside of it.
  exactCalendar.advanceTo(CalendarHost::cycleOf(sc_core::sc_time_stamp()));
  Ticker again(exactCalendar, 3, 2);
  exactCalendar.schedule(again, exactCalendar.now() + 11);
  const Cycle begin = exactCalendar.now();
  sc_core::sc_start();
  EXPECT_EQ(again.seen, (std::vector<Cycle>{begin + 11, begin + 14}));
  EXPECT_EQ(again.systemc, again.seen);
}

} // namespace
