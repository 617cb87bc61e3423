// Stack frames. The stack lies in global memory, one a core, and grows down; r30 is its pointer.
//
//   incoming stack arguments   <- r30 at entry, r29 if a frame pointer is needed
//   callee-saved registers, locals, spills
//   outgoing stack arguments   <- r30
#pragma once

#include "llvm/CodeGen/TargetFrameLowering.h"

namespace llvm {

class DLNPUFrameLowering : public TargetFrameLowering {
public:
  DLNPUFrameLowering() : TargetFrameLowering(StackGrowsDown, Align(8), 0, Align(8)) {}

  void emitPrologue(MachineFunction& mf, MachineBasicBlock& block) const override;
  void emitEpilogue(MachineFunction& mf, MachineBasicBlock& block) const override;
  bool hasFP(const MachineFunction& mf) const override;
  bool hasReservedCallFrame(const MachineFunction& mf) const override;
  void determineCalleeSaves(MachineFunction& mf, BitVector& saved, RegScavenger* scavenger) const override;
  MachineBasicBlock::iterator eliminateCallFramePseudoInstr(MachineFunction& mf, MachineBasicBlock& block,
                                                            MachineBasicBlock::iterator at) const override;
  StackOffset getFrameIndexReference(const MachineFunction& mf, int index, Register& base) const override;
};

} // namespace llvm
