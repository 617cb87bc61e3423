// Words -> MCInst. getInstruction decodes a whole bundle; a single word becomes a plain MCInst.
#include "isa/mc/DLNPUBundle.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "isa/tables/tables.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDecoderOps.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
namespace isa = dlsim::isa;
using DecodeStatus = MCDisassembler::DecodeStatus;

#define DEBUG_TYPE "dlnpu-disassembler"

static DecodeStatus DecodeGPRRegisterClass(MCInst& inst, uint64_t number, uint64_t, const MCDisassembler*) {
  if (number >= isa::kNumRegs)
    return MCDisassembler::Fail;
  inst.addOperand(MCOperand::createReg(static_cast<unsigned>(DLNPU::R0 + number)));
  return MCDisassembler::Success;
}

template <unsigned Width>
static DecodeStatus decodeSImm(MCInst& inst, uint64_t bits, uint64_t, const MCDisassembler*) {
  inst.addOperand(MCOperand::createImm(SignExtend64<Width>(bits)));
  return MCDisassembler::Success;
}

static DecodeStatus decodeBranchTarget(MCInst& inst, uint64_t bits, uint64_t address,
                                       const MCDisassembler* decoder) {
  return decodeSImm<24>(inst, bits, address, decoder);
}

static DecodeStatus decodeFlagPeer(MCInst& inst, uint64_t unit, uint64_t, const MCDisassembler*) {
  if (unit >= isa::kNumUnits)
    return MCDisassembler::Fail;
  inst.addOperand(MCOperand::createImm(static_cast<int64_t>(unit)));
  return MCDisassembler::Success;
}

#include "isa/mc/DLNPUGenDisassemblerTables.inc"

namespace {

class DLNPUDisassembler final : public MCDisassembler {
public:
  DLNPUDisassembler(const MCSubtargetInfo& subtarget, MCContext& context, const MCInstrInfo* instrs)
      : MCDisassembler(subtarget, context), instrs_(instrs) {}

  DecodeStatus getInstruction(MCInst& inst, uint64_t& size, ArrayRef<uint8_t> bytes, uint64_t address,
                              raw_ostream&) const override {
    MCInst bundle = DLNPU::makeBundle();
    size = std::min<uint64_t>(isa::kWordBytes, bytes.size());
    for (unsigned index = 0; index < DLNPU::kMaxBundleWords; ++index) {
      const uint64_t offset = index * isa::kWordBytes;
      if (bytes.size() < offset + isa::kWordBytes)
        return Fail;
      const uint64_t word = support::endian::read64le(bytes.data() + offset);
      const bool last = word >> 63 == 0;
      MCInst decoded;
      if (!decodeWord(decoded, word & ~(1ULL << 63), address + offset))
        return Fail;
      if (last && index == 0) {
        inst = decoded;
        return Success;
      }
      DLNPU::addToBundle(getContext(), bundle, decoded);
      if (last)
        return finish(inst, size, bundle, offset + isa::kWordBytes);
    }
    return Fail; // more words than slots
  }

private:
  bool decodeWord(MCInst& inst, uint64_t word, uint64_t address) const {
    // Immediate bits that no field names are zero, which the generated decoder does not know.
    const isa::InstrInfo* info = isa::lookup(static_cast<uint16_t>(word >> 54));
    if (!info || (word & ~info->varBits) != info->fixedBits)
      return false;
    return decodeInstruction(DecoderTableDLNPU64, inst, word, address, this, STI) == Success;
  }

  DecodeStatus finish(MCInst& inst, uint64_t& size, const MCInst& bundle, uint64_t bytes) const {
    if (!DLNPU::checkBundle(bundle, *instrs_).empty())
      return Fail;
    inst = bundle;
    size = bytes;
    return Success;
  }

  std::unique_ptr<const MCInstrInfo> instrs_;
};

MCDisassembler* createDisassembler(const Target& target, const MCSubtargetInfo& subtarget,
                                   MCContext& context) {
  return new DLNPUDisassembler(subtarget, context, target.createMCInstrInfo());
}

} // namespace

extern "C" void LLVMInitializeDLNPUDisassembler() {
  TargetRegistry::RegisterMCDisassembler(getTheDLNPUTarget(), createDisassembler);
}
