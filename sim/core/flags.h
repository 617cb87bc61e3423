// Flags between the units of one core: counters per (source unit, target unit, id). A token becomes visible
// some cycles after it was set, so a flag keeps the cycles from which its tokens count.
#pragma once

#include "sim/calendar/calendar.h"
#include "sim/core/command.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dlsim::core {

class FlagBoard {
public:
  static constexpr unsigned kIds = 8;
  static constexpr unsigned kMost = 15; // the ISA's counters are 0..15

  FlagBoard() { reset(); }
  void reset() { flags_.assign(size_t{kUnits} * kUnits * kIds, Flag{}); }

  // False if the counter is full.
  bool set(Unit source, Unit target, unsigned id, Cycle visible) {
    Flag& flag = at(source, target, id);
    if (flag.count == kMost)
      return false;
    flag.visible[(flag.first + flag.count++) & 15] = visible;
    return true;
  }
  // The cycle from which the oldest token counts, sim::kNever if there is none.
  Cycle visibleAt(Unit source, Unit target, unsigned id) const {
    const Flag& flag = at(source, target, id);
    return flag.count ? flag.visible[flag.first] : sim::kNever;
  }
  void take(Unit source, Unit target, unsigned id) {
    Flag& flag = at(source, target, id);
    flag.first = (flag.first + 1) & 15;
    --flag.count;
  }
  unsigned tokens(Unit source, Unit target, unsigned id) const { return at(source, target, id).count; }
  // Tokens over all flags: what a finished program left behind.
  unsigned left() const {
    unsigned sum = 0;
    for (const Flag& flag : flags_)
      sum += flag.count;
    return sum;
  }

private:
  struct Flag {
    std::array<Cycle, 16> visible{};
    uint8_t first = 0;
    uint8_t count = 0;
  };
  static size_t index(Unit s, Unit t, unsigned id) {
    return (static_cast<size_t>(s) * kUnits + static_cast<size_t>(t)) * kIds + id;
  }
  Flag& at(Unit s, Unit t, unsigned id) { return flags_[index(s, t, id)]; }
  const Flag& at(Unit s, Unit t, unsigned id) const { return flags_[index(s, t, id)]; }

  std::vector<Flag> flags_;
};

} // namespace dlsim::core
