// The units that reach global memory: MTE2, MTE3 and the fixpipe. Their requests go through the memory
// system; the on-chip side of a command occupies the unit's port at the width of its path.
#pragma once

#include "sim/core/core.h"

#include <memory>
#include <vector>

namespace dlsim::core {

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
  double fill_rate_; // mte2.fill.l1: the width of the path it replaces
};

class FixUnit final : public GmUnit {
public:
  FixUnit(Core& core, uint32_t depth);

private:
  Started start(Flight& flight, sim::Tick from) override;
  double rate_l1_;
};

} // namespace dlsim::core
