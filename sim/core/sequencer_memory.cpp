// The sequencer's loads, stores and atomic updates: the data cache for global memory, the scalar port of UB.
#include "isa/tables/fields.h"
#include "sim/core/atomic.h"
#include "sim/core/core.h"
#include "sim/core/sequencer.h"

#include <algorithm>

namespace dlsim::core {

using observe::Stall;

uint64_t Sequencer::effectiveAddress(const Word& word) const {
  constexpr unsigned base = 1; // loads: rd, ra; stores: rs, ra
  return regs_[word.r[base]] + static_cast<uint64_t>(word.imm);
}

// The core's own stack, and what no core writes during a launch: values cannot depend on the calendar.
bool Sequencer::isPrivate(uint64_t address) const {
  return address < sim::GlobalMemory::kStackBase || (address >= stack_base_ && address < stack_end_);
}

bool Sequencer::memoryReady(const Bundle& b, const Word* words, Cycle now) {
  for (unsigned i = 0; i < b.words; ++i) {
    const WordClass what = words[i].what;
    if ((what == WordClass::LoadGm || what == WordClass::StoreGm) && !cacheReady(words[i], now))
      return false;
    if (what == WordClass::Atomic && !atomicReady(words[i], now))
      return false;
  }
  return true;
}

bool Sequencer::cacheReady(const Word& word, Cycle now) {
  const uint64_t address = effectiveAddress(word);
  if (!env_.memory.mapped(address, word.access_bytes))
    raise(FaultKind::UnmappedMemory, env_.memory.describe(address, word.access_bytes), Space::GM, address);
  const bool ahead = isPrivate(address) && !dcache_.busy() && dcache_.hits(address, word.access_bytes);
  if (!ahead && !syncTo(now))
    return false;
  const bool there = word.what == WordClass::LoadGm ? dcache_.load(address, word.access_bytes)
                                                    : dcache_.store(address, word.access_bytes);
  return there || block(Block::DCache, Unit::S, 0);
}

bool Sequencer::anyPoisoned(const Word& word) const {
  for (unsigned i = word.sources; poisoned_ && i < word.info->numRegs; ++i)
    if (poisoned(word.r[i]))
      return true;
  return false;
}

// A value that was not computed may be calculated with, stored and given to a command as a plain value. What
// a run does in which cycle must not depend on it.
void Sequencer::refusePoison(const Bundle& b, const Word* words) const {
  for (unsigned w = 0; w < b.words; ++w) {
    const Word& word = words[w];
    const bool lanes = word.info->opcode == isa::Opcode::V_MASK || word.info->opcode == isa::Opcode::V_COUNT;
    for (unsigned i = word.sources; i < word.info->numRegs; ++i) {
      const bool plain =
          word.what == WordClass::Alu ||
          (i == 0 && (word.what == WordClass::StoreGm || word.what == WordClass::StoreUb)) ||
          (word.what == WordClass::Command && !lanes && word.info->regs[i].role == isa::RoleKind::Val);
      if (!plain && poisoned(word.r[i]))
        raise(FaultKind::PoisonUse, std::string(word.info->mnemonic) +
                                        " depends on a value that only a full run computes; run without "
                                        "--timing-only");
    }
  }
}

bool Sequencer::atomicReady(const Word& word, Cycle now) {
  if (update_.busy)
    return update_.answeredAt <= now || block(Block::Atomic, Unit::S, 0);
  if (!syncTo(now))
    return false;
  const uint64_t address = regs_[word.r[1]];
  const unsigned bytes = word.access_bytes;
  if (!env_.memory.mapped(address, bytes))
    raise(FaultKind::UnmappedMemory, env_.memory.describe(address, bytes), Space::GM, address);
  if (address % bytes != 0)
    raise(FaultKind::Misaligned,
          std::string(word.info->mnemonic) + ": the address is no multiple of " + std::to_string(bytes) +
              " bytes",
          Space::GM, address);
  update_.busy = true;
  update_.answeredAt = sim::kNever;
  update_.core = core_.id().dense;
  update_.unit = sim::GmUnit::Scalar;
  update_.write = true;
  update_.atomic = sim::GmAtomic::Add; // all kinds take the same time
  update_.address = address;
  update_.length = bytes;
  env_.path.start(update_);
  return block(Block::Atomic, Unit::S, 0);
}

void Sequencer::update(const Word& word) {
  namespace f = isa::fields;
  update_.busy = false;
  const uint64_t address = regs_[word.r[1]], operand = regs_[word.r[2]];
  const unsigned bytes = word.access_bytes;
  if (env_.poison && env_.poison->touches(address, address + bytes))
    raise(FaultKind::PoisonUse,
          "the program reads a value that only a full run computes; run without --timing-only", Space::GM,
          address);
  const auto dtype = static_cast<isa::DType>(f::ATOM::dtype::get(static_cast<uint64_t>(word.imm)));
  uint64_t before = 0;
  env_.memory.read(address, &before, bytes);
  std::optional<uint64_t> after;
  if (word.info->opcode == isa::Opcode::ATOMCAS)
    after = extended(dtype, operand) == extended(dtype, before) ? regs_[word.r[3]] : before;
  else
    after = updated(static_cast<AtomicOp>(f::ATOM::op::get(static_cast<uint64_t>(word.imm))), dtype, before,
                    operand);
  if (!after)
    raise(FaultKind::BadOperand, "atom.rmw: this type has no such operation");
  env_.memory.write(address, &*after, bytes);
  writeResult(word.r[0], extended(dtype, before), latencyOf(word));
}

void Sequencer::load(const Word& word) {
  const uint64_t address = effectiveAddress(word);
  const unsigned bytes = word.access_bytes;
  uint64_t value = 0;
  const bool ub = word.what == WordClass::LoadUb;
  const Poison* poison = !env_.poison ? nullptr : ub ? &core_.ubPoison() : env_.poison;
  const bool unknown = poison && poison->touches(address, address + bytes);
  if (ub) {
    const std::vector<uint8_t>& memory = core_.state().ub;
    if (address > memory.size() || memory.size() - address < bytes)
      raise(FaultKind::OutOfRange,
            "scalar load of " + std::to_string(bytes) + " bytes, UB has " + std::to_string(memory.size()),
            Space::UB, address);
    std::copy_n(memory.data() + address, bytes, reinterpret_cast<uint8_t*>(&value));
    ++counts_.ub_reads;
    env_.observers.access({core_.id(), address, bytes, false, pc(), time_});
    ub_free_ = time_ + 1;
  } else {
    env_.memory.read(address, &value, bytes);
  }
  if (word.access_signed && bytes < 8) {
    const unsigned shift = 64 - 8 * bytes;
    value = static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
  }
  writeResult(word.r[0], value, latencyOf(word), unknown);
}

void Sequencer::store(const Word& word) {
  const uint64_t address = effectiveAddress(word), value = regs_[word.r[0]];
  const unsigned bytes = word.access_bytes;
  if (word.what == WordClass::StoreGm) {
    env_.memory.write(address, &value, bytes);
    if (env_.poison)
      env_.poison->set(address, address + bytes, poisoned(word.r[0]));
    return;
  }
  std::vector<uint8_t>& memory = core_.state().ub;
  if (address > memory.size() || memory.size() - address < bytes)
    raise(FaultKind::OutOfRange,
          "scalar store of " + std::to_string(bytes) + " bytes, UB has " + std::to_string(memory.size()),
          Space::UB, address);
  std::copy_n(reinterpret_cast<const uint8_t*>(&value), bytes, memory.data() + address);
  if (env_.poison)
    core_.ubPoison().set(address, address + bytes, poisoned(word.r[0]));
  ++counts_.ub_writes;
  env_.observers.access({core_.id(), address, bytes, true, pc(), time_});
  ub_free_ = time_ + std::max<Cycle>(1, core_.chip().scalar.ubStoreCycles);
}

} // namespace dlsim::core
