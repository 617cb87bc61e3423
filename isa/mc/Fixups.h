// Fixups of instruction words. Each applies to the whole 64-bit word at its offset.
#pragma once
#include "llvm/MC/MCFixup.h"

namespace llvm::DLNPU {

enum Fixups : unsigned {
  fixup_pc24w = FirstTargetFixupKind, // branch: words from the branch word, bits 23..0
  fixup_lo32,                         // li: low half of an address, bits 31..0
  fixup_hi32,                         // lih: high half
  kFixupsEnd,
};
inline constexpr unsigned kNumFixups = kFixupsEnd - FirstTargetFixupKind;

} // namespace llvm::DLNPU
