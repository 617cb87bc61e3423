// The one order of time in the simulator: a ring of one-cycle buckets with intrusive event nodes, and a heap
// for events beyond the ring. Events of one cycle fire in the order in which they were scheduled.
// Units: core cycles. No SystemC in this header; CalendarHost ties a Calendar to a SystemC simulation.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

namespace dlsim::sim {

using Cycle = std::uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// Resources keep their next free time in 1/256 cycle, so that a rate of 98.5 B/cycle does not round.
using Tick = std::uint64_t;
inline constexpr unsigned kTickShift = 8;
constexpr Tick toTick(Cycle cycle) { return cycle << kTickShift; }
/// The first cycle at or after a tick: where an event for that instant belongs.
constexpr Cycle toCycle(Tick tick) { return (tick + (Tick{1} << kTickShift) - 1) >> kTickShift; }

class Calendar;

/// A node that can wait in the calendar once at a time. The owner keeps it alive while it is scheduled.
class Event {
public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event() = default;

  /// Called at its cycle, when the node is free again: fire may schedule this same event.
  virtual void fire(Cycle now) = 0;

  bool scheduled() const { return scheduled_; }
  /// The cycle it waits for; meaningful while scheduled().
  Cycle when() const { return when_; }

private:
  friend class Calendar;
  Event* next_ = nullptr;
  Cycle when_ = 0;
  bool scheduled_ = false;
};

/// An event that calls a member function: `MemberEvent<Unit, &Unit::finish> finish_{*this};`
template <class Owner, void (Owner::*Method)(Cycle)> class MemberEvent final : public Event {
public:
  explicit MemberEvent(Owner& owner) : owner_(owner) {}
  void fire(Cycle now) override { (owner_.*Method)(now); }

private:
  Owner& owner_;
};

class CalendarError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

class Calendar {
public:
  static constexpr unsigned kRingBits = 12;
  static constexpr Cycle kRing = Cycle{1} << kRingBits;

  Calendar();
  Calendar(const Calendar&) = delete;
  Calendar& operator=(const Calendar&) = delete;

  /// The cycle whose events are firing; between runs, the last one that fired or that advanceTo() named.
  Cycle now() const { return now_; }

  /// Puts `event` at cycle `when` >= now(). An event for now() fires in this cycle, after those already
  /// there. Throws CalendarError if the event already waits or the cycle lies in the past.
  void schedule(Event& event, Cycle when) {
    if (event.scheduled_ || when < now_)
      refuse(event, when);
    event.scheduled_ = true;
    event.when_ = when;
    ++pending_;
    if (when - now_ < kRing)
      append(event, when & (kRing - 1));
    else
      pushFar(event);
    if (when < wakeAt_)
      wake(when);
  }

  bool empty() const { return pending_ == 0; }
  std::uint64_t pending() const { return pending_; }
  std::uint64_t fired() const { return fired_; }

  /// The earliest cycle with an event, kNever if there is none.
  Cycle nextCycle() const;

  /// Fires every event up to and including cycle `last`; now() is then the last busy cycle.
  void runUntil(Cycle last);
  /// Fires events until none is left.
  void run() { runUntil(kNever); }
  /// Makes runUntil/run return after the event that is firing; the rest stays scheduled.
  void stop() { stopped_ = true; }
  /// Moves now() forward over idle cycles (the SystemC time when an outsider schedules). No event may be
  /// skipped.
  void advanceTo(Cycle cycle);

  /// `hook(when)` is called when an event is scheduled before cycle `wakeAt` from outside a run. For the
  /// host.
  void setWakeHook(std::function<void(Cycle)> hook) { wakeHook_ = std::move(hook); }
  void setWakeAt(Cycle cycle) { wakeAt_ = cycle; }

private:
  struct Bucket {
    Event* head = nullptr;
    Event* tail = nullptr;
  };
  struct Far {
    Cycle when;
    std::uint64_t order;
    Event* event;
    bool operator<(const Far& other) const { // std heap keeps the largest first
      return when != other.when ? when > other.when : order > other.order;
    }
  };

  void append(Event& event, Cycle slot) {
    Bucket& bucket = ring_[slot];
    event.next_ = nullptr;
    if (bucket.tail)
      bucket.tail->next_ = &event;
    else {
      bucket.head = &event;
      words_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
      summary_ |= std::uint64_t{1} << (slot >> 6);
    }
    bucket.tail = &event;
  }
  void pushFar(Event& event);
  void moveNearEvents();
  void wake(Cycle when);
  [[noreturn]] void refuse(const Event& event, Cycle when) const;

  std::array<Bucket, kRing> ring_;
  std::array<std::uint64_t, kRing / 64> words_{}; // one bit a bucket
  std::uint64_t summary_ = 0;                     // one bit a word
  static_assert(kRing / 64 == 64, "the summary is one word");
  std::vector<Far> far_;
  Cycle now_ = 0;
  Cycle wakeAt_ = 0;
  std::uint64_t pending_ = 0;
  std::uint64_t fired_ = 0;
  std::uint64_t farOrder_ = 0;
  bool stopped_ = false;
  std::function<void(Cycle)> wakeHook_;
};

} // namespace dlsim::sim
