#pragma once

#include "llvm/CodeGen/TargetRegisterInfo.h"

#define GET_REGINFO_HEADER
#include "DLNPUGenRegisterInfo.inc"

namespace llvm {

class DLNPURegisterInfo : public DLNPUGenRegisterInfo {
public:
  DLNPURegisterInfo();

  const MCPhysReg* getCalleeSavedRegs(const MachineFunction* mf) const override;
  const uint32_t* getCallPreservedMask(const MachineFunction& mf, CallingConv::ID) const override;
  BitVector getReservedRegs(const MachineFunction& mf) const override;
  const TargetRegisterClass* getPointerRegClass(const MachineFunction&, unsigned = 0) const override;
  bool eliminateFrameIndex(MachineBasicBlock::iterator it, int spAdjust, unsigned operand,
                           RegScavenger* scavenger) const override;
  Register getFrameRegister(const MachineFunction& mf) const override;
};

} // namespace llvm
