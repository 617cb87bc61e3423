// The MC half of the DLNPU target: registration and what the generated enums need.
//
// LLVM's own conventions hold here (namespace llvm, names fixed by its table generators).
#pragma once
#include "llvm/MC/MCInstrDesc.h"
#include <cstdint>
#include <memory>

namespace dlsim::isa {
struct InstrInfo;
}

namespace llvm {
class MCAsmBackend;
class MCCodeEmitter;
class MCContext;
class MCDisassembler;
class MCInstrInfo;
class MCObjectTargetWriter;
class MCRegisterInfo;
class MCSubtargetInfo;
class MCTargetOptions;
class Target;

Target& getTheDLNPUTarget();

MCCodeEmitter* createDLNPUMCCodeEmitter(const MCInstrInfo& instrs, MCContext& context);
MCAsmBackend* createDLNPUAsmBackend(const Target& target, const MCSubtargetInfo& subtarget,
                                    const MCRegisterInfo& registers, const MCTargetOptions& options);
std::unique_ptr<MCObjectTargetWriter> createDLNPUELFObjectWriter();

namespace DLNPU {

inline constexpr char kTriple[] = "dlnpu-unknown-unknown-elf";

// Also the text of the datalayout that IR for this target must carry.
inline constexpr char kDataLayout[] = "e-p:64:64-p6:64:64-i64:64-f32:32-n64-S64";

// ELF relocation types. S symbol, A addend, P address of the instruction word.
enum Relocation : unsigned {
  R_DLNPU_NONE = 0,
  R_DLNPU_64 = 1,    // data: S + A
  R_DLNPU_32 = 2,    // data: S + A, must fit (section offsets in debug information)
  R_DLNPU_PC24W = 3, // bits 23..0 of the word: (S + A - P) / 8
  R_DLNPU_LO32 = 4,  // bits 31..0 of the word (li): (S + A)[31:0]
  R_DLNPU_HI32 = 5,  // bits 31..0 of the word (lih): (S + A)[63:32]
};

// The simulator tables' description of an instruction; nullptr for pseudo instructions and LLVM's generic
// ones.
const dlsim::isa::InstrInfo* tableInfo(const MCInstrDesc& desc);

} // namespace DLNPU
} // namespace llvm

namespace dlsim::mc {
// Registers target, MC layer, assembler and disassembler with LLVM; any number of calls.
void registerTarget();
} // namespace dlsim::mc

extern "C" {
void LLVMInitializeDLNPUTargetInfo();
void LLVMInitializeDLNPUTargetMC();
void LLVMInitializeDLNPUAsmParser();
void LLVMInitializeDLNPUDisassembler();
}

#define GET_REGINFO_ENUM
#include "isa/mc/DLNPUGenRegisterInfo.inc"

#define GET_INSTRINFO_ENUM
#include "isa/mc/DLNPUGenInstrInfo.inc"

#define GET_SUBTARGETINFO_ENUM
#include "isa/mc/DLNPUGenSubtargetInfo.inc"
