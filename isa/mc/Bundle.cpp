#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/tables/tables.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"

using namespace llvm;
namespace isa = dlsim::isa;

namespace {

using Words = SmallVector<const MCInst*, DLNPU::kMaxBundleWords>;

// Gives word `index` a slot, moving others aside (bipartite matching by augmenting paths).
// owner[slot] is the word in it, -1 if free.
bool placeWord(ArrayRef<uint8_t> masks, unsigned index, MutableArrayRef<int> owner, uint32_t& visited) {
  for (unsigned slot = 0; slot < owner.size(); ++slot) {
    if (!(masks[index] >> slot & 1) || (visited >> slot & 1))
      continue;
    visited |= 1u << slot;
    if (owner[slot] < 0 || placeWord(masks, static_cast<unsigned>(owner[slot]), owner, visited)) {
      owner[slot] = static_cast<int>(index);
      return true;
    }
  }
  return false;
}

std::string slotNames(uint8_t mask) {
  std::string text;
  for (unsigned slot = 0; slot < isa::kNumSlots; ++slot)
    if (mask >> slot & 1)
      text += (text.empty() ? "" : " or ") + std::string(isa::slotName(slot));
  return text;
}

std::string slotConflict(ArrayRef<const isa::InstrInfo*> infos) {
  SmallVector<uint8_t, DLNPU::kMaxBundleWords> masks;
  int owner[isa::kNumSlots];
  std::fill(std::begin(owner), std::end(owner), -1);
  for (const isa::InstrInfo* info : infos) {
    masks.push_back(info->slots);
    uint32_t visited = 0;
    const unsigned index = masks.size() - 1;
    if (placeWord(masks, index, owner, visited))
      continue;
    // The words in the slots that were tried are those in the way; name the first that shares a slot
    // directly.
    for (unsigned slot = 0; slot < isa::kNumSlots; ++slot)
      if (masks[index] >> slot & 1) {
        const isa::InstrInfo* other = infos[static_cast<size_t>(owner[slot])];
        return "'" + std::string(other->mnemonic) + "' and '" + std::string(info->mnemonic) +
               "' need the same slot (" + slotNames(info->slots) + "): put one of them into another bundle";
      }
  }
  return {};
}

std::string writeConflict(const Words& words, ArrayRef<const isa::InstrInfo*> infos) {
  std::array<const isa::InstrInfo*, isa::kNumRegs> writer{};
  for (size_t i = 0; i < words.size(); ++i) {
    int reg = -1;
    if (infos[i]->numDefs && words[i]->getNumOperands() && words[i]->getOperand(0).isReg())
      reg = static_cast<int>(words[i]->getOperand(0).getReg()) - DLNPU::R0;
    else if (infos[i]->isCall)
      reg = isa::kRegRA;
    if (reg < 0 || reg >= static_cast<int>(isa::kNumRegs))
      continue;
    auto& other = writer[static_cast<size_t>(reg)];
    if (other)
      return "'" + std::string(other->mnemonic) + "' and '" + std::string(infos[i]->mnemonic) +
             "' both write r" + std::to_string(reg) + " in one bundle";
    other = infos[i];
  }
  return {};
}

std::string describeFields(const isa::InstrInfo& info) {
  std::string text;
  for (const isa::Field& field : info.immFields)
    text += (text.empty() ? "" : ", ") + std::string(field.name) + "[" +
            std::to_string(field.low + field.width - 1) + ":" + std::to_string(field.low) + "]";
  return text.empty() ? "none" : text;
}

std::string rangeError(const isa::InstrInfo& info, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high)
    return {};
  return "immediate " + std::to_string(value) + " of '" + std::string(info.mnemonic) + "' is outside " +
         std::to_string(low) + ".." + std::to_string(high);
}

std::string immediateError(const isa::InstrInfo& info, int64_t value) {
  switch (info.immKind) {
  case isa::ImmKind::S24:
  case isa::ImmKind::Branch:
    return rangeError(info, value, -(1 << 23), (1 << 23) - 1);
  case isa::ImmKind::S32:
    return rangeError(info, value, INT32_MIN, INT32_MAX);
  case isa::ImmKind::U32:
    return rangeError(info, value, 0, UINT32_MAX);
  case isa::ImmKind::Flag:
    return rangeError(info, value, 0, 7);
  case isa::ImmKind::None:
    return {};
  case isa::ImmKind::U24:
    break;
  }
  if ((static_cast<uint64_t>(value) & ~uint64_t{info.immMask}) == 0)
    return {};
  return "immediate " + std::to_string(value) + " of '" + std::string(info.mnemonic) +
         "' sets bits outside its fields (" + describeFields(info) + ")";
}

} // namespace

MCInst DLNPU::makeBundle() {
  MCInst bundle;
  bundle.setOpcode(TargetOpcode::BUNDLE);
  return bundle;
}

void DLNPU::addToBundle(MCContext& context, MCInst& bundle, const MCInst& word) {
  MCInst* copy = context.createMCInst();
  *copy = word;
  if (bundle.getNumOperands() == 0)
    bundle.setLoc(word.getLoc());
  bundle.addOperand(MCOperand::createInst(copy));
}

bool DLNPU::isBundle(const MCInst& inst) { return inst.getOpcode() == TargetOpcode::BUNDLE; }

Words DLNPU::bundleWords(const MCInst& inst) {
  Words words;
  if (!isBundle(inst)) {
    words.push_back(&inst);
    return words;
  }
  for (const MCOperand& operand : inst)
    words.push_back(operand.getInst());
  return words;
}

std::string DLNPU::checkBundle(const MCInst& inst, const MCInstrInfo& instrs) {
  const Words words = bundleWords(inst);
  if (words.empty())
    return "a bundle holds at least one instruction";
  SmallVector<const isa::InstrInfo*, kMaxBundleWords> infos;
  for (const MCInst* word : words) {
    const isa::InstrInfo* info = tableInfo(instrs.get(word->getOpcode()));
    if (!info)
      return "'" + instrs.getName(word->getOpcode()).str() + "' is no machine instruction";
    infos.push_back(info);
  }
  if (std::string conflict = slotConflict(infos); !conflict.empty())
    return conflict;
  return writeConflict(words, infos);
}

std::string DLNPU::checkImmediates(const MCInst& word, const MCInstrInfo& instrs) {
  const isa::InstrInfo* info = tableInfo(instrs.get(word.getOpcode()));
  const unsigned count = word.getNumOperands();
  if (!info || count == 0)
    return {};
  if (info->immKind == isa::ImmKind::Flag && count >= 2) {
    const MCOperand& peer = word.getOperand(count - 2);
    if (peer.isImm() && (peer.getImm() < 0 || peer.getImm() >= isa::kNumUnits))
      return "flag peer " + std::to_string(peer.getImm()) + " of '" + std::string(info->mnemonic) +
             "' is no unit (0 s .. 6 v)";
  }
  const MCOperand& imm = word.getOperand(count - 1);
  return imm.isImm() ? immediateError(*info, imm.getImm()) : std::string();
}
