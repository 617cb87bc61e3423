// The units that move and compute inside a core: MTE1, the cube (M) and the vector unit (V).
// Cost of a command = start-up + work at a steady rate; where start-ups overlap, the issue stage is free
// again before the command's results are there.
#pragma once

#include "sim/core/core.h"
#include "sim/core/vector_cost.h"

#include <unordered_map>

namespace dlsim::core {

// L1 to L0A, L0B, BT, FB: start-up of the kind of load, then bytes at the path's width, and what writes into
// L1 take of it.
class Mte1Unit final : public UnitEngine {
public:
  Mte1Unit(Core& core, uint32_t depth);

private:
  struct Cost {
    Cycle startup;
    sim::Tick work;
  };
  Cost costOf(const QueueEntry& entry) const;
  Started start(Flight& flight, sim::Tick from) override;
  void completed(const Flight& flight) override;
  sim::Tick lostToWrites();

  double width_l0a_, width_l0b_, width_bt_, width_fb_;
  uint64_t written_before_ = 0; // bytes that MTE2 had brought when a load last began or ended
  uint64_t written_beside_ = 0; // brought during the loads since the last one began
};

// ceil(m / m0) * ceil(n / n0) * ceil(k / k0) cycles.
class CubeUnit final : public UnitEngine {
public:
  CubeUnit(Core& core, uint32_t depth);

private:
  struct Steps {
    uint64_t m, n, k;
  };
  Steps stepsOf(const Command& command) const;
  Started start(Flight& flight, sim::Tick from) override;
  Cycle startable(const QueueEntry& entry, Cycle now) override;
  void beforeValues(const Flight& flight) override;
};

class VectorUnit final : public UnitEngine {
public:
  VectorUnit(Core& core, uint32_t depth);

private:
  Started start(Flight& flight, sim::Tick from) override;
  Cycle startable(const QueueEntry& entry, Cycle now) override;
  uint32_t mteConflicts(const Flight& flight) const;

  VectorCosts costs_;
  CoreState::Lanes lanes_; // as of the last command started
};

} // namespace dlsim::core
