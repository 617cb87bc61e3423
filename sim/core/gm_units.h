// The units that reach global memory: MTE2, MTE3 and, in fix_unit.h, the fixpipe. Their requests go through
// the memory system; the on-chip side of a command occupies the unit's port at the width of its path.
#pragma once

#include "sim/core/core.h"

#include <memory>
#include <vector>

namespace dlsim::core {

// Bytes a cycle of a path of the core kind, 0 if it has none.
double pathRate(const Core& core, const char* unit, const char* from, const char* to);
// Time of an amount at a rate per cycle, in 1/256 cycle; none at rate 0.
sim::Tick ticksFor(uint64_t amount, double rate);
// Pieces of b that hold a.
inline uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

class GmUnit : public UnitEngine {
public:
  GmUnit(Core& core, Unit unit, uint32_t depth);
  ~GmUnit() override;

protected:
  struct Transfer;
  Started start(Flight& flight, sim::Tick from) override;
  Cycle startable(const QueueEntry& entry, Cycle now) override;
  // The command completes when its transfer is done, and not before the cycle given.
  void startTransfer(Flight& flight, Cycle not_before);

private:
  void fillRequest(Transfer& transfer, const Command& command);
  void fillGather(Transfer& transfer, const Command& command);
  Transfer& freeTransfer();

  std::vector<std::unique_ptr<Transfer>> pool_;
  std::vector<Transfer*> free_;
  double local_rate_; // MTE2 into L1 or UB: the path's width, for what does not come from global memory
};

} // namespace dlsim::core
