// Range-checked access to on-chip memories and to global memory.
#pragma once

#include "sim/core/core_state.h"
#include "sim/memory/global_memory.h"
#include "sim/values/value_fault.h"

#include <cstdint>

namespace dlsim::values {

using GlobalMemory = sim::GlobalMemory;

// The bytes [address, address + size) of an on-chip memory.
inline uint8_t* onChip(core::CoreState& state, core::Space space, uint64_t address, uint64_t size) {
  std::vector<uint8_t>& bytes = state.memory(space);
  if (address > bytes.size() || size > bytes.size() - address)
    throwOutOfRange(space, address, size, bytes.size());
  return bytes.data() + address;
}

// One range of global memory; a fault of the memory becomes a ValueFault.
const uint8_t* gmSource(const GlobalMemory& gm, uint64_t address, uint64_t size);
uint8_t* gmTarget(GlobalMemory& gm, uint64_t address, uint64_t size);

// `count` rows of `length` bytes, `stride` apart (which may be negative), in global memory. When one region
// holds them all, the rows cost one look-up.
class GmRows {
public:
  GmRows(GlobalMemory& gm, uint64_t address, uint64_t stride, uint64_t count, uint64_t length);
  const uint8_t* source(uint64_t row) const {
    return flat_ ? flat_ + row * stride_ : gmSource(gm_, address_ + row * stride_, length_);
  }
  uint8_t* target(uint64_t row) const { return gmTarget(gm_, address_ + row * stride_, length_); }

private:
  GlobalMemory& gm_;
  uint64_t address_, stride_, length_;
  const uint8_t* flat_ = nullptr;
};

} // namespace dlsim::values
