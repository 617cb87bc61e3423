#include "DLNPUFrameLowering.h"
#include "DLNPU.h"
#include "DLNPUSubtarget.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/RegisterScavenging.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

static const DLNPUInstrInfo& instrInfo(const MachineFunction& mf) {
  return *mf.getSubtarget<DLNPUSubtarget>().getInstrInfo();
}

static void addToRegister(MachineBasicBlock& block, MachineBasicBlock::iterator at, Register to,
                          Register from, int64_t amount, MachineInstr::MIFlag flag) {
  const DLNPUInstrInfo& info = instrInfo(*block.getParent());
  if (amount == 0 && to == from)
    return;
  if (!isInt<24>(amount)) {
    const Function& function = block.getParent()->getFunction();
    function.getContext().diagnose(DiagnosticInfoUnsupported(
        function, "stack frame of more than 8 MiB; keep large arrays in global memory"));
    amount = 0;
  }
  BuildMI(block, at, DebugLoc(), info.get(DLNPU::ADDI), to).addReg(from).addImm(amount).setMIFlag(flag);
}

bool DLNPUFrameLowering::hasFP(const MachineFunction& mf) const {
  const MachineFrameInfo& frame = mf.getFrameInfo();
  return frame.hasVarSizedObjects() || frame.isFrameAddressTaken() ||
         mf.getTarget().Options.DisableFramePointerElim(mf) ||
         mf.getSubtarget().getRegisterInfo()->hasStackRealignment(mf);
}

bool DLNPUFrameLowering::hasReservedCallFrame(const MachineFunction& mf) const {
  return !mf.getFrameInfo().hasVarSizedObjects();
}

void DLNPUFrameLowering::determineCalleeSaves(MachineFunction& mf, BitVector& saved,
                                              RegScavenger* scavenger) const {
  TargetFrameLowering::determineCalleeSaves(mf, saved, scavenger);
  if (hasFP(mf) && !isDLNPUKernel(mf.getFunction()))
    saved.set(DLNPU::R29);
}

// The entry value of r30 is r29 when there is a frame pointer; callee-saved registers then lie below r29.
void DLNPUFrameLowering::emitPrologue(MachineFunction& mf, MachineBasicBlock& block) const {
  MachineFrameInfo& frame = mf.getFrameInfo();
  uint64_t size = alignTo(frame.getStackSize(), getStackAlign());
  frame.setStackSize(size);
  MachineBasicBlock::iterator at = block.begin();
  addToRegister(block, at, DLNPU::R30, DLNPU::R30, -int64_t(size), MachineInstr::FrameSetup);
  if (!hasFP(mf))
    return;
  // After the callee-saved stores, r29 among them.
  std::advance(at, frame.getCalleeSavedInfo().size());
  addToRegister(block, at, DLNPU::R29, DLNPU::R30, int64_t(size), MachineInstr::FrameSetup);
  if (mf.getSubtarget().getRegisterInfo()->hasStackRealignment(mf)) {
    if (frame.hasVarSizedObjects())
      mf.getFunction().getContext().diagnose(DiagnosticInfoUnsupported(
          mf.getFunction(), "a local aligned to more than 8 bytes together with an alloca of run-time size"));
    int64_t mask = -int64_t(frame.getMaxAlign().value());
    BuildMI(block, at, DebugLoc(), instrInfo(mf).get(DLNPU::ANDI), DLNPU::R30)
        .addReg(DLNPU::R30)
        .addImm(mask)
        .setMIFlag(MachineInstr::FrameSetup);
  }
}

void DLNPUFrameLowering::emitEpilogue(MachineFunction& mf, MachineBasicBlock& block) const {
  if (isDLNPUKernel(mf.getFunction()))
    return; // nothing runs after a kernel
  int64_t size = int64_t(mf.getFrameInfo().getStackSize());
  MachineBasicBlock::iterator at = block.getFirstTerminator();
  // A restored return address must be there before `ret` reads it.
  bool restored = any_of(mf.getFrameInfo().getCalleeSavedInfo(),
                         [](const CalleeSavedInfo& info) { return info.getReg() == DLNPU::R31; });
  if (restored && at != block.end())
    for (MachineOperand& operand : at->implicit_operands())
      if (operand.getReg() == DLNPU::R31)
        operand.setIsUndef(false);
  MachineBasicBlock::iterator restore =
      std::prev(at, ptrdiff_t(mf.getFrameInfo().getCalleeSavedInfo().size()));
  // The callee-saved registers are addressed from r30, which a dynamic allocation has moved.
  if (hasFP(mf))
    addToRegister(block, restore, DLNPU::R30, DLNPU::R29, -size, MachineInstr::FrameDestroy);
  addToRegister(block, at, DLNPU::R30, DLNPU::R30, size, MachineInstr::FrameDestroy);
}

MachineBasicBlock::iterator
DLNPUFrameLowering::eliminateCallFramePseudoInstr(MachineFunction& mf, MachineBasicBlock& block,
                                                  MachineBasicBlock::iterator at) const {
  int64_t amount = at->getOperand(0).getImm();
  if (!hasReservedCallFrame(mf) && amount != 0) {
    if (at->getOpcode() == DLNPU::ADJCALLSTACKDOWN)
      amount = -amount;
    addToRegister(block, at, DLNPU::R30, DLNPU::R30, alignTo(amount, 8), MachineInstr::NoFlags);
  }
  return block.erase(at);
}

StackOffset DLNPUFrameLowering::getFrameIndexReference(const MachineFunction& mf, int index,
                                                       Register& base) const {
  const MachineFrameInfo& frame = mf.getFrameInfo();
  int64_t offset = frame.getObjectOffset(index); // from r30 at entry
  bool realigned = mf.getSubtarget().getRegisterInfo()->hasStackRealignment(mf);
  bool saved = false;
  for (const CalleeSavedInfo& info : frame.getCalleeSavedInfo())
    saved |= !info.isSpilledToReg() && info.getFrameIdx() == index;
  // Registers are saved and restored while r30 is the entry value minus the frame. All else goes by the frame
  // pointer if there is one, except locals of a realigned frame, whose distance from it is not known.
  if (!saved && hasFP(mf) && (frame.isFixedObjectIndex(index) || !realigned)) {
    base = DLNPU::R29;
    return StackOffset::getFixed(offset);
  }
  base = DLNPU::R30;
  return StackOffset::getFixed(offset + int64_t(frame.getStackSize()));
}
