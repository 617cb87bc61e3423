// The sequencer's loads and stores: the data cache for global memory, the scalar port of UB.
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
  for (unsigned i = 0; i < b.words; ++i)
    if ((words[i].what == WordClass::LoadGm || words[i].what == WordClass::StoreGm) &&
        !cacheReady(words[i], now))
      return false;
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

void Sequencer::load(const Word& word) {
  const uint64_t address = effectiveAddress(word);
  const unsigned bytes = word.access_bytes;
  uint64_t value = 0;
  const bool ub = word.what == WordClass::LoadUb;
  const Poison* poison = !env_.poison ? nullptr : ub ? &core_.ubPoison() : env_.poison;
  if (poison && poison->touches(address, address + bytes))
    raise(FaultKind::PoisonLoad,
          "the program reads a value that only a full run computes; run without --timing-only",
          ub ? Space::UB : Space::GM, address);
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
  writeResult(word.r[0], value, latencyOf(word));
}

void Sequencer::store(const Word& word) {
  const uint64_t address = effectiveAddress(word), value = regs_[word.r[0]];
  const unsigned bytes = word.access_bytes;
  if (word.what == WordClass::StoreGm) {
    env_.memory.write(address, &value, bytes);
    if (env_.poison)
      env_.poison->clean(address, address + bytes);
    return;
  }
  std::vector<uint8_t>& memory = core_.state().ub;
  if (address > memory.size() || memory.size() - address < bytes)
    raise(FaultKind::OutOfRange,
          "scalar store of " + std::to_string(bytes) + " bytes, UB has " + std::to_string(memory.size()),
          Space::UB, address);
  std::copy_n(reinterpret_cast<const uint8_t*>(&value), bytes, memory.data() + address);
  if (env_.poison)
    core_.ubPoison().clean(address, address + bytes);
  ++counts_.ub_writes;
  env_.observers.access({core_.id(), address, bytes, true, pc(), time_});
  ub_free_ = time_ + std::max<Cycle>(1, core_.chip().scalar.ubStoreCycles);
}

} // namespace dlsim::core
