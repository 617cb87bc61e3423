// What the cores of a group know of each other's commands, and the bytes of global memory that they share.
//
// A clock counts, for each unit of each core of a group, the commands that are known to be done. Cross-core
// flags carry clocks from the cores that set them together to those that wait for them.
#pragma once

#include "sim/core/command.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace dlsim::observe {

using core::CoreId;
using core::Unit;

/// Cores of a group that a clock has room for: eight of each of two kinds.
inline constexpr unsigned kGroupCores = 16;
inline constexpr size_t kSlots = size_t{kGroupCores} * core::kUnits;
using Clock = std::array<uint32_t, kSlots>;

/// A core's number in its group; its units' places in a clock begin at member * kUnits.
inline unsigned memberOf(const CoreId& id) {
  return id.kind % 2u * (kGroupCores / 2) + id.subcore % (kGroupCores / 2);
}
inline size_t slotOf(const CoreId& id, Unit unit) {
  return memberOf(id) * core::kUnits + static_cast<size_t>(unit);
}
void merge(Clock& into, const Clock& more);

/// Cross-core flags of one group as clocks. What other groups do in between (mode 0) is not followed.
class GroupFlags {
public:
  /// cores: of each kind in a group.
  explicit GroupFlags(const std::vector<unsigned>& cores) : cores_(cores) {}
  void set(const CoreId& from, unsigned mode, unsigned id, const Clock& clock);
  /// The clock of the token that a core takes; all zero if none is known.
  Clock take(const CoreId& to, unsigned id);

private:
  unsigned coresOf(unsigned kind) const { return kind < cores_.size() ? cores_[kind] : 0; }
  const std::vector<unsigned>& cores_;
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::deque<Clock>> arrived_; // by member, mode and id
  std::map<std::tuple<unsigned, unsigned>, std::deque<Clock>> tokens_;            // by member and id
};

/// Who touched which bytes of global memory last, for one group.
class GroupMemory {
public:
  struct Mark {
    size_t slot = 0;     // unit and core
    uint32_t number = 0; // among the unit's commands
    uint32_t pc = 0;
    CoreId core;
    Unit unit = Unit::S;
    bool write = false, atomic = false;
    uint32_t bytes = 0; // a bit for each byte of a granule
  };
  struct Conflict {
    Mark earlier;
    uint64_t address = 0;
  };
  /// Notes an access to [begin, end). Returns the first access of another unit that it conflicts with and
  /// that `clock` does not contain, if there is one.
  std::optional<Conflict> touch(uint64_t begin, uint64_t end, Mark mine, const Clock& clock);

private:
  static constexpr unsigned kGranule = 32;
  std::unordered_map<uint64_t, std::vector<Mark>> granules_;
};

} // namespace dlsim::observe
