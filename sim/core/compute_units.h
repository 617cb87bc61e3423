// The units that move and compute inside a core: MTE1, the cube (M) and the vector unit (V).
// Cost of a command = start-up + work at a steady rate; where start-ups overlap, the issue stage is free
// again before the command's results are there.
#pragma once

#include "sim/core/core.h"
#include "sim/core/vector_cost.h"

#include <unordered_map>

namespace dlsim::core {

// L1 to L0A, L0B, BT, FB: start-up of the kind of load, then bytes at the path's width.
class Mte1Unit final : public UnitEngine {
public:
  Mte1Unit(Core& core, uint32_t depth);

private:
  Started start(Flight& flight, sim::Tick from) override;
  double width_l0a_, width_l0b_, width_bt_, width_fb_;
};

// ceil(m / m0) * ceil(n / n0) * ceil(k / k0) cycles.
class CubeUnit final : public UnitEngine {
public:
  CubeUnit(Core& core, uint32_t depth);

private:
  Started start(Flight& flight, sim::Tick from) override;
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
