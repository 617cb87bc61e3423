// The commands that a call of `dlnpu.<mnemonic>` may name. The table is generated from isa/isa/*.td, so a new
// instruction needs no change here.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>

namespace llvm::DLNPU {

enum class CommandCore : uint8_t { Any, Aic, Aiv };

struct CommandOperand {
  uint8_t bits;  // 0: a register, else the width of an immediate
  bool isSigned; // immediates only
  bool isRegister() const { return bits == 0; }
};

struct CommandInfo {
  StringRef mnemonic;
  unsigned opcode; // DLNPU::...
  uint8_t numInputs;
  uint8_t numResults; // 0 or 1
  CommandCore core;
  uint32_t immMask; // bits of a 24-bit immediate that have a meaning
  std::array<CommandOperand, 8> inputs;
};

/// The mnemonic if `name` is the name of a command function (`dlnpu.<mnemonic>`, also with clang's \1
/// prefix).
std::optional<StringRef> commandMnemonic(StringRef functionName);
/// nullptr if the ISA has no such instruction, or none that a call may name (branches, returns).
const CommandInfo* findCommand(StringRef mnemonic);
/// The existing mnemonic nearest to a misspelt one, for messages; empty if none is near.
StringRef nearestCommand(StringRef mnemonic);

} // namespace llvm::DLNPU
