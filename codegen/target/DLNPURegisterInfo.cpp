#include "DLNPURegisterInfo.h"
#include "DLNPU.h"
#include "DLNPUSubtarget.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/DiagnosticInfo.h"

#define DEBUG_TYPE "dlnpu-reg-info"
#define GET_REGINFO_TARGET_DESC
#include "DLNPUGenRegisterInfo.inc"

using namespace llvm;

DLNPURegisterInfo::DLNPURegisterInfo() : DLNPUGenRegisterInfo(DLNPU::R31) {}

const MCPhysReg* DLNPURegisterInfo::getCalleeSavedRegs(const MachineFunction* mf) const {
  return isDLNPUKernel(mf->getFunction()) ? CSR_Kernel_SaveList : CSR_DLNPU_SaveList;
}

const uint32_t* DLNPURegisterInfo::getCallPreservedMask(const MachineFunction&, CallingConv::ID) const {
  return CSR_DLNPU_RegMask;
}

BitVector DLNPURegisterInfo::getReservedRegs(const MachineFunction& mf) const {
  BitVector reserved(getNumRegs());
  reserved.set(DLNPU::R30);
  if (mf.getSubtarget().getFrameLowering()->hasFP(mf))
    reserved.set(DLNPU::R29);
  return reserved;
}

const TargetRegisterClass* DLNPURegisterInfo::getPointerRegClass(const MachineFunction&, unsigned) const {
  return &DLNPU::GPRRegClass;
}

bool DLNPURegisterInfo::eliminateFrameIndex(MachineBasicBlock::iterator it, int spAdjust, unsigned operand,
                                            RegScavenger*) const {
  MachineInstr& mi = *it;
  MachineFunction& mf = *mi.getMF();
  Register base;
  StackOffset reference = mf.getSubtarget().getFrameLowering()->getFrameIndexReference(
      mf, mi.getOperand(operand).getIndex(), base);
  int64_t offset = reference.getFixed() + mi.getOperand(operand + 1).getImm();
  if (base == DLNPU::R30)
    offset += spAdjust;
  if (!isInt<24>(offset)) {
    mf.getFunction().getContext().diagnose(DiagnosticInfoUnsupported(
        mf.getFunction(), "stack frame of more than 8 MiB; keep large arrays in global memory",
        mi.getDebugLoc()));
    offset = 0;
  }
  mi.getOperand(operand).ChangeToRegister(base, false);
  mi.getOperand(operand + 1).ChangeToImmediate(offset);
  return false;
}

Register DLNPURegisterInfo::getFrameRegister(const MachineFunction& mf) const {
  return mf.getSubtarget().getFrameLowering()->hasFP(mf) ? DLNPU::R29 : DLNPU::R30;
}
