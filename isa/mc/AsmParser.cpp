// Assembly text -> MCInst.
//
//   add r1, r2, r3                          a bundle of one word
//   { mte2.copy.l1 r1, r2, r3, r4, r5, r6 ; addi r2, r2, 64 }
//   v.cast r1, r2, r3, from=f16, to=f32     an immediate by its fields; left out, it is 0
//   set_flag.mte2 mte1, 3
#include "isa/mc/AsmOperand.h"
#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmLexer.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
namespace isa = dlsim::isa;

#define DEBUG_TYPE "asm-parser"

static MCRegister MatchRegisterName(StringRef name);

// The generated half of the class fixes its name and that it is in no anonymous namespace.
class DLNPUAsmParser final : public MCTargetAsmParser {
#define GET_ASSEMBLER_HEADER
#include "isa/mc/DLNPUGenAsmMatcher.inc"

public:
  DLNPUAsmParser(const MCSubtargetInfo& subtarget, MCAsmParser& parser, const MCInstrInfo& instrs,
                 const MCTargetOptions& options)
      : MCTargetAsmParser(options, subtarget, instrs) {
    MCAsmParserExtension::Initialize(parser);
    setAvailableFeatures(ComputeAvailableFeatures(subtarget.getFeatureBits()));
  }

  bool ParseInstruction(ParseInstructionInfo& info, StringRef name, SMLoc loc,
                        OperandVector& operands) override;
  bool MatchAndEmitInstruction(SMLoc loc, unsigned& opcode, OperandVector& operands, MCStreamer& out,
                               uint64_t& errorInfo, bool matchingInlineAsm) override;
  bool parseRegister(MCRegister& reg, SMLoc& start, SMLoc& end) override;
  ParseStatus tryParseRegister(MCRegister& reg, SMLoc& start, SMLoc& end) override;
  ParseStatus parseDirective(AsmToken directive) override;
  void doBeforeLabelEmit(MCSymbol* symbol, SMLoc loc) override;
  void onEndOfFile() override;

private:
  ParseStatus parseFlagPeer(OperandVector& operands);
  bool parseOperands(StringRef mnemonic, OperandVector& operands);
  bool parseOperand(OperandVector& operands, StringRef mnemonic);
  bool parseFields(OperandVector& operands, const isa::InstrInfo& info);
  bool parseFieldValue(const isa::Field& field, int64_t& value);
  void addOmittedImmediate(OperandVector& operands, StringRef mnemonic);
  bool endOfWord() { return getTok().is(AsmToken::EndOfStatement) || getTok().is(AsmToken::RCurly); }

  bool matchWord(SMLoc loc, OperandVector& operands, uint64_t& errorInfo, bool matchingInlineAsm,
                 MCInst& word);
  bool reportMismatch(unsigned result, SMLoc loc, OperandVector& operands, uint64_t errorInfo,
                      const FeatureBitset& missing);
  bool checkSection(SMLoc loc, const MCInst& word, MCStreamer& out);
  bool openBundle(SMLoc loc);
  bool closeBundle(SMLoc loc, MCStreamer& out);

  bool inBundle_ = false;
  SMLoc bundleLoc_;
  MCInst bundle_;
};

#define GET_REGISTER_MATCHER
#define GET_SUBTARGET_FEATURE_NAME
#define GET_MATCHER_IMPLEMENTATION
#include "isa/mc/DLNPUGenAsmMatcher.inc"

bool DLNPUAsmParser::parseRegister(MCRegister& reg, SMLoc& start, SMLoc& end) {
  if (tryParseRegister(reg, start, end).isSuccess())
    return false;
  return Error(start, "expected a register r0..r31");
}

ParseStatus DLNPUAsmParser::tryParseRegister(MCRegister& reg, SMLoc& start, SMLoc& end) {
  const AsmToken& token = getTok();
  start = token.getLoc();
  end = token.getEndLoc();
  if (token.isNot(AsmToken::Identifier))
    return ParseStatus::NoMatch;
  reg = MatchRegisterName(token.getIdentifier().lower());
  if (!reg)
    return ParseStatus::NoMatch;
  Lex();
  return ParseStatus::Success;
}

ParseStatus DLNPUAsmParser::parseFlagPeer(OperandVector& operands) {
  const AsmToken token = getTok();
  if (token.isNot(AsmToken::Identifier))
    return Error(token.getLoc(), "expected a unit: s, mte1, mte2, mte3, fix, m or v");
  const std::string name = token.getIdentifier().lower();
  const auto unit = isa::unitByName(name);
  if (!unit)
    return Error(token.getLoc(), "'" + name + "' is no unit; expected s, mte1, mte2, mte3, fix, m or v");
  Lex();
  operands.push_back(DLNPUOperand::unit(*unit, token.getLoc()));
  return ParseStatus::Success;
}

bool DLNPUAsmParser::ParseInstruction(ParseInstructionInfo&, StringRef name, SMLoc loc,
                                      OperandVector& operands) {
  operands.push_back(DLNPUOperand::token(name, loc));
  if (name == "{")
    return false; // the first word may follow on this line
  if (name != "}" && parseOperands(name, operands))
    return true;
  if (getTok().is(AsmToken::RCurly))
    return false; // closes the bundle as a statement of its own
  if (getTok().isNot(AsmToken::EndOfStatement))
    return Error(getTok().getLoc(), "unexpected text after the operands");
  Lex();
  return false;
}

bool DLNPUAsmParser::parseOperands(StringRef mnemonic, OperandVector& operands) {
  while (!endOfWord()) {
    if (parseOperand(operands, mnemonic))
      return true;
    const AsmToken& token = getTok();
    if (token.is(AsmToken::Comma))
      Lex();
    else if (token.isNot(AsmToken::RBrac) && !endOfWord())
      return Error(token.getLoc(), "expected ',' between operands");
  }
  addOmittedImmediate(operands, mnemonic);
  return false;
}

bool DLNPUAsmParser::parseOperand(OperandVector& operands, StringRef mnemonic) {
  const AsmToken token = getTok();
  if (token.is(AsmToken::LBrac) || token.is(AsmToken::RBrac)) {
    const bool open = token.is(AsmToken::LBrac);
    Lex();
    operands.push_back(DLNPUOperand::token(open ? "[" : "]", token.getLoc()));
    return open ? parseOperand(operands, mnemonic) : false;
  }
  const ParseStatus custom = MatchOperandParserImpl(operands, mnemonic, /*ParseForAllFeatures=*/true);
  if (!custom.isNoMatch())
    return custom.isFailure();
  MCRegister reg;
  SMLoc start, end;
  if (tryParseRegister(reg, start, end).isSuccess()) {
    operands.push_back(DLNPUOperand::reg(reg, start, end));
    return false;
  }
  const isa::InstrInfo* info = isa::lookup(std::string_view(mnemonic.data(), mnemonic.size()));
  if (info && token.is(AsmToken::Identifier) && getLexer().peekTok().is(AsmToken::Equal))
    return parseFields(operands, *info);
  const MCExpr* value = nullptr;
  if (getParser().parseExpression(value, end))
    return true;
  operands.push_back(DLNPUOperand::imm(value, start, end));
  return false;
}

// name=value, name=value, ... : the rest of the operands.
bool DLNPUAsmParser::parseFields(OperandVector& operands, const isa::InstrInfo& info) {
  const SMLoc start = getTok().getLoc();
  uint64_t imm = 0, given = 0;
  do {
    if (getTok().is(AsmToken::Comma))
      Lex();
    const AsmToken name = getTok();
    const StringRef text = name.getString();
    const isa::Field* field = info.immFields.find(std::string_view(text.data(), text.size()));
    if (!field) {
      std::string known;
      for (const isa::Field& f : info.immFields)
        known += (known.empty() ? "" : ", ") + std::string(f.name);
      return Error(name.getLoc(), "'" + std::string(info.mnemonic) + "' has no immediate field '" + text +
                                      "'; it has " + (known.empty() ? "none" : known));
    }
    const uint64_t mask = isa::lowBits(field->width) << field->low;
    if (given & mask)
      return Error(name.getLoc(), "field '" + text + "' is given twice");
    given |= mask;
    Lex();
    if (parseToken(AsmToken::Equal, "expected '=' after the name of a field"))
      return true;
    int64_t value = 0;
    if (parseFieldValue(*field, value))
      return true;
    imm |= static_cast<uint64_t>(value) << field->low;
  } while (getTok().is(AsmToken::Comma));
  operands.push_back(DLNPUOperand::imm(MCConstantExpr::create(static_cast<int64_t>(imm), getContext()), start,
                                       getTok().getLoc()));
  return false;
}

// A number, or for dtypes their name.
bool DLNPUAsmParser::parseFieldValue(const isa::Field& field, int64_t& value) {
  const AsmToken token = getTok();
  if (token.is(AsmToken::Identifier)) {
    const StringRef text = token.getIdentifier();
    if (const auto dtype = isa::dtypeByName(std::string_view(text.data(), text.size()));
        dtype && field.width == 4) {
      Lex();
      value = static_cast<int64_t>(*dtype);
      return false;
    }
  }
  if (getParser().parseAbsoluteExpression(value))
    return true;
  if (value < 0 || static_cast<uint64_t>(value) > isa::lowBits(field.width))
    return Error(token.getLoc(), "value " + Twine(value) + " does not fit the " +
                                     Twine(unsigned{field.width}) + "-bit field '" + std::string(field.name) +
                                     "'");
  return false;
}

void DLNPUAsmParser::addOmittedImmediate(OperandVector& operands, StringRef mnemonic) {
  const isa::InstrInfo* info = isa::lookup(std::string_view(mnemonic.data(), mnemonic.size()));
  if (info && info->immKind == isa::ImmKind::U24 && info->numRegs > 0 &&
      operands.size() == 1u + info->numRegs && info->numDefs == 0 && operands.back()->isReg())
    operands.push_back(
        DLNPUOperand::imm(MCConstantExpr::create(0, getContext()), getTok().getLoc(), getTok().getLoc()));
}

bool DLNPUAsmParser::reportMismatch(unsigned result, SMLoc loc, OperandVector& operands, uint64_t errorInfo,
                                    const FeatureBitset& missing) {
  const StringRef mnemonic = static_cast<DLNPUOperand&>(*operands[0]).getToken();
  switch (result) {
  case Match_MissingFeature: {
    std::string text = "'" + mnemonic.str() + "' needs";
    const char* separator = " ";
    for (unsigned i = 0; i < missing.size(); ++i)
      if (missing[i]) {
        text += separator + std::string(getSubtargetFeatureName(i));
        separator = " and ";
      }
    return Error(loc, text);
  }
  case Match_MnemonicFail:
    return Error(loc, "there is no instruction '" + mnemonic + "'");
  case Match_InvalidOperand: {
    if (errorInfo == ~0ULL)
      return Error(loc, "invalid operands of '" + mnemonic + "'");
    if (errorInfo >= operands.size())
      return Error(loc, "too few operands for '" + mnemonic + "'");
    const isa::InstrInfo* info = isa::lookup(std::string_view(mnemonic.data(), mnemonic.size()));
    std::string expected;
    if (info && errorInfo <= info->numRegs && info->immKind != isa::ImmKind::Flag)
      expected = ": expected a register";
    return Error(operands[errorInfo]->getStartLoc(), "invalid operand of '" + mnemonic + "'" + expected);
  }
  default:
    return Error(loc, "invalid operands of '" + mnemonic + "'");
  }
}

bool DLNPUAsmParser::matchWord(SMLoc loc, OperandVector& operands, uint64_t& errorInfo,
                               bool matchingInlineAsm, MCInst& word) {
  FeatureBitset missing;
  const unsigned result = MatchInstructionImpl(operands, word, errorInfo, missing, matchingInlineAsm);
  if (result != Match_Success)
    return reportMismatch(result, loc, operands, errorInfo, missing);
  word.setLoc(loc);
  const std::string problem = DLNPU::checkImmediates(word, MII);
  return problem.empty() ? false : Error(operands.back()->getStartLoc(), problem);
}

// The section's name says which kind of core will run it.
bool DLNPUAsmParser::checkSection(SMLoc loc, const MCInst& word, MCStreamer& out) {
  const auto* section = dyn_cast_or_null<MCSectionELF>(out.getCurrentSectionOnly());
  const isa::InstrInfo* info = DLNPU::tableInfo(MII.get(word.getOpcode()));
  if (!section || !info)
    return false;
  const StringRef name = section->getName();
  if (name.starts_with(".text.aic") && info->core == isa::CoreKind::AIV)
    return Error(loc, "'" + std::string(info->mnemonic) + "' needs a vector core, " + name +
                          " runs on a cube core");
  if (name.starts_with(".text.aiv") && info->core == isa::CoreKind::AIC)
    return Error(loc, "'" + std::string(info->mnemonic) + "' needs a cube core, " + name +
                          " runs on a vector core");
  return false;
}

bool DLNPUAsmParser::openBundle(SMLoc loc) {
  if (inBundle_)
    return Error(loc, "bundles do not nest: close the one before with '}'");
  inBundle_ = true;
  bundleLoc_ = loc;
  bundle_ = DLNPU::makeBundle();
  return false;
}

bool DLNPUAsmParser::closeBundle(SMLoc loc, MCStreamer& out) {
  if (!inBundle_)
    return Error(loc, "'}' without '{'");
  inBundle_ = false;
  if (bundle_.getNumOperands() == 0)
    return Error(bundleLoc_, "a bundle holds at least one instruction");
  if (const std::string conflict = DLNPU::checkBundle(bundle_, MII); !conflict.empty())
    return Error(bundleLoc_, conflict);
  // With -g, a bundle over several lines belongs to that of its '{'.
  if (getContext().getGenDwarfForAssembly())
    out.emitDwarfLocDirective(getContext().getGenDwarfFileNumber(),
                              getSourceManager().FindLineNumber(bundleLoc_), 0, DWARF2_FLAG_IS_STMT, 0, 0,
                              StringRef());
  bundle_.setLoc(bundleLoc_);
  out.emitInstruction(bundle_.getNumOperands() == 1 ? *bundle_.getOperand(0).getInst() : bundle_, getSTI());
  return false;
}

bool DLNPUAsmParser::MatchAndEmitInstruction(SMLoc loc, unsigned& opcode, OperandVector& operands,
                                             MCStreamer& out, uint64_t& errorInfo, bool matchingInlineAsm) {
  const auto& first = static_cast<DLNPUOperand&>(*operands[0]);
  if (first.getToken() == "{")
    return openBundle(loc);
  if (first.getToken() == "}")
    return closeBundle(loc, out);
  MCInst word;
  if (matchWord(loc, operands, errorInfo, matchingInlineAsm, word) || checkSection(loc, word, out))
    return true;
  opcode = word.getOpcode();
  if (inBundle_)
    DLNPU::addToBundle(getContext(), bundle_, word);
  else
    out.emitInstruction(word, getSTI());
  return false;
}

ParseStatus DLNPUAsmParser::parseDirective(AsmToken directive) {
  if (inBundle_)
    return Error(directive.getLoc(), "directive inside a bundle: close it with '}' first");
  return ParseStatus::NoMatch;
}

void DLNPUAsmParser::doBeforeLabelEmit(MCSymbol* symbol, SMLoc loc) {
  if (inBundle_)
    Error(loc,
          "label '" + symbol->getName() + "' inside a bundle: only the start of a bundle can be branched to");
}

void DLNPUAsmParser::onEndOfFile() {
  if (inBundle_)
    Error(bundleLoc_, "this bundle is not closed: '}' is missing");
}

extern "C" void LLVMInitializeDLNPUAsmParser() {
  const RegisterMCAsmParser<DLNPUAsmParser> registration(getTheDLNPUTarget());
}
