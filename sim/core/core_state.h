// The values that live inside one core: on-chip memories and the vector unit's lane state.
// Sizes come from the chip file; a memory that the core kind lacks is empty.
#pragma once

#include "sim/core/command.h"

#include <cstdint>
#include <vector>

namespace dlsim::core {

struct CoreState {
  std::vector<uint8_t> l1, l0a, l0b, l0c, ub, bt, fb;

  // Vector lanes, set by v.mask and v.count in queue order.
  struct Lanes {
    uint64_t mask[2] = {~uint64_t{0}, ~uint64_t{0}}; // mask mode: lanes 0..63, 64..127
    bool count_mode = false;
    uint64_t count = 0; // count mode: elements
  } lanes;

  std::vector<uint8_t>& memory(Space space) {
    switch (space) {
    case Space::L1:
      return l1;
    case Space::L0A:
      return l0a;
    case Space::L0B:
      return l0b;
    case Space::L0C:
      return l0c;
    case Space::BT:
      return bt;
    case Space::FB:
      return fb;
    default:
      return ub;
    }
  }
};

} // namespace dlsim::core
