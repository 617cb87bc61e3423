// The fixpipe: out of L0C to L1 or, through the memory system, to global memory.
#pragma once

#include "sim/core/gm_units.h"
#include "sim/core/unit_flags.h"

namespace dlsim::core {

// Without the unit flag a command reads L0C from its start on and moves its values when it completes. With
// it, the command is busy from its turn on, waits for its blocks, and moves its values when it has read the
// last one, or before a product that came behind it writes over those that it has read.
class FixUnit final : public GmUnit {
public:
  FixUnit(Core& core, uint32_t depth);

  // The cube has set unit flags.
  void flagsSet(Cycle now);
  std::string describeFlight() const override;
  // The number of the store, if it reads blocks of the tile; else 0.
  uint64_t reading(const L0CTile& tile) const;
  // Moves the values of store `number` unless they have moved.
  void moveValues(uint64_t number);

private:
  Started start(Flight& flight, sim::Tick from) override;
  Cycle startable(const QueueEntry& entry, Cycle now) override;
  sim::Tick readTime(const Flight& flight) const;
  void follow(Cycle now);
  void transferNow(Cycle now);
  void readOver(Cycle now);

  double rate_gm_, rate_l1_;
  Flight* following_ = nullptr; // waits for its blocks, or reads them
  bool reading_ = false;
  uint64_t stores_ = 0; // that have read so far, with this one
  sim::Tick from_ = 0;  // where it began to wait
  Cycle not_before_ = 0;
  sim::MemberEvent<FixUnit, &FixUnit::transferNow> transfer_event_{*this};
  sim::MemberEvent<FixUnit, &FixUnit::readOver> read_event_{*this};
};

} // namespace dlsim::core
