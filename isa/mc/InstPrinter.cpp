#include "isa/mc/InstPrinter.h"
#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/tables/tables.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

#define DEBUG_TYPE "asm-printer"
#define PRINT_ALIAS_INSTR
#include "isa/mc/DLNPUGenAsmWriter.inc"

void DLNPUInstPrinter::printInst(const MCInst* inst, uint64_t address, StringRef annotation,
                                 const MCSubtargetInfo& subtarget, raw_ostream& os) {
  if (!DLNPU::isBundle(*inst)) {
    printInstruction(inst, address, os);
  } else {
    os << "\t{";
    for (const MCInst* word : DLNPU::bundleWords(*inst)) {
      os << "\n\t";
      printInstruction(word, address, os);
      address += dlsim::isa::kWordBytes;
    }
    os << "\n\t}";
  }
  printAnnotation(os, annotation);
}

void DLNPUInstPrinter::printRegName(raw_ostream& os, MCRegister reg) const { os << getRegisterName(reg); }

void DLNPUInstPrinter::printOperand(const MCInst* inst, unsigned index, raw_ostream& os) {
  const MCOperand& operand = inst->getOperand(index);
  if (operand.isReg())
    printRegName(os, operand.getReg());
  else if (operand.isImm())
    os << operand.getImm();
  else if (operand.isExpr())
    operand.getExpr()->print(os, &MAI);
  else
    os << "<operand of unknown kind>";
}

// Branch targets: a symbol, or the distance in words.
void DLNPUInstPrinter::printOperand(const MCInst* inst, uint64_t address, unsigned index, raw_ostream& os) {
  const MCOperand& operand = inst->getOperand(index);
  if (PrintBranchImmAsAddress && operand.isImm())
    os << formatHex(address + static_cast<uint64_t>(operand.getImm()) * dlsim::isa::kWordBytes);
  else
    printOperand(inst, index, os);
}

void DLNPUInstPrinter::printFlagPeer(const MCInst* inst, unsigned index, raw_ostream& os) {
  const MCOperand& operand = inst->getOperand(index);
  const int64_t unit = operand.isImm() ? operand.getImm() : -1;
  if (unit >= 0 && unit < dlsim::isa::kNumUnits) {
    const auto name = dlsim::isa::unitMnemonic(static_cast<dlsim::isa::Unit>(unit));
    os << StringRef(name.data(), name.size());
  } else {
    printOperand(inst, index, os);
  }
}
