#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/mc/ELFStreamer.h"
#include "isa/mc/InstPrinter.h"
#include "isa/tables/tables.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/MC/MCAsmInfoELF.h"
#include "llvm/MC/MCDwarf.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include <mutex>

using namespace llvm;

#define GET_REGINFO_MC_DESC
#include "isa/mc/DLNPUGenRegisterInfo.inc"

#define GET_INSTRINFO_MC_DESC
#include "isa/mc/DLNPUGenInstrInfo.inc"

#define GET_SUBTARGETINFO_MC_DESC
#include "isa/mc/DLNPUGenSubtargetInfo.inc"

namespace {

class DLNPUMCAsmInfo final : public MCAsmInfoELF {
public:
  DLNPUMCAsmInfo() {
    CodePointerSize = CalleeSaveStackSlotSize = 8;
    MinInstAlignment = dlsim::isa::kWordBytes;
    MaxInstLength = dlsim::isa::kNumSlots * dlsim::isa::kWordBytes;
    CommentString = "//";
    SeparatorString = ";";
    SupportsDebugInformation = true;
    UsesELFSectionDirectiveForBSS = true;
  }
};

// Lets disassemblers resolve branch targets.
class DLNPUInstrAnalysis final : public MCInstrAnalysis {
public:
  using MCInstrAnalysis::MCInstrAnalysis;

  // addr is that of the word itself; a target is in words from there.
  bool evaluateBranch(const MCInst& inst, uint64_t addr, uint64_t, uint64_t& target) const override {
    const auto* info = DLNPU::tableInfo(Info->get(inst.getOpcode()));
    if (!info || info->immKind != dlsim::isa::ImmKind::Branch)
      return false;
    const MCOperand& operand = inst.getOperand(inst.getNumOperands() - 1);
    if (!operand.isImm())
      return false;
    target = addr + static_cast<uint64_t>(operand.getImm()) * dlsim::isa::kWordBytes;
    return true;
  }
};

MCAsmInfo* createAsmInfo(const MCRegisterInfo& registers, const Triple&, const MCTargetOptions&) {
  auto* info = new DLNPUMCAsmInfo;
  const unsigned sp = registers.getDwarfRegNum(DLNPU::R30, true);
  info->addInitialFrameState(MCCFIInstruction::cfiDefCfa(nullptr, sp, 0));
  return info;
}

MCInstrInfo* createInstrInfo() {
  auto* info = new MCInstrInfo;
  InitDLNPUMCInstrInfo(info);
  return info;
}

MCRegisterInfo* createRegisterInfo(const Triple&) {
  auto* info = new MCRegisterInfo;
  InitDLNPUMCRegisterInfo(info, DLNPU::R31);
  return info;
}

// Without a processor both core kinds are allowed.
MCSubtargetInfo* createSubtargetInfo(const Triple& triple, StringRef cpu, StringRef features) {
  const StringRef name = cpu.empty() ? "generic" : cpu;
  return createDLNPUMCSubtargetInfoImpl(triple, name, name, features);
}

MCInstPrinter* createInstPrinter(const Triple&, unsigned, const MCAsmInfo& asmInfo, const MCInstrInfo& instrs,
                                 const MCRegisterInfo& registers) {
  return new DLNPUInstPrinter(asmInfo, instrs, registers);
}

MCInstrAnalysis* createInstrAnalysis(const MCInstrInfo* info) { return new DLNPUInstrAnalysis(info); }

} // namespace

Target& llvm::getTheDLNPUTarget() {
  static Target target;
  return target;
}

const dlsim::isa::InstrInfo* DLNPU::tableInfo(const MCInstrDesc& desc) {
  if (desc.getOpcode() <= TargetOpcode::GENERIC_OP_END || desc.isPseudo())
    return nullptr;
  return dlsim::isa::lookup(static_cast<uint16_t>(desc.TSFlags & 0x1ff));
}

extern "C" void LLVMInitializeDLNPUTargetInfo() {
  // The triple's architecture is unknown to LLVM, so the target is found by name or as the one for unknown
  // ones.
  TargetRegistry::RegisterTarget(getTheDLNPUTarget(), "dlnpu", "DLNPU neural processor (AIC and AIV cores)",
                                 "DLNPU", [](Triple::ArchType arch) { return arch == Triple::UnknownArch; });
}

extern "C" void LLVMInitializeDLNPUTargetMC() {
  Target& target = getTheDLNPUTarget();
  TargetRegistry::RegisterMCAsmInfo(target, createAsmInfo);
  TargetRegistry::RegisterMCInstrInfo(target, createInstrInfo);
  TargetRegistry::RegisterMCRegInfo(target, createRegisterInfo);
  TargetRegistry::RegisterMCSubtargetInfo(target, createSubtargetInfo);
  TargetRegistry::RegisterMCInstPrinter(target, createInstPrinter);
  TargetRegistry::RegisterMCInstrAnalysis(target, createInstrAnalysis);
  TargetRegistry::RegisterMCCodeEmitter(target, createDLNPUMCCodeEmitter);
  TargetRegistry::RegisterMCAsmBackend(target, createDLNPUAsmBackend);
  TargetRegistry::RegisterELFStreamer(target, createDLNPUELFStreamer);
}

void dlsim::mc::registerTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeDLNPUTargetInfo();
    LLVMInitializeDLNPUTargetMC();
    LLVMInitializeDLNPUAsmParser();
    LLVMInitializeDLNPUDisassembler();
  });
}
