// Asm backend, ELF object writer and ELF streamer.
#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/mc/ELFStreamer.h"
#include "isa/mc/Fixups.h"
#include "isa/tables/tables.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCELFObjectWriter.h"
#include "llvm/MC/MCELFStreamer.h"
#include "llvm/MC/MCFixupKindInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCValue.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
namespace isa = dlsim::isa;

namespace {

class DLNPUELFObjectWriter final : public MCELFObjectTargetWriter {
public:
  DLNPUELFObjectWriter()
      : MCELFObjectTargetWriter(/*Is64Bit=*/true, ELF::ELFOSABI_NONE, isa::kElfMachine,
                                /*HasRelocationAddend=*/true) {}

  unsigned getRelocType(MCContext& context, const MCValue&, const MCFixup& fixup,
                        bool pcRelative) const override {
    switch (static_cast<unsigned>(fixup.getKind())) {
    case DLNPU::fixup_pc24w:
      return DLNPU::R_DLNPU_PC24W;
    case DLNPU::fixup_lo32:
      return DLNPU::R_DLNPU_LO32;
    case DLNPU::fixup_hi32:
      return DLNPU::R_DLNPU_HI32;
    case FK_Data_8:
      if (!pcRelative)
        return DLNPU::R_DLNPU_64;
      break;
    case FK_Data_4:
      if (!pcRelative)
        return DLNPU::R_DLNPU_32;
      break;
    default:
      break;
    }
    context.reportError(fixup.getLoc(),
                        "no relocation exists for this expression; use a 4- or 8-byte absolute symbol, "
                        "or a difference of two symbols of one section");
    return DLNPU::R_DLNPU_NONE;
  }
};

class DLNPUAsmBackend final : public MCAsmBackend {
public:
  DLNPUAsmBackend() : MCAsmBackend(llvm::endianness::little) {}

  std::unique_ptr<MCObjectTargetWriter> createObjectTargetWriter() const override {
    return createDLNPUELFObjectWriter();
  }

  unsigned getNumFixupKinds() const override { return DLNPU::kNumFixups; }

  const MCFixupKindInfo& getFixupKindInfo(MCFixupKind kind) const override {
    static const MCFixupKindInfo infos[DLNPU::kNumFixups] = {
        {"fixup_dlnpu_pc24w", 0, 24, MCFixupKindInfo::FKF_IsPCRel},
        {"fixup_dlnpu_lo32", 0, 32, 0},
        {"fixup_dlnpu_hi32", 0, 32, 0},
    };
    if (kind < FirstTargetFixupKind)
      return MCAsmBackend::getFixupKindInfo(kind);
    return infos[kind - FirstTargetFixupKind];
  }

  void applyFixup(const MCAssembler& assembler, const MCFixup& fixup, const MCValue&,
                  MutableArrayRef<char> data, uint64_t value, bool resolved,
                  const MCSubtargetInfo*) const override {
    char* place = data.data() + fixup.getOffset();
    const unsigned kind = fixup.getKind();
    if (kind < FirstTargetFixupKind) {
      for (unsigned i = 0; i < getFixupKindInfo(fixup.getKind()).TargetSize / 8; ++i)
        place[i] = static_cast<char>(place[i] | static_cast<char>(value >> 8 * i));
      return;
    }
    if (!resolved)
      return; // RELA: the addend is in the relocation
    uint64_t word = support::endian::read64le(place);
    if (kind == DLNPU::fixup_pc24w)
      word |= branchField(assembler, fixup, static_cast<int64_t>(value));
    else
      word |= kind == DLNPU::fixup_lo32 ? value & 0xffffffff : value >> 32;
    support::endian::write64le(place, word);
  }

  unsigned getMinimumNopSize() const override { return isa::kWordBytes; }

  bool writeNopData(raw_ostream& os, uint64_t count, const MCSubtargetInfo*) const override {
    if (count % isa::kWordBytes)
      return false;
    os.write_zeros(static_cast<unsigned>(count)); // nop is the zero word
    return true;
  }

private:
  static uint64_t branchField(const MCAssembler& assembler, const MCFixup& fixup, int64_t distance) {
    if (distance % static_cast<int64_t>(isa::kWordBytes))
      assembler.getContext().reportError(fixup.getLoc(), "branch target is not at a multiple of 8 bytes");
    else if (!isInt<24>(distance / isa::kWordBytes))
      assembler.getContext().reportError(fixup.getLoc(), "branch target is more than 2^23 words away");
    return static_cast<uint64_t>(distance / static_cast<int64_t>(isa::kWordBytes)) & 0xffffff;
  }
};

class DLNPUELFStreamer final : public MCELFStreamer {
public:
  using MCELFStreamer::MCELFStreamer;

  void emitInstruction(const MCInst& inst, const MCSubtargetInfo& subtarget) override {
    // The base class looks only at direct operands.
    if (DLNPU::isBundle(inst))
      for (const MCInst* word : DLNPU::bundleWords(inst))
        for (const MCOperand& operand : *word)
          if (operand.isExpr())
            visitUsedExpr(*operand.getExpr());
    MCELFStreamer::emitInstruction(inst, subtarget);
  }
};

} // namespace

std::unique_ptr<MCObjectTargetWriter> llvm::createDLNPUELFObjectWriter() {
  return std::make_unique<DLNPUELFObjectWriter>();
}

MCAsmBackend* llvm::createDLNPUAsmBackend(const Target&, const MCSubtargetInfo&, const MCRegisterInfo&,
                                          const MCTargetOptions&) {
  return new DLNPUAsmBackend;
}

MCStreamer* llvm::createDLNPUELFStreamer(const Triple&, MCContext& context,
                                         std::unique_ptr<MCAsmBackend>&& backend,
                                         std::unique_ptr<MCObjectWriter>&& writer,
                                         std::unique_ptr<MCCodeEmitter>&& emitter) {
  return new DLNPUELFStreamer(context, std::move(backend), std::move(writer), std::move(emitter));
}
