#include "sim/calendar/calendar.h"

#include <algorithm>
#include <string>

namespace dlsim::sim {

Calendar::Calendar() { far_.reserve(1024); }

void Calendar::refuse(const Event& event, Cycle when) const {
  if (event.scheduled_)
    throw CalendarError("calendar: event already waits for cycle " + std::to_string(event.when_) +
                        ", cannot be scheduled for cycle " + std::to_string(when));
  throw CalendarError("calendar: cycle " + std::to_string(when) + " is before now, cycle " +
                      std::to_string(now_));
}

void Calendar::pushFar(Event& event) {
  far_.push_back({event.when_, farOrder_++, &event});
  std::push_heap(far_.begin(), far_.end());
}

// Far events enter the ring as soon as it reaches their cycle, before anything at the new now() can schedule
// into that cycle: so events keep their order of scheduling across ring and heap.
void Calendar::moveNearEvents() {
  while (!far_.empty() && far_.front().when - now_ < kRing) {
    Event& event = *far_.front().event;
    std::pop_heap(far_.begin(), far_.end());
    far_.pop_back();
    append(event, event.when_ & (kRing - 1));
  }
}

Cycle Calendar::nextCycle() const {
  if (summary_ == 0)
    return far_.empty() ? kNever : far_.front().when;
  const Cycle start = now_ & (kRing - 1);
  const Cycle startWord = start >> 6;
  std::uint64_t bits = words_[startWord] >> (start & 63);
  if (bits)
    return now_ + __builtin_ctzll(bits);
  // Words after the first, then round to the first word's low part.
  const std::uint64_t after = startWord == 63 ? 0 : summary_ >> (startWord + 1) << (startWord + 1);
  const std::uint64_t from = after ? after : summary_;
  const Cycle word = __builtin_ctzll(from);
  const Cycle slot = (word << 6) + __builtin_ctzll(words_[word]);
  return now_ + ((slot - start) & (kRing - 1));
}

void Calendar::runUntil(Cycle last) {
  stopped_ = false;
  const Cycle outerWake = wakeAt_;
  wakeAt_ = 0; // nobody needs waking while events are being fired
  while (pending_ != 0 && !stopped_) {
    const Cycle cycle = nextCycle();
    if (cycle > last)
      break;
    now_ = cycle;
    moveNearEvents();
    const Cycle slot = cycle & (kRing - 1);
    Bucket& bucket = ring_[slot];
    while (Event* event = bucket.head) {
      bucket.head = event->next_;
      if (!bucket.head)
        bucket.tail = nullptr;
      event->scheduled_ = false;
      --pending_;
      ++fired_;
      event->fire(cycle);
      if (stopped_)
        break;
    }
    if (!bucket.head) {
      std::uint64_t& word = words_[slot >> 6];
      word &= ~(std::uint64_t{1} << (slot & 63));
      if (word == 0)
        summary_ &= ~(std::uint64_t{1} << (slot >> 6));
    }
  }
  wakeAt_ = outerWake;
}

void Calendar::advanceTo(Cycle cycle) {
  if (cycle <= now_)
    return;
  if (nextCycle() < cycle)
    throw CalendarError("calendar: advancing to cycle " + std::to_string(cycle) + " would skip an event at " +
                        std::to_string(nextCycle()));
  now_ = cycle;
  moveNearEvents();
}

void Calendar::wake(Cycle when) {
  if (wakeHook_)
    wakeHook_(when);
}

} // namespace dlsim::sim
