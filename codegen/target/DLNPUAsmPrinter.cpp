// Machine code to MC: one MCInst a bundle.
#include "DLNPU.h"
#include "DLNPUInstrInfo.h"
#include "isa/mc/DLNPUBundle.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

namespace {

class DLNPUAsmPrinter : public AsmPrinter {
public:
  DLNPUAsmPrinter(TargetMachine& machine, std::unique_ptr<MCStreamer> streamer)
      : AsmPrinter(machine, std::move(streamer)) {}
  StringRef getPassName() const override { return "DLNPU assembly printer"; }

  void emitInstruction(const MachineInstr* mi) override {
    if (!mi->isBundle()) {
      MCInst word;
      if (lower(*mi, word))
        EmitToStreamer(*OutStreamer, word);
      return;
    }
    MCInst bundle = DLNPU::makeBundle();
    for (auto it = std::next(mi->getIterator()); it != mi->getParent()->instr_end() && it->isInsideBundle();
         ++it) {
      MCInst word;
      if (lower(*it, word))
        DLNPU::addToBundle(OutContext, bundle, word);
    }
    EmitToStreamer(*OutStreamer, bundle);
  }

  bool PrintAsmOperand(const MachineInstr* mi, unsigned index, const char* modifier,
                       raw_ostream& out) override {
    const MachineOperand& operand = mi->getOperand(index);
    if (modifier && modifier[0])
      return AsmPrinter::PrintAsmOperand(mi, index, modifier, out);
    if (operand.isReg())
      out << "r" << TM.getMCRegisterInfo()->getEncodingValue(operand.getReg());
    else if (operand.isImm())
      out << operand.getImm();
    else
      return true;
    return false;
  }

private:
  MCOperand symbol(const MachineOperand& operand, const MCSymbol* target, int64_t offset) {
    const MCExpr* expr = MCSymbolRefExpr::create(target, OutContext);
    if (offset)
      expr = MCBinaryExpr::createAdd(expr, MCConstantExpr::create(offset, OutContext), OutContext);
    return MCOperand::createExpr(expr);
  }

  // No value for operands that the encoding does not have.
  std::optional<MCOperand> lowerOperand(const MachineOperand& operand) {
    switch (operand.getType()) {
    case MachineOperand::MO_Register:
      if (operand.isImplicit())
        return std::nullopt;
      return MCOperand::createReg(operand.getReg());
    case MachineOperand::MO_Immediate:
      return MCOperand::createImm(operand.getImm());
    case MachineOperand::MO_MachineBasicBlock:
      return symbol(operand, operand.getMBB()->getSymbol(), 0);
    case MachineOperand::MO_GlobalAddress:
      return symbol(operand, getSymbol(operand.getGlobal()), operand.getOffset());
    case MachineOperand::MO_ExternalSymbol:
      return symbol(operand, GetExternalSymbolSymbol(operand.getSymbolName()), operand.getOffset());
    case MachineOperand::MO_BlockAddress:
      return symbol(operand, GetBlockAddressSymbol(operand.getBlockAddress()), operand.getOffset());
    case MachineOperand::MO_ConstantPoolIndex:
      return symbol(operand, GetCPISymbol(operand.getIndex()), operand.getOffset());
    case MachineOperand::MO_JumpTableIndex:
      return symbol(operand, GetJTISymbol(operand.getIndex()), 0);
    default:
      return std::nullopt;
    }
  }

  bool lower(const MachineInstr& mi, MCInst& word) {
    if (mi.isMetaInstruction())
      return false;
    word.setOpcode(mi.getOpcode());
    for (const MachineOperand& operand : mi.operands())
      if (std::optional<MCOperand> lowered = lowerOperand(operand))
        word.addOperand(*lowered);
    return true;
  }
};

} // namespace

extern "C" void LLVMInitializeDLNPUAsmPrinter() {
  RegisterAsmPrinter<DLNPUAsmPrinter> registered(getTheDLNPUTarget());
}
