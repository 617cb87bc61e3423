// Costs for the IR optimiser: scalars only, everything unlisted as LLVM's defaults.
#pragma once

#include "DLNPUTargetMachine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/BasicTTIImpl.h"

namespace llvm {

class DLNPUTTIImpl : public BasicTTIImplBase<DLNPUTTIImpl> {
  using BaseT = BasicTTIImplBase<DLNPUTTIImpl>;
  friend BaseT;
  const DLNPUSubtarget* subtarget;
  const DLNPUTargetLowering* lowering;
  const DLNPUSubtarget* getST() const { return subtarget; }
  const DLNPUTargetLowering* getTLI() const { return lowering; }

public:
  DLNPUTTIImpl(const DLNPUTargetMachine* machine, const Function& function)
      : BaseT(machine, function.getDataLayout()), subtarget(machine->getSubtargetImpl(function)),
        lowering(subtarget->getTargetLowering()) {}

  unsigned getNumberOfRegisters(unsigned) const { return 28; }
  TypeSize getRegisterBitWidth(TargetTransformInfo::RegisterKind) const { return TypeSize::getFixed(64); }
  TargetTransformInfo::PopcntSupportKind getPopcntSupport(unsigned) const {
    return TargetTransformInfo::PSK_Software;
  }
  // One `li`, or `li` and `lih`.
  InstructionCost getIntImmCost(const APInt& imm, Type*, TargetTransformInfo::TargetCostKind) const {
    return imm.isZero() ? 0 : imm.getSignificantBits() <= 32 ? 1 : 2;
  }
  void getUnrollingPreferences(Loop*, ScalarEvolution&,
                               TargetTransformInfo::UnrollingPreferences& preferences,
                               OptimizationRemarkEmitter*) {
    preferences.Partial = preferences.Runtime = false; // the instruction cache is small and commands dominate
    preferences.Threshold = 100;
  }
  uint64_t getMaxMemIntrinsicInlineSizeThreshold() const { return inlineMemoryBytes; }
  // memcpy and memset become loops of the widest access that the alignment allows.
  Type* getMemcpyLoopLoweringType(LLVMContext& context, Value*, unsigned, unsigned, unsigned sourceAlign,
                                  unsigned destAlign, std::optional<uint32_t> = std::nullopt) const {
    return IntegerType::get(context, 8 * std::min({sourceAlign, destAlign, 8u}));
  }
};

} // namespace llvm
