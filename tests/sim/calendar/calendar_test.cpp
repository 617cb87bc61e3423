#include "sim/calendar/calendar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <utility>
#include <vector>

using namespace dlsim::sim;

namespace {

struct Note final : Event {
  Note(std::vector<std::pair<Cycle, int>>& log, int id) : log(log), id(id) {}
  void fire(Cycle now) override { log.emplace_back(now, id); }
  std::vector<std::pair<Cycle, int>>& log;
  int id;
};

using Log = std::vector<std::pair<Cycle, int>>;

TEST(Calendar, FiresInTimeOrderAndFifoWithinACycle) {
  Calendar calendar;
  Log log;
  Note a(log, 1), b(log, 2), c(log, 3), d(log, 4);
  calendar.schedule(a, 7);
  calendar.schedule(b, 3);
  calendar.schedule(c, 7);
  calendar.schedule(d, 3);
  EXPECT_EQ(calendar.nextCycle(), 3u);
  calendar.run();
  EXPECT_EQ(log, (Log{{3, 2}, {3, 4}, {7, 1}, {7, 3}}));
  EXPECT_EQ(calendar.now(), 7u);
  EXPECT_TRUE(calendar.empty());
  EXPECT_EQ(calendar.nextCycle(), kNever);
}

TEST(Calendar, AnEventMayScheduleItselfForThisCycle) {
  struct Twice final : Event {
    explicit Twice(Calendar& calendar) : calendar(calendar) {}
    void fire(Cycle now) override {
      times.push_back(now);
      if (times.size() == 1)
        calendar.schedule(*this, now);
    }
    Calendar& calendar;
    std::vector<Cycle> times;
  };
  Calendar calendar;
  Twice twice(calendar);
  calendar.schedule(twice, 5);
  calendar.run();
  EXPECT_EQ(twice.times, (std::vector<Cycle>{5, 5}));
}

// An event put into the heap long ago fires before one that was put into the ring for the same cycle later.
TEST(Calendar, KeepsOrderBetweenHeapAndRing) {
  struct Later final : Event {
    Later(Calendar& calendar, Event& event, Cycle when) : calendar(calendar), event(event), when(when) {}
    void fire(Cycle) override { calendar.schedule(event, when); }
    Calendar& calendar;
    Event& event;
    Cycle when;
  };
  const Cycle far = 3 * Calendar::kRing + 5;
  Calendar calendar;
  Log log;
  Note early(log, 1), late(log, 2), exact(log, 3);
  Later scheduleLate(calendar, late, far), scheduleExact(calendar, exact, far);
  calendar.schedule(early, far);
  calendar.schedule(scheduleExact, far - Calendar::kRing); // still beyond the ring by one cycle
  calendar.schedule(scheduleLate, far - 1);
  calendar.run();
  EXPECT_EQ(log, (Log{{far, 1}, {far, 3}, {far, 2}}));
}

TEST(Calendar, RefusesThePastAndDoubleScheduling) {
  Calendar calendar;
  Log log;
  Note a(log, 1), b(log, 2);
  calendar.schedule(a, 10);
  EXPECT_THROW(calendar.schedule(a, 12), CalendarError);
  calendar.run();
  EXPECT_THROW(calendar.schedule(b, 9), CalendarError);
  calendar.schedule(b, 10);
  EXPECT_THROW(calendar.advanceTo(11), CalendarError);
  calendar.run();
  calendar.advanceTo(100);
  EXPECT_EQ(calendar.now(), 100u);
}

TEST(Calendar, RunUntilStopsAtItsCycleAndStopInsideACycle) {
  struct Stopper final : Event {
    explicit Stopper(Calendar& calendar) : calendar(calendar) {}
    void fire(Cycle) override { calendar.stop(); }
    Calendar& calendar;
  };
  Calendar calendar;
  Log log;
  Note a(log, 1), b(log, 2), c(log, 3);
  Stopper stopper(calendar);
  calendar.schedule(a, 4);
  calendar.schedule(stopper, 6);
  calendar.schedule(b, 6);
  calendar.schedule(c, 6 + Calendar::kRing);
  calendar.runUntil(5);
  EXPECT_EQ(log, (Log{{4, 1}}));
  calendar.run();
  EXPECT_EQ(log, (Log{{4, 1}})); // stopped before b
  EXPECT_EQ(calendar.nextCycle(), 6u);
  calendar.run();
  EXPECT_EQ(log, (Log{{4, 1}, {6, 2}, {6 + Calendar::kRing, 3}}));
}

// Against a sort by time and then by the order of scheduling (ids ascend): random distances, many of them
// around the ring's size.
TEST(Calendar, AgreesWithASort) {
  std::mt19937_64 random(1);
  Calendar calendar;
  Log log;
  std::deque<Note> notes;
  std::vector<std::pair<Cycle, int>> expected;
  for (int round = 0; round < 50; ++round) {
    const Cycle base = calendar.now();
    expected.clear();
    log.clear();
    notes.clear();
    for (int id = 0; id < 200; ++id) {
      const Cycle spread = id % 3 == 0 ? 5 : id % 3 == 1 ? Calendar::kRing + 3 : 5 * Calendar::kRing;
      const Cycle when = base + random() % spread;
      notes.emplace_back(log, id);
      calendar.schedule(notes.back(), when);
      expected.emplace_back(when, id);
    }
    std::sort(expected.begin(), expected.end());
    calendar.run();
    ASSERT_EQ(log, expected) << "round " << round;
  }
}

TEST(Tick, RoundsUpToTheCycleThatCoversIt) {
  EXPECT_EQ(toTick(3), 768u);
  EXPECT_EQ(toCycle(768), 3u);
  EXPECT_EQ(toCycle(769), 4u);
  EXPECT_EQ(toCycle(0), 0u);
}

} // namespace
