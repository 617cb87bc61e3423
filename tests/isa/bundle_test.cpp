// Bundles as the code generator builds them: MCInsts into the streamer, without text.
#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/tables/tables.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace llvm;
namespace isa = dlsim::isa;

namespace {

class BundleTest : public ::testing::Test {
protected:
  BundleTest()
      : target((dlsim::mc::registerTarget(), getTheDLNPUTarget())),
        registers(target.createMCRegInfo(DLNPU::kTriple)),
        asmInfo(target.createMCAsmInfo(*registers, DLNPU::kTriple, options)),
        instrs(target.createMCInstrInfo()), subtarget(target.createMCSubtargetInfo(DLNPU::kTriple, "", "")),
        context(Triple(DLNPU::kTriple), asmInfo.get(), registers.get(), subtarget.get()),
        emitter(target.createMCCodeEmitter(*instrs, context)) {
    context.setDiagnosticHandler(
        [this](const SMDiagnostic& diagnostic, bool, const SourceMgr&, std::vector<const MDNode*>&) {
          message = diagnostic.getMessage().str();
        });
  }

  MCInst bundle(std::initializer_list<MCInst> words) {
    MCInst result = DLNPU::makeBundle();
    for (const MCInst& word : words)
      DLNPU::addToBundle(context, result, word);
    return result;
  }
  std::vector<uint64_t> encode(const MCInst& inst) {
    SmallVector<char, 64> bytes;
    fixups.clear();
    emitter->encodeInstruction(inst, bytes, fixups, *subtarget);
    std::vector<uint64_t> words;
    for (size_t at = 0; at < bytes.size(); at += 8)
      words.push_back(support::endian::read64le(bytes.data() + at));
    return words;
  }
  static MCInst add(unsigned rd) {
    return MCInstBuilder(DLNPU::ADD).addReg(DLNPU::R0 + rd).addReg(DLNPU::R2).addReg(DLNPU::R3);
  }

  const Target& target;
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> asmInfo;
  std::unique_ptr<MCInstrInfo> instrs;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  MCContext context;
  std::unique_ptr<MCCodeEmitter> emitter;
  SmallVector<MCFixup, 4> fixups;
  std::string message;
};

} // namespace

TEST_F(BundleTest, WordsAndBundleBits) {
  const auto words =
      encode(bundle({add(1), MCInstBuilder(DLNPU::ADDI).addReg(DLNPU::R4).addReg(DLNPU::R5).addImm(-1)}));
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0] >> 63, 1u);
  EXPECT_EQ(words[1] >> 63, 0u);
  EXPECT_EQ(isa::toString(*isa::decode(words[0])), "add r1, r2, r3");
  EXPECT_EQ(isa::toString(*isa::decode(words[1])), "addi r4, r5, -1");
  EXPECT_EQ(encode(add(1)).size(), 1u);
}

TEST_F(BundleTest, FixupsPointAtTheirWord) {
  const MCExpr* symbol = MCSymbolRefExpr::create(context.getOrCreateSymbol("target"), context);
  const auto words = encode(bundle({add(1), MCInstBuilder(DLNPU::JMP).addExpr(symbol)}));
  ASSERT_EQ(words.size(), 2u);
  ASSERT_EQ(fixups.size(), 1u);
  EXPECT_EQ(fixups[0].getOffset(), 8u);
}

TEST_F(BundleTest, ConflictsAreRefused) {
  EXPECT_TRUE(encode(bundle({add(1), add(4), add(5)})).empty());
  EXPECT_NE(message.find("need the same slot (S0 or S1)"), std::string::npos) << message;
  EXPECT_TRUE(encode(bundle({add(1), add(1)})).empty());
  EXPECT_NE(message.find("both write r1"), std::string::npos) << message;
  EXPECT_TRUE(encode(bundle({})).empty());
  EXPECT_TRUE(encode(MCInstBuilder(DLNPU::ADJCALLSTACKDOWN).addImm(0).addImm(0)).empty());
  EXPECT_NE(message.find("no machine instruction"), std::string::npos) << message;
}

TEST_F(BundleTest, SlotsAreMatchedNotTakenGreedily) {
  // add may take S0 or S1; the later words leave it just one of them.
  const MCInst load = MCInstBuilder(DLNPU::LDD).addReg(DLNPU::R7).addReg(DLNPU::R8).addImm(0);
  const MCInst fadd = MCInstBuilder(DLNPU::FADD).addReg(DLNPU::R9).addReg(DLNPU::R2).addReg(DLNPU::R3);
  EXPECT_EQ(DLNPU::checkBundle(bundle({add(1), load}), *instrs), "");
  EXPECT_EQ(DLNPU::checkBundle(bundle({add(1), fadd}), *instrs), "");
  EXPECT_EQ(DLNPU::checkBundle(bundle({fadd, load}), *instrs), "");
  EXPECT_NE(DLNPU::checkBundle(bundle({fadd, load, add(1)}), *instrs), "");
}

TEST_F(BundleTest, ImmediatesAreRangeChecked) {
  EXPECT_TRUE(encode(MCInstBuilder(DLNPU::ADDI).addReg(DLNPU::R4).addReg(DLNPU::R5).addImm(1 << 23)).empty());
  EXPECT_NE(message.find("outside -8388608..8388607"), std::string::npos) << message;
}
