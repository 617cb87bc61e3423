// Why a simulated program stopped early. Faults of the program, not of the simulator's user.
#pragma once

#include "sim/core/command.h"

#include <optional>
#include <stdexcept>
#include <string>

namespace dlsim::core {

enum class FaultKind : uint8_t {
  IllegalWord,    // a word or bundle that this core kind cannot execute
  OutOfRange,     // an on-chip access beyond its memory (buffer overflow)
  Misaligned,     // an on-chip address that breaks the scope's alignment
  UnmappedMemory, // global memory that nothing owns
  BadOperand,     // a field outside what the command allows
  Trap,           // the trap instruction
  FlagOverflow,   // a set_flag on a flag that already holds 15 tokens
  PoisonUse,      // a jump, an address or a shape that depends on what --timing-only did not compute
  MaxCycles,      // the cycle limit was reached
  Deadlock,       // nothing can move any more
};
const char* faultKindName(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::Trap;
  CoreId core;
  std::string core_name; // "AIC3", "AIV7"
  Unit unit = Unit::S;
  std::string command; // mnemonic
  Space space = Space::GM;
  uint64_t address = 0; // of a trap: its code
  uint32_t pc = 0;
  std::string source; // "file:line" of the kernel, when the binary knows it
  Cycle cycle = 0;
  std::string detail; // what is wrong, in words; several lines for a deadlock

  std::string text() const; // one message with all of the above
};

class FaultError : public std::runtime_error {
public:
  explicit FaultError(Fault f) : std::runtime_error(f.text()), fault(std::move(f)) {}
  Fault fault;
};

} // namespace dlsim::core
