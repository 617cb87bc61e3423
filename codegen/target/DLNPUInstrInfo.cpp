#include "DLNPUInstrInfo.h"
#include "DLNPU.h"
#include "DLNPUSubtarget.h"
#include "llvm/CodeGen/DFAPacketizer.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineMemOperand.h"

#define DEBUG_TYPE "dlnpu-instr-info"
#define GET_INSTRINFO_CTOR_DTOR
#define GET_INSTRINFO_SCHED_ENUM
#include "DLNPUGenInstrInfo.inc"

using namespace llvm;

#include "DLNPUGenDFAPacketizer.inc"

DLNPUInstrInfo::DLNPUInstrInfo() : DLNPUGenInstrInfo(DLNPU::ADJCALLSTACKDOWN, DLNPU::ADJCALLSTACKUP) {}

void DLNPUInstrInfo::copyPhysReg(MachineBasicBlock& block, MachineBasicBlock::iterator at,
                                 const DebugLoc& loc, MCRegister to, MCRegister from, bool kill) const {
  BuildMI(block, at, loc, get(DLNPU::MOV), to).addReg(from, getKillRegState(kill));
}

static MachineMemOperand* slotAccess(MachineFunction& mf, int slot, MachineMemOperand::Flags flags) {
  MachineFrameInfo& frame = mf.getFrameInfo();
  return mf.getMachineMemOperand(MachinePointerInfo::getFixedStack(mf, slot), flags,
                                 frame.getObjectSize(slot), frame.getObjectAlign(slot));
}

static DebugLoc locAt(MachineBasicBlock& block, MachineBasicBlock::iterator at) {
  return at != block.end() ? at->getDebugLoc() : DebugLoc();
}

void DLNPUInstrInfo::storeRegToStackSlot(MachineBasicBlock& block, MachineBasicBlock::iterator at,
                                         Register from, bool kill, int slot, const TargetRegisterClass*,
                                         const TargetRegisterInfo*, Register) const {
  BuildMI(block, at, locAt(block, at), get(DLNPU::STD))
      .addReg(from, getKillRegState(kill))
      .addFrameIndex(slot)
      .addImm(0)
      .addMemOperand(slotAccess(*block.getParent(), slot, MachineMemOperand::MOStore));
}

void DLNPUInstrInfo::loadRegFromStackSlot(MachineBasicBlock& block, MachineBasicBlock::iterator at,
                                          Register to, int slot, const TargetRegisterClass*,
                                          const TargetRegisterInfo*, Register) const {
  BuildMI(block, at, locAt(block, at), get(DLNPU::LDD), to)
      .addFrameIndex(slot)
      .addImm(0)
      .addMemOperand(slotAccess(*block.getParent(), slot, MachineMemOperand::MOLoad));
}

static bool isSlotAccess(const MachineInstr& mi, unsigned opcode, int& slot) {
  if (mi.getOpcode() != opcode || !mi.getOperand(1).isFI() || !mi.getOperand(2).isImm() ||
      mi.getOperand(2).getImm() != 0)
    return false;
  slot = mi.getOperand(1).getIndex();
  return true;
}

Register DLNPUInstrInfo::isLoadFromStackSlot(const MachineInstr& mi, int& slot) const {
  return isSlotAccess(mi, DLNPU::LDD, slot) ? mi.getOperand(0).getReg() : Register();
}

Register DLNPUInstrInfo::isStoreToStackSlot(const MachineInstr& mi, int& slot) const {
  return isSlotAccess(mi, DLNPU::STD, slot) ? mi.getOperand(0).getReg() : Register();
}

// ---- Branches. A condition is {opcode, register}. ------------------------------------

static bool isConditional(unsigned opcode) { return opcode == DLNPU::BNZ || opcode == DLNPU::BEZ; }

bool DLNPUInstrInfo::analyzeBranch(MachineBasicBlock& block, MachineBasicBlock*& yes, MachineBasicBlock*& no,
                                   SmallVectorImpl<MachineOperand>& cond, bool allowModify) const {
  yes = no = nullptr;
  cond.clear();
  SmallVector<MachineInstr*, 4> branches;
  for (MachineInstr& mi : block.terminators())
    if (!mi.isDebugInstr())
      branches.push_back(&mi);
  // What follows the first unconditional branch is never reached.
  for (size_t i = 0; i < branches.size(); ++i)
    if (branches[i]->getOpcode() == DLNPU::JMP) {
      if (allowModify)
        for (size_t k = i + 1; k < branches.size(); ++k)
          branches[k]->eraseFromParent();
      branches.resize(i + 1);
    }
  if (branches.empty())
    return false;
  MachineInstr* last = branches.back();
  if (branches.size() == 1 && last->getOpcode() == DLNPU::JMP) {
    yes = last->getOperand(0).getMBB();
    return false;
  }
  MachineInstr* first = branches.front();
  if (branches.size() > 2 || !isConditional(first->getOpcode()))
    return true;
  if (branches.size() == 2) {
    if (last->getOpcode() != DLNPU::JMP)
      return true;
    no = last->getOperand(0).getMBB();
  }
  yes = first->getOperand(1).getMBB();
  cond.push_back(MachineOperand::CreateImm(first->getOpcode()));
  cond.push_back(first->getOperand(0));
  cond[1].setIsKill(false);
  return false;
}

unsigned DLNPUInstrInfo::removeBranch(MachineBasicBlock& block, int* bytes) const {
  unsigned count = 0;
  for (auto it = block.getLastNonDebugInstr(); it != block.end(); it = block.getLastNonDebugInstr()) {
    if (it->getOpcode() != DLNPU::JMP && !isConditional(it->getOpcode()))
      break;
    it->eraseFromParent();
    ++count;
  }
  if (bytes)
    *bytes = int(count * 8);
  return count;
}

unsigned DLNPUInstrInfo::insertBranch(MachineBasicBlock& block, MachineBasicBlock* yes, MachineBasicBlock* no,
                                      ArrayRef<MachineOperand> cond, const DebugLoc& loc, int* bytes) const {
  unsigned count = 1;
  if (cond.empty())
    BuildMI(&block, loc, get(DLNPU::JMP)).addMBB(yes);
  else
    BuildMI(&block, loc, get(unsigned(cond[0].getImm()))).addReg(cond[1].getReg()).addMBB(yes);
  if (no) {
    BuildMI(&block, loc, get(DLNPU::JMP)).addMBB(no);
    ++count;
  }
  if (bytes)
    *bytes = int(count * 8);
  return count;
}

bool DLNPUInstrInfo::reverseBranchCondition(SmallVectorImpl<MachineOperand>& cond) const {
  cond[0].setImm(cond[0].getImm() == DLNPU::BNZ ? DLNPU::BEZ : DLNPU::BNZ);
  return false;
}

bool DLNPUInstrInfo::isBranchOffsetInRange(unsigned, int64_t offset) const { return isInt<27>(offset); }

unsigned DLNPUInstrInfo::getInstSizeInBytes(const MachineInstr& mi) const {
  if (mi.isBundle()) {
    unsigned words = 0;
    for (auto it = std::next(mi.getIterator()); it != mi.getParent()->instr_end() && it->isInsideBundle();
         ++it)
      words += it->isMetaInstruction() ? 0 : 1;
    return words * 8;
  }
  return mi.isMetaInstruction() ? 0 : get(mi.getOpcode()).getSize();
}

DFAPacketizer* DLNPUInstrInfo::CreateTargetScheduleState(const TargetSubtargetInfo& subtarget) const {
  return static_cast<const DLNPUSubtarget&>(subtarget).createDFAPacketizer(subtarget.getInstrItineraryData());
}

// ---- What an instruction is to the bundle rules ---------------------------------------

bool DLNPUInstrInfo::isCommand(const MachineInstr& mi) {
  switch (mi.getDesc().getSchedClass()) {
  case DLNPU::Sched::IIMTE1:
  case DLNPU::Sched::IIMTE2:
  case DLNPU::Sched::IIMTE3:
  case DLNPU::Sched::IIFIX:
  case DLNPU::Sched::IIM:
  case DLNPU::Sched::IIV:
    return true;
  default:
    return false;
  }
}

bool DLNPUInstrInfo::isSequencerSync(const MachineInstr& mi) {
  return mi.getDesc().getSchedClass() == DLNPU::Sched::IIScalarSync;
}
