// Instruction selection: patterns of DLNPUCodeGen.td, commands by their opcode.
#include "DLNPU.h"
#include "DLNPUISelLowering.h"
#include "DLNPUSubtarget.h"
#include "DLNPUTargetMachine.h"
#include "llvm/CodeGen/SelectionDAGISel.h"

#define DEBUG_TYPE "dlnpu-isel"

using namespace llvm;

namespace {

class DLNPUDAGToDAGISel : public SelectionDAGISel {
  const DLNPUSubtarget* Subtarget = nullptr; // name fixed by the generated predicates

public:
  DLNPUDAGToDAGISel(DLNPUTargetMachine& machine, CodeGenOptLevel level) : SelectionDAGISel(machine, level) {}

  bool runOnMachineFunction(MachineFunction& mf) override {
    Subtarget = &mf.getSubtarget<DLNPUSubtarget>();
    return SelectionDAGISel::runOnMachineFunction(mf);
  }

private:
#include "DLNPUGenDAGISel.inc"

  void Select(SDNode* node) override {
    if (node->isMachineOpcode()) {
      node->setNodeId(-1);
      return;
    }
    if (node->getOpcode() == DLNPUISD::COMMAND)
      return selectCommand(node);
    if (node->getOpcode() == ISD::FrameIndex)
      return selectFrameIndex(node);
    SelectCode(node);
  }

  void selectCommand(SDNode* node) {
    unsigned opcode = unsigned(cast<ConstantSDNode>(node->getOperand(1))->getZExtValue());
    SmallVector<SDValue, 8> operands(node->op_begin() + 2, node->op_end());
    operands.push_back(node->getOperand(0));
    ReplaceNode(node, CurDAG->getMachineNode(opcode, SDLoc(node), node->getVTList(), operands));
  }

  void selectFrameIndex(SDNode* node) {
    SDLoc loc(node);
    SDValue slot = CurDAG->getTargetFrameIndex(cast<FrameIndexSDNode>(node)->getIndex(), MVT::i64);
    SDValue zero = CurDAG->getTargetConstant(0, loc, MVT::i64);
    ReplaceNode(node, CurDAG->getMachineNode(DLNPU::ADDI, loc, MVT::i64, slot, zero));
  }

  SDValue addressBase(SDValue base) {
    if (auto* slot = dyn_cast<FrameIndexSDNode>(base))
      return CurDAG->getTargetFrameIndex(slot->getIndex(), MVT::i64);
    return base;
  }

  // Base and 24-bit signed offset; every address has this form.
  bool selectAddr(SDValue address, SDValue& base, SDValue& offset) {
    SDLoc loc(address);
    if (CurDAG->isBaseWithConstantOffset(address)) {
      int64_t value = cast<ConstantSDNode>(address.getOperand(1))->getSExtValue();
      if (isInt<24>(value)) {
        base = addressBase(address.getOperand(0));
        offset = CurDAG->getTargetConstant(value, loc, MVT::i64);
        return true;
      }
    }
    base = addressBase(address);
    offset = CurDAG->getTargetConstant(0, loc, MVT::i64);
    return true;
  }

  bool SelectInlineAsmMemoryOperand(const SDValue& op, InlineAsm::ConstraintCode,
                                    std::vector<SDValue>& out) override {
    SDValue base, offset;
    selectAddr(op, base, offset);
    out.push_back(base);
    out.push_back(offset);
    return false;
  }
};

class DLNPUDAGToDAGISelLegacy : public SelectionDAGISelLegacy {
public:
  static char ID;
  DLNPUDAGToDAGISelLegacy(DLNPUTargetMachine& machine, CodeGenOptLevel level)
      : SelectionDAGISelLegacy(ID, std::make_unique<DLNPUDAGToDAGISel>(machine, level)) {}
  StringRef getPassName() const override { return "DLNPU instruction selection"; }
};
char DLNPUDAGToDAGISelLegacy::ID;

} // namespace

FunctionPass* llvm::createDLNPUISelDag(DLNPUTargetMachine& machine, CodeGenOptLevel level) {
  return new DLNPUDAGToDAGISelLegacy(machine, level);
}
