#pragma once

#include "DLNPURegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"

#define GET_INSTRINFO_HEADER
#include "DLNPUGenInstrInfo.inc"

namespace llvm {

class DLNPUSubtarget;

class DLNPUInstrInfo : public DLNPUGenInstrInfo {
  DLNPURegisterInfo registerInfo;

public:
  DLNPUInstrInfo();
  const DLNPURegisterInfo& getRegisterInfo() const { return registerInfo; }

  void copyPhysReg(MachineBasicBlock& block, MachineBasicBlock::iterator at, const DebugLoc& loc,
                   MCRegister to, MCRegister from, bool kill) const override;
  void storeRegToStackSlot(MachineBasicBlock& block, MachineBasicBlock::iterator at, Register from, bool kill,
                           int slot, const TargetRegisterClass* cls, const TargetRegisterInfo*,
                           Register) const override;
  void loadRegFromStackSlot(MachineBasicBlock& block, MachineBasicBlock::iterator at, Register to, int slot,
                            const TargetRegisterClass* cls, const TargetRegisterInfo*,
                            Register) const override;
  Register isLoadFromStackSlot(const MachineInstr& mi, int& slot) const override;
  Register isStoreToStackSlot(const MachineInstr& mi, int& slot) const override;

  bool analyzeBranch(MachineBasicBlock& block, MachineBasicBlock*& yes, MachineBasicBlock*& no,
                     SmallVectorImpl<MachineOperand>& cond, bool allowModify) const override;
  unsigned removeBranch(MachineBasicBlock& block, int* bytes) const override;
  unsigned insertBranch(MachineBasicBlock& block, MachineBasicBlock* yes, MachineBasicBlock* no,
                        ArrayRef<MachineOperand> cond, const DebugLoc& loc, int* bytes) const override;
  bool reverseBranchCondition(SmallVectorImpl<MachineOperand>& cond) const override;
  bool isBranchOffsetInRange(unsigned opcode, int64_t offset) const override;
  unsigned getInstSizeInBytes(const MachineInstr& mi) const override;

  DFAPacketizer* CreateTargetScheduleState(const TargetSubtargetInfo& subtarget) const override;

  /// The unit whose queue holds the instruction, as the index of its slot's functional unit mask; scalar
  /// instructions, also those of the scalar unit's flags, give 0.
  static bool isCommand(const MachineInstr& mi);
  /// Holds or observes the sequencer itself: nothing ordered with it may share its bundle.
  static bool isSequencerSync(const MachineInstr& mi);
};

} // namespace llvm
