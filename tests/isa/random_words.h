// Random instruction words for round-trip tests.
#pragma once
#include "isa/tables/tables.h"
#include <random>

namespace dlsim::test {

// A valid word of this instruction, last of its bundle.
inline uint64_t randomWordOf(const isa::InstrInfo& info, std::mt19937_64& random) {
  uint64_t word = info.fixedBits | (random() & info.varBits);
  if (info.immKind == isa::ImmKind::Flag)
    word = (word & ~0xf0ULL) | (random() % isa::kNumUnits) << 4;
  return word;
}

// A valid word with one bit flipped, which may or may not be valid.
inline uint64_t nearWord(std::mt19937_64& random) {
  return randomWordOf(isa::instructions()[random() % isa::kNumInstructions], random) ^ 1ULL << random() % 64;
}

} // namespace dlsim::test
