// The generated tables: layout of known words, round trip of random words, refusal of everything else.
#include "isa/tables/tables.h"
#include "tests/isa/random_words.h"
#include <gtest/gtest.h>

using namespace dlsim::isa;
using dlsim::test::nearWord;
using dlsim::test::randomWordOf;

TEST(Tables, KnownWordDecodes) {
  // addi r3, r4, -2, not the last word of its bundle.
  const uint64_t word = 1ULL << 63 | 0x030ULL << 54 | 3ULL << 49 | 4ULL << 44 | 0xfffffe;
  const auto decoded = decode(word);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->opcode(), Opcode::ADDI);
  EXPECT_EQ(decoded->r[0], 3);
  EXPECT_EQ(decoded->r[1], 4);
  EXPECT_EQ(decoded->imm, -2);
  EXPECT_FALSE(decoded->last);
  EXPECT_EQ(toString(*decoded), "addi r3, r4, -2");
}

TEST(Tables, SixRegisterCommand) {
  const auto* info = lookup(std::string_view("mte2.copy.l1"));
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->opcode, Opcode::MTE2_COPY_L1);
  EXPECT_EQ(info->unit, Unit::MTE2);
  EXPECT_EQ(info->core, CoreKind::AIC);
  EXPECT_EQ(info->slots, kSlotMTE2);
  EXPECT_EQ(info->numRegs, 6);
  EXPECT_TRUE(info->isCommand);
  EXPECT_EQ(info->regs[0].role, RoleKind::Dst);
  EXPECT_EQ(info->regs[0].scope, Scope::L1);
  EXPECT_EQ(info->regs[1].scope, Scope::GM);
  EXPECT_EQ(info->regs[2].fields.find("length")->low, 32);
  EXPECT_EQ(info->regs[2].fields.find("nothing"), nullptr);
  EXPECT_EQ(info->immFields.find("bypass")->low, 4);
  const auto decoded = decode(0x100ULL << 54 | 1ULL << 49 | 2ULL << 44 | 3ULL << 39 | 4ULL << 34 |
                              5ULL << 29 | 6ULL << 24 | 0x12);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->r, (std::array<uint8_t, 6>{1, 2, 3, 4, 5, 6}));
}

TEST(Tables, FieldAccessors) {
  const std::array<uint64_t, 6> r{0, 0, 7 | 512ULL << 32, 0, 64 | 2ULL << 32 | 0xffffULL << 48, 0};
  using F = fields::MTE2_COPY_L1;
  EXPECT_EQ(F::count::get(r), 7u);
  EXPECT_EQ(F::length::get(r), 512u);
  EXPECT_EQ(F::left::get(r), 2u);
  EXPECT_EQ(F::right::get(r), 0xffffu);
  EXPECT_EQ(F::right::getSigned(r), -1);
  EXPECT_EQ(F::count::pack(7) | F::length::pack(512), r[2]);
  EXPECT_EQ(fields::V_CAST::round::get(fields::V_CAST::round::pack(3) | fields::V_CAST::from::pack(15)), 3u);
  static_assert(fields::MMAD::kDst == 0 && fields::MMAD::kSrc0 == 1);
}

TEST(Tables, EveryInstructionRoundTrips) {
  std::mt19937_64 random(1);
  for (const InstrInfo& info : instructions())
    for (int i = 0; i < 200; ++i) {
      const uint64_t word = randomWordOf(info, random) | (random() & 1) << 63;
      const auto decoded = decode(word);
      ASSERT_TRUE(decoded) << info.mnemonic << std::hex << word;
      ASSERT_EQ(decoded->info, &info);
      ASSERT_EQ(encode(*decoded), word) << info.mnemonic;
    }
}

TEST(Tables, EveryInstructionIsConsistent) {
  for (const InstrInfo& info : instructions()) {
    SCOPED_TRACE(std::string(info.mnemonic));
    EXPECT_EQ(lookup(info.mnemonic), &info);
    EXPECT_EQ(lookup(static_cast<uint16_t>(info.opcode)), &info);
    EXPECT_EQ(&dlsim::isa::info(info.opcode), &info);
    EXPECT_NE(info.slots, 0);
    EXPECT_FALSE(info.doc.empty());
    // Only scalar instructions have a choice of slots; a queued one occupies its unit's.
    if (info.isQueued())
      EXPECT_EQ(info.slots, 2u << static_cast<unsigned>(info.unit));
    else
      EXPECT_EQ(info.slots & ~(kSlotS0 | kSlotS1), 0);
  }
}

TEST(Tables, UnusedBitsAreRefused) {
  for (const InstrInfo& info : instructions())
    for (unsigned bit = 0; bit < 54; ++bit)
      if (!(info.varBits >> bit & 1))
        EXPECT_FALSE(decode(info.fixedBits | 1ULL << bit)) << info.mnemonic << " bit " << bit;
}

TEST(Tables, FlagOfNoUnitIsRefused) {
  const auto& info = dlsim::isa::info(Opcode::SETFLAG_MTE2);
  EXPECT_TRUE(decode(info.fixedBits | 6 << 4));
  EXPECT_FALSE(decode(info.fixedBits | 7 << 4));
}

TEST(Tables, RandomWordsDecodeOrNot) {
  std::mt19937_64 random(2);
  size_t valid = 0;
  for (int i = 0; i < 1000000; ++i) {
    const uint64_t word = i & 1 ? nearWord(random) : random();
    if (const auto decoded = decode(word)) {
      ++valid;
      ASSERT_EQ(encode(*decoded), word);
    }
  }
  EXPECT_GT(valid, 1000u);
}

TEST(Tables, NamesRoundTrip) {
  for (unsigned u = 0; u < kNumUnits; ++u) {
    EXPECT_EQ(unitByName(unitName(static_cast<Unit>(u))), static_cast<Unit>(u));
    EXPECT_EQ(unitByName(unitMnemonic(static_cast<Unit>(u))), static_cast<Unit>(u));
  }
  for (unsigned d = 0; d < kNumDTypes; ++d)
    EXPECT_EQ(dtypeByName(dtypeName(static_cast<DType>(d))), static_cast<DType>(d));
  EXPECT_FALSE(dtypeByName("f8"));
  EXPECT_EQ(lookup(std::string_view("no.such")), nullptr);
  EXPECT_EQ(lookup(uint16_t{0x1ff}), nullptr);
}
