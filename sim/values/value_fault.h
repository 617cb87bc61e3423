// What a command did wrong while it moved or computed values. The core adds its name, the cycle and the
// kernel's source line and reports it as a core::Fault.
#pragma once

#include "sim/core/command.h"
#include "sim/core/fault.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace dlsim::values {

class ValueFault : public std::runtime_error {
public:
  ValueFault(core::FaultKind kind, core::Space space, uint64_t address, uint64_t size, uint64_t limit,
             const std::string& detail)
      : std::runtime_error(detail), kind(kind), space(space), address(address), size(size), limit(limit) {}

  core::FaultKind kind;
  core::Space space;
  uint64_t address; // first byte of the access
  uint64_t size;    // bytes of the access
  uint64_t limit;   // bytes of the memory (0: does not apply)
};

// Throws OutOfRange; kept out of line so that the check itself stays small.
[[noreturn]] void throwOutOfRange(core::Space space, uint64_t address, uint64_t size, uint64_t limit);
[[noreturn]] void throwBadOperand(const std::string& detail);

} // namespace dlsim::values
