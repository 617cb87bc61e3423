// Assembler, disassembler and the generated tables against each other.
#include "isa/mc/Assembler.h"
#include "isa/tables/tables.h"
#include "tests/isa/random_words.h"
#include <gtest/gtest.h>

using namespace dlsim;
using isa::InstrInfo;

namespace {

std::vector<uint64_t> assembled(const std::string& text) {
  auto words = mc::assemble(text);
  if (words)
    return *words;
  ADD_FAILURE() << llvm::toString(words.takeError()) << "\nin:\n" << text;
  return {};
}

std::string errorOf(const std::string& text, mc::AssemblyOptions options = {}) {
  auto words = mc::assemble(text, options);
  return words ? "" : llvm::toString(words.takeError());
}

} // namespace

TEST(Mc, EveryInstructionRoundTripsThroughText) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> words;
  for (const InstrInfo& info : isa::instructions())
    for (int i = 0; i < 25; ++i)
      words.push_back(test::randomWordOf(info, random));
  const std::string text = mc::disassemble(words);
  EXPECT_EQ(text.find(".quad"), std::string::npos);
  const std::vector<uint64_t> again = assembled(text);
  ASSERT_EQ(again, words);
  EXPECT_EQ(mc::disassemble(again), text);
}

TEST(Mc, TablesPrintWhatTheAssemblerReads) {
  std::mt19937_64 random(4);
  std::string text;
  std::vector<uint64_t> words;
  for (const InstrInfo& info : isa::instructions()) {
    if (info.mayLoad != info.mayStore && !info.isCommand)
      continue; // the short form prints addresses as plain operands
    words.push_back(test::randomWordOf(info, random));
    text += isa::toString(*isa::decode(words.back())) + "\n";
  }
  EXPECT_EQ(assembled(text), words);
}

TEST(Mc, DecodersAgreeOnRandomWords) {
  std::mt19937_64 random(5);
  const mc::Disassembler disassembler;
  size_t valid = 0;
  for (int i = 0; i < 1000000; ++i) {
    const uint64_t word = (i & 1 ? test::nearWord(random) : random()) & ~(1ULL << 63);
    const auto decoded = isa::decode(word);
    const bool mcDecodes = disassembler.isInstruction(word);
    ASSERT_EQ(decoded.has_value(), mcDecodes) << std::hex << word;
    valid += mcDecodes;
  }
  EXPECT_GT(valid, 1000u);
}

TEST(Mc, DecodersAgreeOnOperands) {
  std::mt19937_64 random(6);
  const mc::Disassembler disassembler;
  for (const InstrInfo& info : isa::instructions()) {
    if (info.mayLoad != info.mayStore && !info.isCommand)
      continue;
    for (int i = 0; i < 20; ++i) {
      const uint64_t word = test::randomWordOf(info, random);
      std::string text = disassembler.next({word}).texts.at(0);
      std::replace(text.begin(), text.end(), '\t', ' ');
      EXPECT_EQ(text, isa::toString(*isa::decode(word)));
    }
  }
}

TEST(Mc, RandomStreamsNeverCrash) {
  std::mt19937_64 random(7);
  const mc::Disassembler disassembler;
  std::vector<uint64_t> words(8192);
  for (int round = 0; round < 20; ++round) {
    for (auto& word : words)
      word = (random() & 3) ? test::nearWord(random) | (random() & 1) << 63 : random();
    for (size_t at = 0; at < words.size();) {
      const auto bundle = disassembler.next(llvm::ArrayRef(words).drop_front(at));
      ASSERT_GE(bundle.words, 1u);
      at += bundle.words;
    }
  }
}

TEST(Mc, BundlesSetTheBundleBit) {
  const auto words =
      assembled("{ add r1, r2, r3 ; addi r4, r5, -1 ; mte2.copy.l1 r1, r2, r3, r4, r5, r6, 0 }\n"
                "{\n jmp -3\n v.mask r1, r2, 0\n}\n exit\n");
  ASSERT_EQ(words.size(), 6u);
  const std::vector<bool> last = {false, false, true, false, true, true};
  for (size_t i = 0; i < words.size(); ++i)
    EXPECT_EQ(words[i] >> 63 == 0, last[i]) << i;
  EXPECT_EQ(assembled(mc::disassemble(words)), words);
}

TEST(Mc, BranchesAreRelativeToTheirOwnWord) {
  const auto words = assembled("top:\n { addi r1, r1, 1 ; bnz r1, top }\n jmp done\n nop\ndone:\n exit\n");
  ASSERT_EQ(words.size(), 5u);
  EXPECT_EQ(isa::decode(words[1])->imm, -1);
  EXPECT_EQ(isa::decode(words[2])->imm, 2);
}

TEST(Mc, FieldsByName) {
  EXPECT_EQ(assembled("v.cast r1, r2, r3, from=f16, to=f32, round=3\n"),
            assembled("v.cast r1, r2, r3, 800\n"));
  EXPECT_EQ(assembled("m.mmad r1, r2, r3, r4, r5, r6\n"),
            assembled("m.mmad r1, r2, r3, r4, r5, r6, dtype=f16\n"));
  EXPECT_EQ(assembled("xset.v id=3, mode=2\n"), assembled("xset.v 35\n"));
}

TEST(Mc, Errors) {
  EXPECT_NE(errorOf("{ ld.d r1, [r2, 0] ; jmp 3 }").find("'ld.d' and 'jmp' need the same slot (S0)"),
            std::string::npos);
  EXPECT_NE(errorOf("{ add r1, r2, r3 ; sub r1, r2, r3 }").find("both write r1"), std::string::npos);
  EXPECT_NE(errorOf("{ add r1,r2,r3;sub r2,r2,r3;mul r4,r4,r4 }").find("need the same slot (S0 or S1)"),
            std::string::npos);
  EXPECT_NE(errorOf("frob r1").find("no instruction 'frob'"), std::string::npos);
  EXPECT_NE(errorOf("addi r1, r2, 8388608").find("outside -8388608..8388607"), std::string::npos);
  EXPECT_NE(errorOf("v.add r1, r2, r3, r4, 16").find("outside its fields (dtype[3:0])"), std::string::npos);
  EXPECT_NE(errorOf("set_flag.v mte9, 0").find("no unit"), std::string::npos);
  EXPECT_NE(errorOf("set_flag.v mte2, 8").find("outside 0..7"), std::string::npos);
  EXPECT_NE(errorOf("{ add r1, r2, r3").find("not closed"), std::string::npos);
  EXPECT_NE(errorOf("add r1, r2, r3 }").find("without '{'"), std::string::npos);
  EXPECT_NE(errorOf("v.exp r1, r2, r3, dtype=f64").find("error"), std::string::npos);
  EXPECT_NE(errorOf("v.exp r1, r2, r3, kind=1").find("it has dtype"), std::string::npos);
  EXPECT_NE(errorOf("jmp nowhere").find("not defined"), std::string::npos);
  EXPECT_NE(errorOf("v.exp r1, r2, r3", {"a.s", "aic", true}).find("needs a vector core (aiv)"),
            std::string::npos);
  EXPECT_NE(errorOf(".section .text.aic,\"ax\"\n v.exp r1, r2, r3").find("needs a vector core"),
            std::string::npos);
  EXPECT_NE(errorOf("add r1, r2, [r3").find("error"), std::string::npos);
  EXPECT_NE(errorOf("nop", {"a.s", "pdp11", true}).find("unknown processor"), std::string::npos);
}
