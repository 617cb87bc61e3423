// Next-free-time reservations in 1/256 cycle, and the small arithmetic around them.
#pragma once

#include "sim/calendar/calendar.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dlsim::sim {

/// A rate in bytes per cycle that answers how many ticks a number of bytes takes.
class Rate {
public:
  Rate() = default;
  explicit Rate(double bytesPerCycle)
      : perByte_(
            static_cast<std::uint64_t>(std::llround(std::ldexp(1.0, kTickShift + kShift) / bytesPerCycle))) {}
  Tick ticks(std::uint64_t bytes) const { return (bytes * perByte_) >> kShift; }

private:
  static constexpr unsigned kShift = 20;
  std::uint64_t perByte_ = 0; // ticks a byte, 20 fraction bits; 0: no limit
};

/// A resource that serves in the order of its reservations.
class Resource {
public:
  /// Takes the resource for `length` from `earliest` or when it is free; returns the start.
  Tick reserve(Tick earliest, Tick length) {
    const Tick start = std::max(earliest, free_);
    free_ = start + length;
    return start;
  }
  Tick free() const { return free_; }
  /// Keeps it busy until `until` at least.
  void extend(Tick until) { free_ = std::max(free_, until); }

private:
  Tick free_ = 0;
};

/// A resource whose user may reorder: a reservation that starts late leaves a gap that later ones may fill.
/// Remembers the latest few gaps.
class ReorderedResource {
public:
  Tick reserve(Tick earliest, Tick length) {
    for (Gap& gap : gaps_) {
      const Tick start = std::max(earliest, gap.begin);
      if (start + length > gap.end)
        continue;
      // What is left before and behind it: the larger part stays a gap.
      if (start - gap.begin > gap.end - (start + length))
        gap.end = start;
      else
        gap.begin = start + length;
      return start;
    }
    const Tick start = std::max(earliest, free_);
    if (start > free_) {
      gaps_[next_] = {free_, start};
      next_ = (next_ + 1) % gaps_.size();
    }
    free_ = start + length;
    return start;
  }
  Tick free() const { return free_; }

private:
  struct Gap {
    Tick begin = 0, end = 0;
  };
  std::array<Gap, 4> gaps_;
  std::size_t next_ = 0;
  Tick free_ = 0;
};

/// Division by a number fixed at construction, a shift where it is a power of two.
class Divider {
public:
  Divider() = default;
  explicit Divider(std::uint64_t by) : by_(by), shift_(__builtin_ctzll(by)), power_((by & (by - 1)) == 0) {}
  std::uint64_t quotient(std::uint64_t value) const { return power_ ? value >> shift_ : value / by_; }
  std::uint64_t remainder(std::uint64_t value) const { return power_ ? value & (by_ - 1) : value % by_; }
  std::uint64_t by() const { return by_; }
  bool power() const { return power_; }
  unsigned shift() const { return shift_; }

private:
  std::uint64_t by_ = 1;
  unsigned shift_ = 0;
  bool power_ = true;
};

} // namespace dlsim::sim
