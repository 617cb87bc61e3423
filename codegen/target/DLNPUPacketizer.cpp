// Forms bundles after register allocation with LLVM's packetizer and the DFA of the slots.
#include "DLNPU.h"
#include "DLNPUBundleRules.h"
#include "DLNPUInstrInfo.h"
#include "DLNPUSubtarget.h"
#include "llvm/CodeGen/DFAPacketizer.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/ScheduleDAG.h"

using namespace llvm;

bool llvm::orderAllowsSharedBundle(const MachineInstr& first, const MachineInstr& second) {
  auto bound = [](const MachineInstr& mi) {
    return DLNPUInstrInfo::isSequencerSync(mi) || mi.isInlineAsm() || mi.getOpcode() == DLNPU::TRAP;
  };
  if (bound(first) || bound(second))
    return false;
  return DLNPUInstrInfo::isCommand(first) || DLNPUInstrInfo::isCommand(second);
}

namespace {

class DLNPUPacketizerList : public VLIWPacketizerList {
public:
  using VLIWPacketizerList::VLIWPacketizerList;

  bool isSoloInstruction(const MachineInstr& mi) override { return mi.isInlineAsm(); }
  bool ignorePseudoInstruction(const MachineInstr& mi, const MachineBasicBlock*) override {
    return mi.isMetaInstruction();
  }

  // The source line of a bundle is that of its first command: commands are what profiles and faults are
  // about.
  void endPacket(MachineBasicBlock* block, MachineBasicBlock::iterator end) override {
    MachineInstr* command = nullptr;
    for (MachineInstr* mi : CurrentPacketMIs)
      if (!command && DLNPUInstrInfo::isCommand(*mi))
        command = mi;
    VLIWPacketizerList::endPacket(block, end);
    if (command && command->isBundledWithPred() && command->getDebugLoc())
      getBundleStart(command->getIterator())->setDebugLoc(command->getDebugLoc());
  }

  // `later` is about to join a bundle that holds `earlier`. All registers are read before any is written, so
  // a later write of a register that an earlier word reads is fine.
  bool isLegalToPacketizeTogether(SUnit* later, SUnit* earlier) override {
    for (const SDep& dep : earlier->Succs) {
      if (dep.getSUnit() != later)
        continue;
      if (dep.getKind() == SDep::Data || dep.getKind() == SDep::Output)
        return false;
      if (dep.getKind() == SDep::Order && !orderAllowsSharedBundle(*earlier->getInstr(), *later->getInstr()))
        return false;
    }
    return true;
  }
};

class DLNPUPacketizer : public MachineFunctionPass {
public:
  static char ID;
  DLNPUPacketizer() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "DLNPU packetizer"; }
  void getAnalysisUsage(AnalysisUsage& usage) const override {
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction& mf) override {
    const TargetInstrInfo& info = *mf.getSubtarget().getInstrInfo();
    DLNPUPacketizerList packetizer(mf, getAnalysis<MachineLoopInfoWrapperPass>().getLI(), nullptr);
    for (MachineBasicBlock& block : mf) {
      dropMarkers(block);
      auto begin = block.begin();
      while (begin != block.end()) {
        auto end = begin;
        while (end != block.end() && !info.isSchedulingBoundary(*end, &block, mf))
          ++end;
        if (end != block.end())
          ++end;
        packetizer.PacketizeMIs(&block, begin, end);
        begin = end;
      }
    }
    return true;
  }

private:
  // KILL and IMPLICIT_DEF have done their work and would only sit between words.
  static void dropMarkers(MachineBasicBlock& block) {
    for (MachineInstr& mi : make_early_inc_range(block))
      if (mi.isKill() || mi.isImplicitDef())
        mi.eraseFromParent();
  }
};
char DLNPUPacketizer::ID;

} // namespace

FunctionPass* llvm::createDLNPUPacketizer() { return new DLNPUPacketizer(); }
