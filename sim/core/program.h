// A text section decoded once into bundles of words that are ready to execute.
#pragma once

#include "isa/tables/tables.h"
#include "sim/core/command.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace dlsim::core {

// What the sequencer does with a word.
enum class WordClass : uint8_t {
  Nop,
  Alu,
  Sreg,
  LoadGm,
  StoreGm,
  LoadUb,
  StoreUb,
  Atomic,
  Jump,
  BranchNonZero,
  BranchZero,
  Call,
  CallRegister,
  JumpRegister,
  Return,
  Exit,
  Trap,
  Print,
  Command,
  SetFlag,
  WaitFlag,
  CrossSet,
  CrossWait,
  Barrier,
  BarrierAll,
};

struct Word {
  const isa::InstrInfo* info = nullptr;
  int64_t imm = 0;
  std::array<uint8_t, 6> r{};
  uint8_t sources = 0;      // first register operand that is read (after the results)
  uint8_t access_bytes = 0; // loads and stores
  bool access_signed = false;
  WordClass what = WordClass::Nop;
  Unit unit = Unit::S;
};

inline constexpr uint32_t kNoBundle = ~uint32_t{0};

struct Bundle {
  uint32_t first_word = 0;     // into Program::words
  uint32_t pc = 0;             // byte offset of its first word
  uint32_t next = kNoBundle;   // bundle that follows, by index
  uint32_t target = kNoBundle; // of its direct branch or call
  uint32_t reads = 0;          // bit per register
  uint32_t writes = 0;
  uint8_t words = 0;
  uint8_t slots = 0;        // bit per slot, as isa::Slot
  uint8_t scalars = 0;      // words of the scalar slots that are not nop
  uint8_t queued_units = 0; // bit per unit that gets something into its queue
  bool sync =
      false; // must issue at the calendar's time: flags of the scalar unit, barriers, UB accesses, exit
  bool memory = false; // loads from, stores to or atomic updates of global memory
  std::string fault;   // not empty: it cannot execute, and why
};

// What a core kind can execute: the units it has and the memories it has, as bit sets by Unit and Space.
struct Abilities {
  uint8_t units = 0x7f;
  uint8_t spaces = 0xff;
  std::string kind; // for messages
};

class Program {
public:
  // Decodes a whole section. Words that do not decode or bundles that the core kind cannot execute become
  // bundles with a fault, which is raised when control reaches them.
  Program(const uint64_t* text, size_t count, const Abilities& abilities);

  const Bundle& bundle(uint32_t index) const { return bundles_[index]; }
  const Word* words(const Bundle& b) const { return words_.data() + b.first_word; }
  uint32_t bundles() const { return static_cast<uint32_t>(bundles_.size()); }
  // The bundle that starts at a byte offset, or kNoBundle.
  uint32_t bundleAt(uint64_t offset) const;
  uint64_t bytes() const { return bytes_; }

private:
  void decodeWord(uint64_t raw, Word& word, Bundle& bundle, const Abilities& abilities);
  void finishBundle(Bundle& bundle, bool ended);
  void resolveTargets();

  std::vector<Word> words_;
  std::vector<Bundle> bundles_;
  std::vector<uint32_t> by_word_; // bundle index by word offset, kNoBundle inside a bundle
  uint64_t bytes_ = 0;
};

// A command as its bundle issues it: operands read from the registers.
Command makeCommand(const Word& word, uint32_t pc, const std::array<uint64_t, 32>& registers);

Space spaceOf(isa::Scope scope);

} // namespace dlsim::core
