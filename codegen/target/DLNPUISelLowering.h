// Lowering of IR to the selection DAG: legal types are i64 and f32 only.
#pragma once

#include "CommandTable.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/CodeGen/TargetLowering.h"

namespace llvm {

class CCValAssign;
class DLNPUSubtarget;
class DLNPUTargetMachine;

namespace DLNPUISD {
enum NodeType : unsigned {
  FIRST_NUMBER = ISD::BUILTIN_OP_END,
  CALL,    // chain, callee, argument registers..., mask
  RET,     // chain, result registers...
  EXIT,    // chain: end of a kernel
  ADDR,    // address of a symbol
  F2I,     // f32 as the low half of an i64
  I2F,     // and back
  COMMAND, // chain, opcode, operands in assembly order -> [result], chain
};
}

/// Copies and fills of at most so many bytes are straight code.
constexpr unsigned inlineMemoryBytes = 64;

class DLNPUTargetLowering : public TargetLowering {
  const DLNPUSubtarget& subtarget;

  void setIntegerActions();
  void setFloatActions();
  SDValue lowerBitcast(SDValue op, SelectionDAG& dag) const;
  SDValue lowerCopySign(SDValue op, SelectionDAG& dag) const;
  SDValue lowerMinMax(SDValue op, SelectionDAG& dag) const;
  SDValue lowerRound(SDValue op, SelectionDAG& dag) const;
  SDValue calleeOf(CallLoweringInfo& call, SmallVectorImpl<SDValue>& results) const;
  SDValue passArguments(CallLoweringInfo& call, ArrayRef<CCValAssign> locations, SDValue& chain,
                        SmallVectorImpl<SDValue>& registers) const;
  SDValue lowerCommandCall(CallLoweringInfo& call, StringRef mnemonic,
                           SmallVectorImpl<SDValue>& results) const;
  SDValue lowerCommand(CallLoweringInfo& call, const DLNPU::CommandInfo& info,
                       SmallVectorImpl<SDValue>& results) const;
  SDValue commandOperand(CallLoweringInfo& call, const DLNPU::CommandInfo& info, unsigned index) const;
  SDValue refuseCall(CallLoweringInfo& call, const Twine& message, SmallVectorImpl<SDValue>& results) const;

public:
  DLNPUTargetLowering(const TargetMachine& machine, const DLNPUSubtarget& subtarget);

  void finalizeLowering(MachineFunction& mf) const override;
  const char* getTargetNodeName(unsigned opcode) const override;
  SDValue LowerOperation(SDValue op, SelectionDAG& dag) const override;
  void ReplaceNodeResults(SDNode* node, SmallVectorImpl<SDValue>& results, SelectionDAG& dag) const override;
  EVT getSetCCResultType(const DataLayout&, LLVMContext&, EVT vt) const override;
  bool isSExtCheaperThanZExt(EVT from, EVT to) const override;
  bool isFPImmLegal(const APFloat&, EVT vt, bool) const override { return vt == MVT::f32; }
  bool softPromoteHalfType() const override { return true; }
  bool isLegalAddImmediate(int64_t imm) const override { return isInt<24>(imm); }
  bool isLegalICmpImmediate(int64_t imm) const override { return isInt<24>(imm); }
  bool isLegalAddressingMode(const DataLayout&, const AddrMode& mode, Type*, unsigned,
                             Instruction*) const override;
  bool isTruncateFree(Type* from, Type* to) const override;
  bool isTruncateFree(EVT from, EVT to) const override;
  bool convertSetCCLogicToBitwiseLogic(EVT) const override { return true; }

  bool CanLowerReturn(CallingConv::ID id, MachineFunction& mf, bool isVarArg,
                      const SmallVectorImpl<ISD::OutputArg>& outs, LLVMContext& context) const override;
  SDValue LowerFormalArguments(SDValue chain, CallingConv::ID id, bool isVarArg,
                               const SmallVectorImpl<ISD::InputArg>& ins, const SDLoc& loc, SelectionDAG& dag,
                               SmallVectorImpl<SDValue>& values) const override;
  SDValue LowerReturn(SDValue chain, CallingConv::ID id, bool isVarArg,
                      const SmallVectorImpl<ISD::OutputArg>& outs, const SmallVectorImpl<SDValue>& values,
                      const SDLoc& loc, SelectionDAG& dag) const override;
  SDValue LowerCall(CallLoweringInfo& call, SmallVectorImpl<SDValue>& results) const override;

  std::pair<unsigned, const TargetRegisterClass*>
  getRegForInlineAsmConstraint(const TargetRegisterInfo* info, StringRef constraint, MVT vt) const override;
};

} // namespace llvm
