// One parsed operand. The generated matcher fixes the class's name and its is/add functions.
#pragma once
#include "isa/tables/tables.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCParser/MCParsedAsmOperand.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {

class DLNPUOperand final : public MCParsedAsmOperand {
public:
  enum class Kind { Token, Reg, Imm, Unit };

  static std::unique_ptr<DLNPUOperand> token(StringRef text, SMLoc loc) {
    auto operand = std::make_unique<DLNPUOperand>(Kind::Token, loc, loc);
    operand->text_ = text;
    return operand;
  }
  static std::unique_ptr<DLNPUOperand> reg(MCRegister reg, SMLoc start, SMLoc end) {
    auto operand = std::make_unique<DLNPUOperand>(Kind::Reg, start, end);
    operand->reg_ = reg;
    return operand;
  }
  static std::unique_ptr<DLNPUOperand> imm(const MCExpr* value, SMLoc start, SMLoc end) {
    auto operand = std::make_unique<DLNPUOperand>(Kind::Imm, start, end);
    operand->value_ = value;
    return operand;
  }
  static std::unique_ptr<DLNPUOperand> unit(dlsim::isa::Unit unit, SMLoc loc) {
    auto operand = std::make_unique<DLNPUOperand>(Kind::Unit, loc, loc);
    operand->unit_ = unit;
    return operand;
  }

  DLNPUOperand(Kind kind, SMLoc start, SMLoc end) : kind_(kind), start_(start), end_(end) {}

  bool isToken() const override { return kind_ == Kind::Token; }
  bool isImm() const override { return kind_ == Kind::Imm; }
  bool isReg() const override { return kind_ == Kind::Reg; }
  bool isMem() const override { return false; }
  bool isFlagPeer() const { return kind_ == Kind::Unit; }
  MCRegister getReg() const override { return reg_; }
  StringRef getToken() const { return text_; }
  SMLoc getStartLoc() const override { return start_; }
  SMLoc getEndLoc() const override { return end_; }

  void addRegOperands(MCInst& inst, unsigned) const { inst.addOperand(MCOperand::createReg(reg_)); }
  void addImmOperands(MCInst& inst, unsigned) const {
    if (const auto* constant = dyn_cast<MCConstantExpr>(value_))
      inst.addOperand(MCOperand::createImm(constant->getValue()));
    else
      inst.addOperand(MCOperand::createExpr(value_));
  }
  void addFlagPeerOperands(MCInst& inst, unsigned) const {
    inst.addOperand(MCOperand::createImm(static_cast<int64_t>(unit_)));
  }

  void print(raw_ostream& os) const override {
    switch (kind_) {
    case Kind::Token:
      os << '\'' << text_ << '\'';
      break;
    case Kind::Reg:
      os << "register " << reg_.id();
      break;
    case Kind::Imm:
      os << *value_;
      break;
    case Kind::Unit:
      os << "unit " << static_cast<unsigned>(unit_);
      break;
    }
  }

private:
  Kind kind_;
  SMLoc start_, end_;
  StringRef text_;
  MCRegister reg_;
  const MCExpr* value_ = nullptr;
  dlsim::isa::Unit unit_ = dlsim::isa::Unit::S;
};

} // namespace llvm
