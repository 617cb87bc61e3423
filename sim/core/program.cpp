#include "sim/core/program.h"

#include "isa/tables/fields.h"

#include <cstdio>

namespace dlsim::core {

using isa::Opcode;

Space spaceOf(isa::Scope scope) {
  switch (scope) {
  case isa::Scope::L1:
    return Space::L1;
  case isa::Scope::L0A:
    return Space::L0A;
  case isa::Scope::L0B:
    return Space::L0B;
  case isa::Scope::L0C:
    return Space::L0C;
  case isa::Scope::UB:
    return Space::UB;
  case isa::Scope::BT:
    return Space::BT;
  case isa::Scope::FB:
    return Space::FB;
  case isa::Scope::None:
  case isa::Scope::GM:
    break;
  }
  return Space::GM;
}

namespace {

struct Access {
  uint8_t bytes;
  bool is_signed;
};

Access accessOf(Opcode op) {
  switch (op) {
  case Opcode::LDB:
  case Opcode::LUB:
    return {1, true};
  case Opcode::LDBU:
  case Opcode::LUBU:
  case Opcode::STB:
  case Opcode::STUB8:
    return {1, false};
  case Opcode::LDH:
  case Opcode::LUH:
    return {2, true};
  case Opcode::LDHU:
  case Opcode::LUHU:
  case Opcode::STH:
  case Opcode::STUB16:
    return {2, false};
  case Opcode::LDW:
  case Opcode::LUW:
    return {4, true};
  case Opcode::LDWU:
  case Opcode::LUWU:
  case Opcode::STW:
  case Opcode::STUB32:
    return {4, false};
  default:
    return {8, false};
  }
}

WordClass scalarClass(const isa::InstrInfo& info) {
  switch (info.opcode) {
  case Opcode::NOP:
    return WordClass::Nop;
  case Opcode::SREG:
    return WordClass::Sreg;
  case Opcode::JMP:
    return WordClass::Jump;
  case Opcode::BNZ:
    return WordClass::BranchNonZero;
  case Opcode::BEZ:
    return WordClass::BranchZero;
  case Opcode::CALL:
    return WordClass::Call;
  case Opcode::CALLR:
    return WordClass::CallRegister;
  case Opcode::JMPR:
    return WordClass::JumpRegister;
  case Opcode::RET:
    return WordClass::Return;
  case Opcode::EXIT:
    return WordClass::Exit;
  case Opcode::TRAP:
    return WordClass::Trap;
  case Opcode::PRINT:
    return WordClass::Print;
  case Opcode::ATOM:
  case Opcode::ATOMCAS:
    return WordClass::Atomic;
  default:
    break;
  }
  const bool ub = info.opcode >= Opcode::LUB && info.opcode <= Opcode::STUB64;
  if (info.mayLoad)
    return ub ? WordClass::LoadUb : WordClass::LoadGm;
  if (info.mayStore)
    return ub ? WordClass::StoreUb : WordClass::StoreGm;
  return WordClass::Alu;
}

WordClass classOf(const isa::InstrInfo& info) {
  switch (info.sync) {
  case isa::SyncKind::SetFlag:
    return WordClass::SetFlag;
  case isa::SyncKind::WaitFlag:
    return WordClass::WaitFlag;
  case isa::SyncKind::CrossSet:
    return WordClass::CrossSet;
  case isa::SyncKind::CrossWait:
    return WordClass::CrossWait;
  case isa::SyncKind::Barrier:
    return WordClass::Barrier;
  case isa::SyncKind::BarrierAll:
    return WordClass::BarrierAll;
  case isa::SyncKind::None:
    break;
  }
  return info.isQueued() ? WordClass::Command : scalarClass(info);
}

bool needsCalendar(WordClass what) {
  return what == WordClass::LoadUb || what == WordClass::StoreUb || what == WordClass::Exit ||
         what == WordClass::Print || what >= WordClass::SetFlag;
}

bool branchesDirectly(WordClass what) {
  return what == WordClass::Jump || what == WordClass::BranchNonZero || what == WordClass::BranchZero ||
         what == WordClass::Call;
}

// Why a core kind cannot execute an instruction, or nothing.
std::string lacks(const isa::InstrInfo& info, WordClass what, const Abilities& can) {
  const std::string mnemonic(info.mnemonic);
  if (!(can.units >> static_cast<unsigned>(info.unit) & 1))
    return mnemonic + ": a core of kind " + can.kind + " has no unit " +
           std::string(isa::unitName(info.unit));
  const auto has = [&](Space s) { return s == Space::GM || (can.spaces >> static_cast<unsigned>(s) & 1); };
  for (const isa::RegOperand& operand : info.regs)
    if (operand.scope != isa::Scope::None && !has(spaceOf(operand.scope)))
      return mnemonic + ": a core of kind " + can.kind + " has no " + spaceName(spaceOf(operand.scope));
  if ((what == WordClass::LoadUb || what == WordClass::StoreUb) && !has(Space::UB))
    return mnemonic + ": a core of kind " + can.kind + " has no UB";
  return {};
}

// Gives every word of the bundle a slot; words that can only take one go first.
std::string assignSlots(Bundle& bundle, const Word* words) {
  for (const bool flexible : {false, true}) {
    for (unsigned i = 0; i < bundle.words; ++i) {
      const uint8_t mask = words[i].info->slots;
      if (((mask & (mask - 1)) != 0) != flexible)
        continue;
      const uint8_t free = mask & ~bundle.slots;
      if (!free)
        return "two words of the bundle need one slot (" + std::string(words[i].info->mnemonic) + ")";
      bundle.slots |= free & -free;
    }
  }
  return {};
}

} // namespace

void Program::decodeWord(uint64_t raw, Word& word, Bundle& bundle, const Abilities& abilities) {
  const std::optional<isa::Decoded> decoded = isa::decode(raw);
  if (!decoded) {
    char text[64];
    std::snprintf(text, sizeof text, "illegal word 0x%016llx", static_cast<unsigned long long>(raw));
    bundle.fault = text;
    return;
  }
  const isa::InstrInfo& info = *decoded->info;
  word.info = &info;
  word.imm = decoded->imm;
  word.r = decoded->r;
  word.what = classOf(info);
  word.unit = info.unit;
  const bool reads_result = info.numDefs && info.regs[0].role == isa::RoleKind::DefUse;
  word.sources = reads_result ? 0 : info.numDefs;
  const Access access = accessOf(info.opcode);
  word.access_bytes = access.bytes;
  word.access_signed = access.is_signed;
  if (word.what == WordClass::Atomic) {
    const uint32_t dtype = isa::fields::ATOM::dtype::get(static_cast<uint64_t>(word.imm));
    if (dtype < isa::kNumDTypes)
      word.access_bytes = static_cast<uint8_t>(isa::dtypeBytes(static_cast<isa::DType>(dtype)));
    else
      bundle.fault = std::string(info.mnemonic) + ": there is no element type " + std::to_string(dtype);
  }
  if (bundle.fault.empty())
    bundle.fault = lacks(info, word.what, abilities);

  uint32_t writes = 0;
  for (unsigned i = 0; i < info.numDefs; ++i)
    writes |= 1u << word.r[i];
  for (unsigned i = word.sources; i < info.numRegs; ++i)
    bundle.reads |= 1u << word.r[i];
  if (word.what == WordClass::Call || word.what == WordClass::CallRegister)
    writes |= 1u << isa::kRegRA;
  if (word.what == WordClass::Return)
    bundle.reads |= 1u << isa::kRegRA;
  if ((bundle.writes & writes) && bundle.fault.empty())
    bundle.fault = "two words of the bundle write one register";
  bundle.writes |= writes;
}

void Program::finishBundle(Bundle& bundle, bool ended) {
  const Word* words = words_.data() + bundle.first_word;
  if (bundle.fault.empty() && !ended)
    bundle.fault = "the section ends inside a bundle";
  if (bundle.fault.empty())
    bundle.fault = assignSlots(bundle, words);
  for (unsigned i = 0; i < bundle.words && bundle.fault.empty(); ++i) {
    const Word& word = words[i];
    if (word.unit != Unit::S)
      bundle.queued_units |= 1u << static_cast<unsigned>(word.unit);
    else
      bundle.sync |= needsCalendar(word.what);
    bundle.memory |=
        word.what == WordClass::LoadGm || word.what == WordClass::StoreGm || word.what == WordClass::Atomic;
    bundle.scalars += word.unit == Unit::S && word.what != WordClass::Nop;
  }
  bundles_.push_back(bundle);
}

Program::Program(const uint64_t* text, size_t count, const Abilities& abilities)
    : bytes_(count * isa::kWordBytes) {
  constexpr unsigned kMaxWords = isa::kNumSlots;
  words_.resize(count);
  by_word_.assign(count, kNoBundle);
  bool ended = true;
  Bundle current;
  for (size_t i = 0; i < count; ++i) {
    if (ended) {
      current = Bundle{};
      current.first_word = static_cast<uint32_t>(i);
      current.pc = static_cast<uint32_t>(i * isa::kWordBytes);
      by_word_[i] = static_cast<uint32_t>(bundles_.size());
    }
    const uint64_t raw = text[i];
    decodeWord(raw, words_[i], current, abilities);
    if (++current.words > kMaxWords && current.fault.empty())
      current.fault = "a bundle of more than " + std::to_string(kMaxWords) + " words";
    ended = raw >> 63 == 0 || current.words == 255;
    if (ended || i + 1 == count)
      finishBundle(current, ended);
  }
  resolveTargets();
}

void Program::resolveTargets() {
  for (uint32_t b = 0; b < bundles_.size(); ++b) {
    Bundle& bundle = bundles_[b];
    if (b + 1 < bundles_.size())
      bundle.next = b + 1;
    for (unsigned i = 0; i < bundle.words && bundle.fault.empty(); ++i) {
      const Word& word = words_[bundle.first_word + i];
      if (!branchesDirectly(word.what))
        continue;
      const int64_t at = static_cast<int64_t>(bundle.first_word) + i + word.imm;
      bundle.target = at < 0 ? kNoBundle : bundleAt(static_cast<uint64_t>(at) * isa::kWordBytes);
    }
  }
}

uint32_t Program::bundleAt(uint64_t offset) const {
  const uint64_t word = offset / isa::kWordBytes;
  return offset % isa::kWordBytes == 0 && word < by_word_.size() ? by_word_[word] : kNoBundle;
}

Command makeCommand(const Word& word, uint32_t pc, const std::array<uint64_t, 32>& registers) {
  Command command;
  command.op = word.info->opcode;
  command.imm = static_cast<uint32_t>(word.imm);
  command.pc = pc;
  for (unsigned i = 0; i < word.info->numRegs; ++i)
    command.r[i] = registers[word.r[i]];
  return command;
}

} // namespace dlsim::core
