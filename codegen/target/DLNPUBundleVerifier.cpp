// Checks every bundle from the rules of the ISA, not from the packetizer's data, and counts.
#include "CodegenReport.h"
#include "DLNPU.h"
#include "DLNPUBundleRules.h"
#include "DLNPUInstrInfo.h"
#include "DLNPUSubtarget.h"
#include "DLNPUTargetMachine.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;
using dlsim::codegen::FunctionFrame;
using dlsim::codegen::LoopOccupancy;

namespace {

using Words = SmallVector<const MachineInstr*, 8>;

class DLNPUBundleVerifier : public MachineFunctionPass {
  DLNPUTargetMachine* machine = nullptr;

public:
  static char ID;
  DLNPUBundleVerifier() : MachineFunctionPass(ID) {}
  explicit DLNPUBundleVerifier(DLNPUTargetMachine& target) : MachineFunctionPass(ID), machine(&target) {}
  StringRef getPassName() const override { return "DLNPU bundle verifier"; }
  void getAnalysisUsage(AnalysisUsage& usage) const override {
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction& mf) override;

private:
  static Words wordsOf(const MachineInstr& mi);
  static std::string checkSlots(const Words& words, const DLNPUSubtarget& subtarget);
  static std::string checkHazards(const Words& words, const TargetRegisterInfo& registers);
  static void count(const Words& words, const MachineInstr& mi, LoopOccupancy& loop);
  static FunctionFrame frameOf(const MachineFunction& mf);
};
char DLNPUBundleVerifier::ID;

Words DLNPUBundleVerifier::wordsOf(const MachineInstr& mi) {
  Words words;
  if (!mi.isBundle()) {
    if (!mi.isMetaInstruction())
      words.push_back(&mi);
    return words;
  }
  for (auto it = std::next(mi.getIterator()); it != mi.getParent()->instr_end() && it->isInsideBundle(); ++it)
    if (!it->isMetaInstruction())
      words.push_back(&*it);
  return words;
}

// Words with one choice of slot first, then the ones that may take either scalar slot.
std::string DLNPUBundleVerifier::checkSlots(const Words& words, const DLNPUSubtarget& subtarget) {
  uint64_t used = 0;
  unsigned either = 0;
  for (const MachineInstr* mi : words) {
    if (mi->isInlineAsm())
      return words.size() == 1 ? "" : "inline assembly in a bundle";
    const InstrStage* stage = subtarget.getInstrItineraryData()->beginStage(mi->getDesc().getSchedClass());
    uint64_t units = stage->getUnits();
    if (isPowerOf2_64(units)) {
      if (used & units)
        return "two words in one slot";
      used |= units;
    } else {
      ++either;
    }
  }
  unsigned scalarSlots = 2; // S0 and S1 are the two lowest units
  if (either + unsigned(popcount(used & 3)) > scalarSlots)
    return "more than two scalar words";
  return "";
}

std::string DLNPUBundleVerifier::checkHazards(const Words& words, const TargetRegisterInfo& registers) {
  SmallVector<MCRegister, 8> written;
  auto overlaps = [&](MCRegister reg) {
    return any_of(written, [&](MCRegister other) { return registers.regsOverlap(reg, other); });
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const MachineInstr& mi = *words[i];
    if ((mi.isBranch() || mi.isCall() || mi.isReturn()) && i + 1 != words.size())
      return "a branch that is not the last word";
    for (const MachineOperand& operand : mi.operands())
      if (operand.isReg() && operand.getReg() && operand.readsReg() && overlaps(operand.getReg()))
        return "a word reads " + std::string(registers.getName(operand.getReg())) +
               ", which the same bundle writes";
    for (const MachineOperand& operand : mi.operands())
      if (operand.isReg() && operand.isDef() && operand.getReg()) {
        if (overlaps(operand.getReg()))
          return "two words write " + std::string(registers.getName(operand.getReg()));
        written.push_back(operand.getReg());
      }
    if (words.size() > 1 && DLNPUInstrInfo::isSequencerSync(mi))
      for (const MachineInstr* other : words)
        if (other != &mi && (other->hasUnmodeledSideEffects() || other->mayLoadOrStore()))
          return "a flag of the scalar unit or a full barrier beside a word that is ordered with it";
  }
  return "";
}

void DLNPUBundleVerifier::count(const Words& words, const MachineInstr& mi, LoopOccupancy& loop) {
  ++loop.bundles;
  loop.words += unsigned(words.size());
  for (const MachineInstr* word : words)
    loop.commands += DLNPUInstrInfo::isCommand(*word);
  if (loop.line)
    return;
  if (const DILocation* location = mi.getDebugLoc().get()) {
    loop.file = location->getFilename().str();
    loop.line = location->getLine();
  }
}

FunctionFrame DLNPUBundleVerifier::frameOf(const MachineFunction& mf) {
  FunctionFrame frame;
  frame.function = mf.getName().str();
  frame.bytes = mf.getFrameInfo().getStackSize();
  frame.dynamic = mf.getFrameInfo().hasVarSizedObjects();
  for (const MachineBasicBlock& block : mf)
    for (auto it = block.instr_begin(); it != block.instr_end(); ++it)
      if (it->isCall() && !it->isBundle() && !it->isInlineAsm()) {
        const MachineOperand& callee = it->getOperand(0);
        frame.callees.push_back(callee.isGlobal()   ? callee.getGlobal()->getName().str()
                                : callee.isSymbol() ? callee.getSymbolName()
                                                    : "");
      }
  return frame;
}

bool DLNPUBundleVerifier::runOnMachineFunction(MachineFunction& mf) {
  const auto& subtarget = mf.getSubtarget<DLNPUSubtarget>();
  MachineLoopInfo& loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  std::vector<std::pair<const MachineLoop*, LoopOccupancy>> found;
  for (const MachineBasicBlock& block : mf) {
    const MachineLoop* loop = loops.getLoopFor(&block);
    auto it = find_if(found, [&](const auto& entry) { return entry.first == loop; });
    if (it == found.end()) {
      it = found.emplace(found.end(), loop, LoopOccupancy());
      it->second.function = mf.getName().str();
      it->second.depth = loop ? loop->getLoopDepth() : 0;
    }
    for (const MachineInstr& mi : block) {
      Words words = wordsOf(mi);
      if (words.empty())
        continue;
      count(words, mi, it->second);
      std::string problem = checkSlots(words, subtarget);
      if (problem.empty())
        problem = checkHazards(words, *subtarget.getRegisterInfo());
      if (!problem.empty())
        mf.getFunction().getContext().emitError("internal error: bundle in '" + mf.getName() +
                                                "': " + problem);
    }
  }
  if (auto* report = machine ? machine->codegenReport() : nullptr) {
    for (auto& entry : found)
      report->loops.push_back(std::move(entry.second));
    report->frames.push_back(frameOf(mf));
  }
  return false;
}

} // namespace

FunctionPass* llvm::createDLNPUBundleVerifier(DLNPUTargetMachine& machine) {
  return new DLNPUBundleVerifier(machine);
}
