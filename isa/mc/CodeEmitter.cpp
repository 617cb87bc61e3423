// MCInst -> words. A bundle is emitted as a whole: bit 63 of every word but the last.
#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/mc/Fixups.h"
#include "isa/tables/tables.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/Support/EndianStream.h"

using namespace llvm;
namespace isa = dlsim::isa;

#define DEBUG_TYPE "mccodeemitter"

// The generated half of the class fixes its name and that it is in no anonymous namespace.
class DLNPUMCCodeEmitter final : public MCCodeEmitter {
public:
  DLNPUMCCodeEmitter(const MCInstrInfo& instrs, MCContext& context) : instrs_(instrs), context_(context) {}

  void encodeInstruction(const MCInst& inst, SmallVectorImpl<char>& bytes, SmallVectorImpl<MCFixup>& fixups,
                         const MCSubtargetInfo& subtarget) const override {
    if (report(inst, DLNPU::checkBundle(inst, instrs_)))
      return;
    const auto words = DLNPU::bundleWords(inst);
    for (size_t index = 0; index < words.size(); ++index) {
      if (report(*words[index], DLNPU::checkImmediates(*words[index], instrs_)))
        return;
      const size_t firstFixup = fixups.size();
      uint64_t bits = getBinaryCodeForInstr(*words[index], fixups, subtarget);
      for (size_t i = firstFixup; i < fixups.size(); ++i)
        fixups[i].setOffset(static_cast<uint32_t>(index * isa::kWordBytes));
      if (index + 1 < words.size())
        bits |= 1ULL << 63;
      support::endian::write<uint64_t>(bytes, bits, llvm::endianness::little);
    }
  }

  uint64_t getBinaryCodeForInstr(const MCInst& inst, SmallVectorImpl<MCFixup>& fixups,
                                 const MCSubtargetInfo& subtarget) const;

  uint64_t getMachineOpValue(const MCInst& inst, const MCOperand& operand, SmallVectorImpl<MCFixup>& fixups,
                             const MCSubtargetInfo&) const {
    if (operand.isReg())
      return context_.getRegisterInfo()->getEncodingValue(operand.getReg());
    if (operand.isImm())
      return static_cast<uint64_t>(operand.getImm());
    return addFixup(inst, operand, fixups);
  }

  uint64_t getBranchTarget(const MCInst& inst, unsigned index, SmallVectorImpl<MCFixup>& fixups,
                           const MCSubtargetInfo& subtarget) const {
    return getMachineOpValue(inst, inst.getOperand(index), fixups, subtarget);
  }

private:
  bool report(const MCInst& inst, const std::string& problem) const {
    if (!problem.empty())
      context_.reportError(inst.getLoc(), problem);
    return !problem.empty();
  }

  uint64_t addFixup(const MCInst& inst, const MCOperand& operand, SmallVectorImpl<MCFixup>& fixups) const {
    int64_t value = 0;
    if (operand.isExpr() && operand.getExpr()->evaluateAsAbsolute(value)) {
      MCInst constant = inst; // a symbol set to a number: the last operand
      constant.getOperand(constant.getNumOperands() - 1) = MCOperand::createImm(value);
      return report(constant, DLNPU::checkImmediates(constant, instrs_)) ? 0 : static_cast<uint64_t>(value);
    }
    const isa::InstrInfo* info = DLNPU::tableInfo(instrs_.get(inst.getOpcode()));
    unsigned kind = 0;
    switch (info && operand.isExpr() ? info->immKind : isa::ImmKind::None) {
    case isa::ImmKind::Branch:
      kind = DLNPU::fixup_pc24w;
      break;
    case isa::ImmKind::S32:
      kind = DLNPU::fixup_lo32;
      break;
    case isa::ImmKind::U32:
      kind = DLNPU::fixup_hi32;
      break;
    default:
      context_.reportError(inst.getLoc(),
                           "'" + instrs_.getName(inst.getOpcode()) +
                               "' takes a number here; only branches, li and lih take a symbol");
      return 0;
    }
    fixups.push_back(MCFixup::create(0, operand.getExpr(), MCFixupKind(kind), inst.getLoc()));
    return 0;
  }

  const MCInstrInfo& instrs_;
  MCContext& context_;
};

#include "isa/mc/DLNPUGenMCCodeEmitter.inc"

MCCodeEmitter* llvm::createDLNPUMCCodeEmitter(const MCInstrInfo& instrs, MCContext& context) {
  return new DLNPUMCCodeEmitter(instrs, context);
}
