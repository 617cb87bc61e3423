// Which bytes a command reads and writes, from its operands. Known at issue, except rows that a gather picks
// by data.
#pragma once

#include "sim/core/command.h"
#include "sim/core/core_state.h"

namespace dlsim::core {

// lanes: the vector lane state that the command will find (queue order equals issue order).
Footprints footprintsOf(const Command& command, const CoreState::Lanes& lanes);

// The smallest interval of UB that holds what a v.gather is about to pick, lanes that a mask leaves out
// included; empty for every other command.
Footprint gatherSource(const Command& command, const CoreState& state);

// How a vector command walks UB, taken apart once. Repeats and lanes follow isa/isa/DLNPUVector.td.
struct VectorSide {
  uint64_t address = 0;
  uint32_t block_stride = 1;  // 32-byte units
  uint32_t repeat_stride = 8; // 32-byte units
  uint8_t element = 0;        // bytes; 0: the side does not exist
  bool write = false;
};

struct VectorWalk {
  VectorSide sides[3];    // dst, src0, src1 of the elementwise forms
  uint32_t repeats = 0;   // charged
  uint32_t lanes = 0;     // elements of a full repeat
  uint64_t elements = 0;  // active elements over all repeats
  uint32_t last_lane = 0; // one past the highest active lane of a full repeat
  uint32_t tail = 0;      // active lanes of the last repeat in count mode, 0: as the others
  uint8_t widest = 0;     // bytes of the widest element
  isa::DType dtype = isa::DType::F16;
};
VectorWalk vectorWalk(const Command& command, const CoreState::Lanes& lanes);

// Bytes of an element of a dtype field; 0 for codes that do not exist.
unsigned elementBytes(uint32_t dtype_code);

} // namespace dlsim::core
