// Bundles as MCInst: opcode TargetOpcode::BUNDLE, each operand a sub-MCInst owned by the MCContext.
//
// The words of a bundle have no order: all registers are read before any is written. An MCInst that is no
// BUNDLE stands for a bundle of one word. To build one:
//
//   MCInst bundle = DLNPU::makeBundle();
//   DLNPU::addToBundle(context, bundle, word);   // copies `word`
//   streamer.emitInstruction(bundle, subtarget);
//
// The code emitter refuses bundles for which checkBundle has an answer.
#pragma once
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCInst.h"
#include <string>

namespace llvm {
class MCContext;
class MCInstrInfo;

namespace DLNPU {

// One word per slot.
inline constexpr unsigned kMaxBundleWords = 8;

MCInst makeBundle();
void addToBundle(MCContext& context, MCInst& bundle, const MCInst& word);

bool isBundle(const MCInst& inst);

// The words of a bundle, or the instruction itself when it is no BUNDLE.
SmallVector<const MCInst*, kMaxBundleWords> bundleWords(const MCInst& inst);

// What keeps these words from issuing together, empty when nothing does: two that need the same slot (both
// named), or two that write the same register.
std::string checkBundle(const MCInst& inst, const MCInstrInfo& instrs);

// What is wrong with the constant immediates of one word (out of range, bits outside the named fields), or
// empty.
std::string checkImmediates(const MCInst& word, const MCInstrInfo& instrs);

} // namespace DLNPU
} // namespace llvm
