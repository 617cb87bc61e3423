// Flags between the units of one core: counters per (source unit, target unit, id). A token becomes visible
// some cycles after it was set, so a flag keeps the cycles from which its tokens count.
#pragma once

#include "sim/calendar/calendar.h"
#include "sim/core/command.h"

#include <cstdint>
#include <vector>

namespace dlsim::core {

// A bounded counter of tokens, each with the cycle from which it is visible, oldest first.
class TokenCounters {
public:
  TokenCounters(size_t counters, unsigned most) : most_(most), visible_(counters * most), state_(counters) {}

  // False if the counter is full.
  bool set(size_t counter, Cycle visible) {
    State& s = state_[counter];
    if (s.count == most_)
      return false;
    visible_[counter * most_ + (s.first + s.count++) % most_] = visible;
    return true;
  }
  // The cycle from which the oldest token counts, sim::kNever if there is none.
  Cycle visibleAt(size_t counter) const {
    const State& s = state_[counter];
    return s.count ? visible_[counter * most_ + s.first] : sim::kNever;
  }
  void take(size_t counter) {
    State& s = state_[counter];
    s.first = (s.first + 1) % most_;
    --s.count;
  }
  unsigned tokens(size_t counter) const { return state_[counter].count; }
  unsigned most() const { return most_; }
  // Tokens over all counters.
  unsigned left() const {
    unsigned sum = 0;
    for (const State& s : state_)
      sum += s.count;
    return sum;
  }
  void reset() { state_.assign(state_.size(), State{}); }

private:
  struct State {
    uint32_t first = 0, count = 0;
  };
  unsigned most_;
  std::vector<Cycle> visible_;
  std::vector<State> state_;
};

class FlagBoard {
public:
  FlagBoard(unsigned ids, unsigned most) : ids_(ids), tokens_(size_t{kUnits} * kUnits * ids, most) {}
  void reset() { tokens_.reset(); }

  bool set(Unit source, Unit target, unsigned id, Cycle visible) {
    return tokens_.set(index(source, target, id), visible);
  }
  Cycle visibleAt(Unit source, Unit target, unsigned id) const {
    return tokens_.visibleAt(index(source, target, id));
  }
  void take(Unit source, Unit target, unsigned id) { tokens_.take(index(source, target, id)); }
  unsigned tokens(Unit source, Unit target, unsigned id) const {
    return tokens_.tokens(index(source, target, id));
  }
  unsigned most() const { return tokens_.most(); }
  // What a finished program left behind.
  unsigned left() const { return tokens_.left(); }

private:
  size_t index(Unit s, Unit t, unsigned id) const {
    return (static_cast<size_t>(s) * kUnits + static_cast<size_t>(t)) * ids_ + id;
  }
  unsigned ids_;
  TokenCounters tokens_;
};

} // namespace dlsim::core
