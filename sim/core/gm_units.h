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
  Started start(Flight& flight, Cycle now) override;
  Cycle startable(const QueueEntry& entry, Cycle now) override;
  // Reserves the port for bytes after what it already has to do; returns the end.
  Cycle reservePort(uint64_t bytes, double bytes_per_cycle, Cycle from);
  void startTransfer(Flight& flight, Cycle not_before);

private:
  void fillRequest(Transfer& transfer, const Command& command);
  void fillGather(Transfer& transfer, const Command& command);
  double portRate(const Command& command) const;
  Transfer& freeTransfer();

  std::vector<std::unique_ptr<Transfer>> pool_;
  std::vector<Transfer*> free_;
  double rate_l1_, rate_ub_;
  sim::Tick port_free_ = 0;
};

class FixUnit final : public GmUnit {
public:
  FixUnit(Core& core, uint32_t depth);

private:
  Started start(Flight& flight, Cycle now) override;
  double rate_gm_, rate_l1_;
};

} // namespace dlsim::core
