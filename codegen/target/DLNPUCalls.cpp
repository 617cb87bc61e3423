// Calling convention: arguments, results, calls, and calls that are commands.
#include "DLNPU.h"
#include "DLNPUISelLowering.h"
#include "DLNPUSubtarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/CallingConvLower.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

#include "DLNPUGenCallingConv.inc"

// ---- Extensions of narrow arguments ----------------------------------------------------

static SDValue toLocation(SDValue value, const CCValAssign& at, const SDLoc& loc, SelectionDAG& dag) {
  switch (at.getLocInfo()) {
  case CCValAssign::SExt:
    return dag.getNode(ISD::SIGN_EXTEND, loc, at.getLocVT(), value);
  case CCValAssign::ZExt:
    return dag.getNode(ISD::ZERO_EXTEND, loc, at.getLocVT(), value);
  case CCValAssign::AExt:
    return dag.getNode(ISD::ANY_EXTEND, loc, at.getLocVT(), value);
  default:
    return value;
  }
}

static SDValue fromLocation(SDValue value, const CCValAssign& at, const SDLoc& loc, SelectionDAG& dag) {
  if (at.getLocVT() == at.getValVT())
    return value;
  if (at.getLocInfo() == CCValAssign::SExt)
    value = dag.getNode(ISD::AssertSext, loc, at.getLocVT(), value, dag.getValueType(at.getValVT()));
  else if (at.getLocInfo() == CCValAssign::ZExt)
    value = dag.getNode(ISD::AssertZext, loc, at.getLocVT(), value, dag.getValueType(at.getValVT()));
  return dag.getNode(ISD::TRUNCATE, loc, at.getValVT(), value);
}

SDValue DLNPUTargetLowering::LowerFormalArguments(SDValue chain, CallingConv::ID id, bool isVarArg,
                                                  const SmallVectorImpl<ISD::InputArg>& ins, const SDLoc& loc,
                                                  SelectionDAG& dag, SmallVectorImpl<SDValue>& values) const {
  MachineFunction& mf = dag.getMachineFunction();
  SmallVector<CCValAssign, 16> locations;
  CCState state(id, isVarArg, mf, locations, *dag.getContext());
  state.AnalyzeFormalArguments(ins, CC_DLNPU);
  for (const CCValAssign& at : locations) {
    SDValue value;
    if (at.isRegLoc()) {
      Register reg = mf.addLiveIn(at.getLocReg(), &DLNPU::GPRRegClass);
      value = dag.getCopyFromReg(chain, loc, reg, at.getLocVT());
    } else {
      int slot = mf.getFrameInfo().CreateFixedObject(8, at.getLocMemOffset(), true);
      value = dag.getLoad(at.getLocVT(), loc, chain, dag.getFrameIndex(slot, MVT::i64),
                          MachinePointerInfo::getFixedStack(mf, slot));
    }
    values.push_back(fromLocation(value, at, loc, dag));
  }
  return chain;
}

bool DLNPUTargetLowering::CanLowerReturn(CallingConv::ID id, MachineFunction& mf, bool isVarArg,
                                         const SmallVectorImpl<ISD::OutputArg>& outs,
                                         LLVMContext& context) const {
  SmallVector<CCValAssign, 16> locations;
  CCState state(id, isVarArg, mf, locations, context);
  return state.CheckReturn(outs, RetCC_DLNPU);
}

SDValue DLNPUTargetLowering::LowerReturn(SDValue chain, CallingConv::ID id, bool isVarArg,
                                         const SmallVectorImpl<ISD::OutputArg>& outs,
                                         const SmallVectorImpl<SDValue>& values, const SDLoc& loc,
                                         SelectionDAG& dag) const {
  MachineFunction& mf = dag.getMachineFunction();
  if (isDLNPUKernel(mf.getFunction()))
    return dag.getNode(DLNPUISD::EXIT, loc, MVT::Other, chain);
  SmallVector<CCValAssign, 16> locations;
  CCState state(id, isVarArg, mf, locations, *dag.getContext());
  state.AnalyzeReturn(outs, RetCC_DLNPU);
  SDValue glue;
  SmallVector<SDValue, 8> operands{chain};
  for (unsigned i = 0; i < locations.size(); ++i) {
    SDValue value = toLocation(values[i], locations[i], loc, dag);
    chain = dag.getCopyToReg(chain, loc, locations[i].getLocReg(), value, glue);
    glue = chain.getValue(1);
    operands.push_back(dag.getRegister(locations[i].getLocReg(), locations[i].getLocVT()));
  }
  operands[0] = chain;
  if (glue)
    operands.push_back(glue);
  return dag.getNode(DLNPUISD::RET, loc, MVT::Other, operands);
}

// ---- Calls of functions -----------------------------------------------------------------

SDValue DLNPUTargetLowering::refuseCall(CallLoweringInfo& call, const Twine& message,
                                        SmallVectorImpl<SDValue>& results) const {
  SelectionDAG& dag = call.DAG;
  const Function& function = dag.getMachineFunction().getFunction();
  dag.getContext()->diagnose(DiagnosticInfoUnsupported(function, message, call.DL.getDebugLoc()));
  for (const ISD::InputArg& in : call.Ins)
    results.push_back(dag.getUNDEF(in.VT));
  return call.Chain;
}

// What the call instruction names: a symbol or an address. No value after a report.
SDValue DLNPUTargetLowering::calleeOf(CallLoweringInfo& call, SmallVectorImpl<SDValue>& results) const {
  SelectionDAG& dag = call.DAG;
  if (auto* global = dyn_cast<GlobalAddressSDNode>(call.Callee))
    return dag.getTargetGlobalAddress(global->getGlobal(), call.DL, MVT::i64);
  auto* symbol = dyn_cast<ExternalSymbolSDNode>(call.Callee);
  if (!symbol)
    return call.Callee;
  if (symbol->getSymbol())
    return dag.getTargetExternalSymbol(symbol->getSymbol(), MVT::i64);
  refuseCall(call, "this operation needs a library function, and a kernel is linked with no library",
             results);
  return SDValue();
}

// Puts the arguments into their registers and stack slots. `chain` is that of the call sequence's start; glue
// and the register operands are for the call.
SDValue DLNPUTargetLowering::passArguments(CallLoweringInfo& call, ArrayRef<CCValAssign> locations,
                                           SDValue& chain, SmallVectorImpl<SDValue>& registers) const {
  SelectionDAG& dag = call.DAG;
  const SDLoc& loc = call.DL;
  MachineFunction& mf = dag.getMachineFunction();
  SmallVector<std::pair<Register, SDValue>, 8> copies;
  SmallVector<SDValue, 8> stores;
  for (unsigned i = 0; i < locations.size(); ++i) {
    SDValue value = call.OutVals[i];
    ISD::ArgFlagsTy flags = call.Outs[i].Flags;
    if (flags.isByVal()) {
      // The callee may write to its copy.
      uint64_t size = flags.getByValSize();
      Align align = flags.getNonZeroByValAlign();
      int slot = mf.getFrameInfo().CreateStackObject(std::max<uint64_t>(size, 1), align, false);
      SDValue copy = dag.getFrameIndex(slot, MVT::i64);
      chain = dag.getMemcpy(chain, loc, copy, value, dag.getConstant(size, loc, MVT::i64), align, false, true,
                            nullptr, std::nullopt, MachinePointerInfo(), MachinePointerInfo());
      value = copy;
    }
    value = toLocation(value, locations[i], loc, dag);
    if (locations[i].isRegLoc()) {
      copies.emplace_back(locations[i].getLocReg(), value);
      continue;
    }
    int64_t offset = locations[i].getLocMemOffset();
    SDValue sp = dag.getCopyFromReg(chain, loc, DLNPU::R30, MVT::i64);
    SDValue at = dag.getNode(ISD::ADD, loc, MVT::i64, sp, dag.getConstant(offset, loc, MVT::i64));
    stores.push_back(dag.getStore(chain, loc, value, at, MachinePointerInfo::getStack(mf, offset)));
  }
  if (!stores.empty())
    chain = dag.getNode(ISD::TokenFactor, loc, MVT::Other, stores);
  SDValue glue;
  for (auto& [reg, value] : copies) {
    chain = dag.getCopyToReg(chain, loc, reg, value, glue);
    glue = chain.getValue(1);
    registers.push_back(dag.getRegister(reg, value.getValueType()));
  }
  return glue;
}

SDValue DLNPUTargetLowering::LowerCall(CallLoweringInfo& call, SmallVectorImpl<SDValue>& results) const {
  call.IsTailCall = false;
  if (auto* global = dyn_cast<GlobalAddressSDNode>(call.Callee))
    if (std::optional<StringRef> mnemonic = DLNPU::commandMnemonic(global->getGlobal()->getName()))
      return lowerCommandCall(call, *mnemonic, results);
  if (call.IsVarArg)
    return refuseCall(call, "calls with a variable number of arguments are not supported", results);
  SDValue callee = calleeOf(call, results);
  if (!callee)
    return call.Chain;

  SelectionDAG& dag = call.DAG;
  const SDLoc& loc = call.DL;
  MachineFunction& mf = dag.getMachineFunction();
  SmallVector<CCValAssign, 16> locations;
  CCState state(call.CallConv, false, mf, locations, *dag.getContext());
  state.AnalyzeCallOperands(call.Outs, CC_DLNPU);
  uint64_t bytes = alignTo(state.getStackSize(), 8);
  SDValue chain = dag.getCALLSEQ_START(call.Chain, bytes, 0, loc);
  SmallVector<SDValue, 12> operands{SDValue(), callee};
  SDValue glue = passArguments(call, locations, chain, operands);
  operands[0] = chain;
  operands.push_back(
      dag.getRegisterMask(subtarget.getRegisterInfo()->getCallPreservedMask(mf, call.CallConv)));
  if (glue)
    operands.push_back(glue);
  chain = dag.getNode(DLNPUISD::CALL, loc, dag.getVTList(MVT::Other, MVT::Glue), operands);
  chain = dag.getCALLSEQ_END(chain, bytes, 0, chain.getValue(1), loc);
  glue = chain.getValue(1);

  SmallVector<CCValAssign, 8> resultLocations;
  CCState resultState(call.CallConv, false, mf, resultLocations, *dag.getContext());
  resultState.AnalyzeCallResult(call.Ins, RetCC_DLNPU);
  for (const CCValAssign& at : resultLocations) {
    SDValue value = dag.getCopyFromReg(chain, loc, at.getLocReg(), at.getLocVT(), glue);
    chain = value.getValue(1);
    glue = value.getValue(2);
    results.push_back(fromLocation(value, at, loc, dag));
  }
  return chain;
}

// ---- Calls that are commands --------------------------------------------------------------

static std::string ordinal(unsigned index) { return "operand " + std::to_string(index + 1); }

// Empty if the call fits the instruction.
static std::string checkSignature(const TargetLowering::CallLoweringInfo& call,
                                  const DLNPU::CommandInfo& info) {
  unsigned given = call.Args.size();
  if (given != info.numInputs)
    return "takes " + std::to_string(info.numInputs) + " operands, not " + std::to_string(given);
  for (unsigned i = 0; i < given; ++i) {
    Type* type = call.Args[i].Ty;
    bool isWord = type->isIntegerTy(64) || type->isPointerTy();
    if (!isWord && !(info.inputs[i].isRegister() && type->isFloatTy()))
      return ordinal(i) + " must be an i64" + (info.inputs[i].isRegister() ? ", pointer or float" : "");
  }
  bool isVoid = call.RetTy->isVoidTy();
  if (info.numResults == 0 && !isVoid)
    return "has no result; declare the function void";
  if (!isVoid && !call.RetTy->isIntegerTy(64) && !call.RetTy->isFloatTy() && !call.RetTy->isPointerTy())
    return "has a 64-bit result; declare it i64, pointer or float";
  return "";
}

// The operand as the instruction takes it, or no value after a report.
SDValue DLNPUTargetLowering::commandOperand(CallLoweringInfo& call, const DLNPU::CommandInfo& info,
                                            unsigned i) const {
  const DLNPU::CommandOperand& want = info.inputs[i];
  SDValue value = call.OutVals[i];
  if (want.isRegister())
    return value;
  std::string problem;
  auto* constant = dyn_cast<ConstantSDNode>(value);
  if (!constant) {
    problem = "must be a constant";
  } else {
    int64_t number = constant->getSExtValue();
    bool fits = want.isSigned ? isIntN(want.bits, number) : isUIntN(want.bits, uint64_t(number));
    if (!fits)
      problem = "is " + std::to_string(number) + ", which does not fit " + std::to_string(want.bits) +
                (want.isSigned ? " signed" : "") + " bits";
    else if (want.bits == 24 && !want.isSigned && (number & ~int64_t(info.immMask)))
      problem = "is 0x" + utohexstr(uint64_t(number), true) + ", but only bits 0x" +
                utohexstr(info.immMask, true) + " have a meaning";
    else
      return call.DAG.getTargetConstant(number, call.DL, MVT::i64);
  }
  SmallVector<SDValue, 1> ignored;
  refuseCall(call, "'" + info.mnemonic + "': " + ordinal(i) + " " + problem, ignored);
  return SDValue();
}

SDValue DLNPUTargetLowering::lowerCommandCall(CallLoweringInfo& call, StringRef mnemonic,
                                              SmallVectorImpl<SDValue>& results) const {
  if (const DLNPU::CommandInfo* info = DLNPU::findCommand(mnemonic))
    return lowerCommand(call, *info, results);
  StringRef near = DLNPU::nearestCommand(mnemonic);
  return refuseCall(call,
                    "there is no instruction '" + mnemonic + "'" +
                        (near.empty() ? "" : "; did you mean '" + near.str() + "'?"),
                    results);
}

SDValue DLNPUTargetLowering::lowerCommand(CallLoweringInfo& call, const DLNPU::CommandInfo& info,
                                          SmallVectorImpl<SDValue>& results) const {
  SelectionDAG& dag = call.DAG;
  std::string problem = checkSignature(call, info);
  if (problem.empty() && info.core == DLNPU::CommandCore::Aic && !subtarget.hasAIC())
    problem = "exists on cube cores (aic) only";
  if (problem.empty() && info.core == DLNPU::CommandCore::Aiv && !subtarget.hasAIV())
    problem = "exists on vector cores (aiv) only";
  if (!problem.empty())
    return refuseCall(call, "'" + info.mnemonic + "' " + problem, results);

  SmallVector<SDValue, 9> operands{call.Chain, dag.getTargetConstant(info.opcode, call.DL, MVT::i64)};
  for (unsigned i = 0; i < info.numInputs; ++i) {
    SDValue operand = commandOperand(call, info, i);
    if (!operand) {
      for (const ISD::InputArg& in : call.Ins)
        results.push_back(dag.getUNDEF(in.VT));
      return call.Chain;
    }
    operands.push_back(operand);
  }
  if (info.numResults == 0)
    return dag.getNode(DLNPUISD::COMMAND, call.DL, MVT::Other, operands);
  EVT vt = call.RetTy->isFloatTy() ? MVT::f32 : MVT::i64;
  SDValue node = dag.getNode(DLNPUISD::COMMAND, call.DL, dag.getVTList(vt, MVT::Other), operands);
  if (!call.RetTy->isVoidTy())
    results.push_back(node);
  return node.getValue(1);
}
