// Prints MCInsts as assembly text that the assembler reads back; a bundle of several words in braces.
#pragma once
#include "llvm/MC/MCInstPrinter.h"

namespace llvm {

class DLNPUInstPrinter final : public MCInstPrinter {
public:
  using MCInstPrinter::MCInstPrinter;

  void printInst(const MCInst* inst, uint64_t address, StringRef annotation, const MCSubtargetInfo& subtarget,
                 raw_ostream& os) override;
  void printRegName(raw_ostream& os, MCRegister reg) const override;
  std::pair<const char*, uint64_t> getMnemonic(const MCInst* inst) override;

  // Generated from the .td files.
  void printInstruction(const MCInst* inst, uint64_t address, raw_ostream& os);
  bool printAliasInstr(const MCInst* inst, uint64_t address, raw_ostream& os);
  static const char* getRegisterName(MCRegister reg);

private:
  void printOperand(const MCInst* inst, unsigned index, raw_ostream& os);
  void printOperand(const MCInst* inst, uint64_t address, unsigned index, raw_ostream& os);
  void printFlagPeer(const MCInst* inst, unsigned index, raw_ostream& os);
};

} // namespace llvm
