// Flags between cores. A set arrives at a group of cores: every core of the kind (mode 0), the sub-cores of
// one cluster and kind (mode 1), or between the kinds of a cluster (mode 2). Modes 0 and 1 release a token to
// each core of the group when all of them have arrived; mode 2 releases one to the cores of the other kinds
// when all of the setting kind in the cluster have arrived.
#pragma once

#include "sim/core/flags.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dlsim::core {

class CrossFlagListener {
public:
  virtual ~CrossFlagListener() = default;
  // A token of this id will be visible to this core at the cycle given.
  virtual void crossFlagSet(unsigned id, Cycle visible) = 0;
};

class CrossFlags {
public:
  static constexpr unsigned kIds = 16;

  // Cores of one launch; `latency` is set to visible, `most` the highest count.
  CrossFlags(Cycle latency, unsigned most) : latency_(latency), most_(most) {}
  void addCore(const CoreId& id, CrossFlagListener& listener);
  void clear() { cores_.clear(); }

  enum class Result : uint8_t { Ok, Overflow };
  Result set(const CoreId& from, unsigned mode, unsigned id, Cycle now);

  Cycle visibleAt(const CoreId& core, unsigned id) const;
  void take(const CoreId& core, unsigned id);
  unsigned tokens(const CoreId& core, unsigned id) const;
  unsigned most() const { return most_; }
  // "2 of 4": how many of the group that must set it have done so, for reports.
  unsigned arrived(const CoreId& core, unsigned mode, unsigned id) const;

private:
  struct Core {
    Core(const CoreId& i, CrossFlagListener& l, unsigned most) : id(i), listener(&l), tokens(kIds, most) {}
    CoreId id;
    CrossFlagListener* listener;
    std::array<std::array<uint32_t, kIds>, 3> arrivals{}; // not yet matched, by mode
    TokenCounters tokens;
  };
  Core& find(const CoreId& id);
  const Core& find(const CoreId& id) const;
  static bool gathers(const CoreId& a, const CoreId& b, unsigned mode);
  static bool receives(const CoreId& from, const CoreId& to, unsigned mode);

  std::vector<Core> cores_;
  Cycle latency_;
  unsigned most_;
};

} // namespace dlsim::core
