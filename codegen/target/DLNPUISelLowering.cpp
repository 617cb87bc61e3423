#include "DLNPUISelLowering.h"
#include "DLNPU.h"
#include "DLNPUSubtarget.h"
#include "DLNPUTargetMachine.h"
#include "llvm/CodeGen/CallingConvLower.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

DLNPUTargetLowering::DLNPUTargetLowering(const TargetMachine& machine, const DLNPUSubtarget& st)
    : TargetLowering(machine), subtarget(st) {
  addRegisterClass(MVT::i64, &DLNPU::GPRRegClass);
  addRegisterClass(MVT::f32, &DLNPU::GPRRegClass);
  computeRegisterProperties(st.getRegisterInfo());

  setStackPointerRegisterToSaveRestore(DLNPU::R30);
  setBooleanContents(ZeroOrOneBooleanContent);
  setSchedulingPreference(
      Sched::Source); // commands come in their intended order; the machine scheduler packs
  setMinFunctionAlignment(Align(8));
  setMinStackArgumentAlignment(Align(8));
  // Jump tables need data in memory and an indirect branch; compare chains stay in registers.
  setMinimumJumpTableEntries(std::numeric_limits<unsigned>::max());
  setMaxAtomicSizeInBitsSupported(64); // atomics are refused before selection
  setMaxDivRemBitWidthSupported(64);   // wider divisions are expanded in IR: there is no library to call
  setMaxLargeFPConvertBitWidthSupported(64);
  // Bytes one by one in the worst case; larger ones are loops by then.
  MaxStoresPerMemcpy = MaxStoresPerMemset = MaxStoresPerMemmove = inlineMemoryBytes;
  // Without a library these become loops and inline sequences.
  for (auto call : {RTLIB::MEMCPY, RTLIB::MEMMOVE, RTLIB::MEMSET, RTLIB::SHL_I128, RTLIB::SRL_I128,
                    RTLIB::SRA_I128, RTLIB::MUL_I128, RTLIB::MULO_I64, RTLIB::MULO_I128})
    setLibcallName(call, nullptr);

  setIntegerActions();
  setFloatActions();

  setOperationAction({ISD::GlobalAddress, ISD::BlockAddress, ISD::ExternalSymbol, ISD::ConstantPool},
                     MVT::i64, Custom);
  setOperationAction(
      {ISD::BR_JT, ISD::STACKSAVE, ISD::STACKRESTORE, ISD::VAARG, ISD::VACOPY, ISD::VAEND, ISD::VASTART},
      MVT::Other, Expand);
  setOperationAction(ISD::DYNAMIC_STACKALLOC, MVT::i64, Expand);
  setOperationAction({ISD::TRAP, ISD::DEBUGTRAP}, MVT::Other, Legal);
  setOperationAction(ISD::READCYCLECOUNTER, MVT::i64, Legal);
}

void DLNPUTargetLowering::setIntegerActions() {
  setOperationAction({ISD::BR_CC, ISD::SELECT_CC}, MVT::i64, Expand);
  setOperationAction({ISD::SDIVREM, ISD::UDIVREM, ISD::SMUL_LOHI, ISD::UMUL_LOHI}, MVT::i64, Expand);
  setOperationAction({ISD::MULHS, ISD::MULHU, ISD::SMIN, ISD::SMAX, ISD::UMIN, ISD::UMAX}, MVT::i64, Legal);
  setOperationAction({ISD::ROTL, ISD::ROTR, ISD::BSWAP, ISD::BITREVERSE, ISD::CTPOP, ISD::CTLZ, ISD::CTTZ,
                      ISD::CTLZ_ZERO_UNDEF, ISD::CTTZ_ZERO_UNDEF, ISD::PARITY, ISD::ABS},
                     MVT::i64, Expand);
  setOperationAction({ISD::SHL_PARTS, ISD::SRL_PARTS, ISD::SRA_PARTS}, MVT::i64, Expand);
  setOperationAction(ISD::SIGN_EXTEND_INREG, MVT::i1, Expand);
  for (MVT vt : {MVT::i8, MVT::i16, MVT::i32})
    setOperationAction(ISD::SIGN_EXTEND_INREG, vt, Legal);
  for (auto kind : {ISD::EXTLOAD, ISD::ZEXTLOAD, ISD::SEXTLOAD})
    setLoadExtAction(kind, MVT::i64, MVT::i1, Promote);
}

void DLNPUTargetLowering::setFloatActions() {
  setOperationAction({ISD::BR_CC, ISD::SELECT_CC, ISD::FMA, ISD::FREM, ISD::FSIN, ISD::FCOS, ISD::FPOW},
                     MVT::f32, Expand);
  setOperationAction({ISD::FSQRT, ISD::FABS, ISD::FNEG, ISD::FMINNUM, ISD::FMAXNUM}, MVT::f32, Legal);
  setOperationAction({ISD::FCOPYSIGN, ISD::FMINIMUM, ISD::FMAXIMUM, ISD::FTRUNC, ISD::FFLOOR, ISD::FCEIL,
                      ISD::FRINT, ISD::FNEARBYINT, ISD::FROUNDEVEN, ISD::FROUND},
                     MVT::f32, Custom);
  setOperationAction({ISD::FP_TO_SINT_SAT, ISD::FP_TO_UINT_SAT}, MVT::i64, Expand);
  // Halves live in i16 and every operation on them is done in f32 and rounded.
  for (MVT vt : {MVT::i64, MVT::f32})
    setOperationAction({ISD::FP16_TO_FP, ISD::FP_TO_FP16, ISD::BF16_TO_FP, ISD::FP_TO_BF16}, vt, Legal);
  for (MVT half : {MVT::f16, MVT::bf16}) {
    setLoadExtAction(ISD::EXTLOAD, MVT::f32, half, Expand);
    setTruncStoreAction(MVT::f32, half, Expand);
  }
  // i32 is not legal; these keep its bitcasts from going through the stack.
  setOperationAction(ISD::BITCAST, {MVT::i32, MVT::f32}, Custom);
}

// Until the epilogue is there nobody defines the return address that `ret` reads; emitEpilogue makes it a
// real use.
void DLNPUTargetLowering::finalizeLowering(MachineFunction& mf) const {
  for (MachineBasicBlock& block : mf)
    for (MachineInstr& mi : block.terminators())
      if (mi.getOpcode() == DLNPU::RET)
        for (MachineOperand& operand : mi.implicit_operands())
          if (operand.getReg() == DLNPU::R31)
            operand.setIsUndef();
  TargetLowering::finalizeLowering(mf);
}

const char* DLNPUTargetLowering::getTargetNodeName(unsigned opcode) const {
  switch (opcode) {
  case DLNPUISD::CALL:
    return "DLNPUISD::CALL";
  case DLNPUISD::RET:
    return "DLNPUISD::RET";
  case DLNPUISD::EXIT:
    return "DLNPUISD::EXIT";
  case DLNPUISD::ADDR:
    return "DLNPUISD::ADDR";
  case DLNPUISD::F2I:
    return "DLNPUISD::F2I";
  case DLNPUISD::I2F:
    return "DLNPUISD::I2F";
  case DLNPUISD::COMMAND:
    return "DLNPUISD::COMMAND";
  default:
    return nullptr;
  }
}

EVT DLNPUTargetLowering::getSetCCResultType(const DataLayout&, LLVMContext&, EVT vt) const {
  return vt.isVector() ? vt.changeVectorElementTypeToInteger() : EVT(MVT::i64);
}

// Both cost one instruction, but constants and `ld.w` come sign-extended.
bool DLNPUTargetLowering::isSExtCheaperThanZExt(EVT from, EVT to) const {
  return from == MVT::i32 && to == MVT::i64;
}

bool DLNPUTargetLowering::isLegalAddressingMode(const DataLayout&, const AddrMode& mode, Type*, unsigned,
                                                Instruction*) const {
  return !mode.BaseGV && mode.Scale == 0
             ? isInt<24>(mode.BaseOffs)
             : !mode.BaseGV && mode.Scale == 1 && !mode.HasBaseReg && isInt<24>(mode.BaseOffs);
}

bool DLNPUTargetLowering::isTruncateFree(Type* from, Type* to) const {
  return from->isIntegerTy() && to->isIntegerTy() && from->getPrimitiveSizeInBits() <= 64 &&
         to->getPrimitiveSizeInBits() < from->getPrimitiveSizeInBits();
}

bool DLNPUTargetLowering::isTruncateFree(EVT from, EVT to) const {
  return from.isScalarInteger() && to.isScalarInteger() && from.getSizeInBits() <= 64 && to.bitsLT(from);
}

std::pair<unsigned, const TargetRegisterClass*>
DLNPUTargetLowering::getRegForInlineAsmConstraint(const TargetRegisterInfo* info, StringRef constraint,
                                                  MVT vt) const {
  if (constraint == "r")
    return {0, &DLNPU::GPRRegClass};
  return TargetLowering::getRegForInlineAsmConstraint(info, constraint, vt);
}

// ---- Operations -----------------------------------------------------------------------

SDValue DLNPUTargetLowering::lowerBitcast(SDValue op, SelectionDAG& dag) const {
  SDLoc loc(op);
  SDValue value = op.getOperand(0);
  if (op.getValueType() == MVT::f32 && value.getValueType() == MVT::i32)
    return dag.getNode(DLNPUISD::I2F, loc, MVT::f32, dag.getAnyExtOrTrunc(value, loc, MVT::i64));
  return SDValue();
}

// The sign bit of f32 `sign` as bit 31 of an i64. What is above it is not part of an f32.
static SDValue signBit(SDValue sign, const SDLoc& loc, SelectionDAG& dag) {
  SDValue bits = dag.getNode(DLNPUISD::F2I, loc, MVT::i64, sign);
  return dag.getNode(ISD::AND, loc, MVT::i64, bits, dag.getConstant(-0x80000000ll, loc, MVT::i64));
}

static SDValue withSign(SDValue magnitude, SDValue sign, const SDLoc& loc, SelectionDAG& dag) {
  SDValue bits = dag.getNode(DLNPUISD::F2I, loc, MVT::i64, dag.getNode(ISD::FABS, loc, MVT::f32, magnitude));
  SDValue joined = dag.getNode(ISD::OR, loc, MVT::i64, bits, signBit(sign, loc, dag));
  return dag.getNode(DLNPUISD::I2F, loc, MVT::f32, joined);
}

SDValue DLNPUTargetLowering::lowerCopySign(SDValue op, SelectionDAG& dag) const {
  SDLoc loc(op);
  SDValue sign = op.getOperand(1);
  if (sign.getValueType() != MVT::f32)
    return SDValue();
  return withSign(op.getOperand(0), sign, loc, dag);
}

// IEEE minimum and maximum: a NaN wins, and -0 is below +0. Equal operands differ at most in the sign of
// zero.
SDValue DLNPUTargetLowering::lowerMinMax(SDValue op, SelectionDAG& dag) const {
  SDLoc loc(op);
  SDValue a = op.getOperand(0), b = op.getOperand(1);
  bool isMin = op.getOpcode() == ISD::FMINIMUM;
  SDValue plain = dag.getNode(isMin ? ISD::FMINNUM : ISD::FMAXNUM, loc, MVT::f32, a, b);
  SDValue aBits = dag.getNode(DLNPUISD::F2I, loc, MVT::i64, a),
          bBits = dag.getNode(DLNPUISD::F2I, loc, MVT::i64, b);
  SDValue joined = dag.getNode(DLNPUISD::I2F, loc, MVT::f32,
                               dag.getNode(isMin ? ISD::OR : ISD::AND, loc, MVT::i64, aBits, bBits));
  SDValue equal = dag.getSetCC(loc, MVT::i64, a, b, ISD::SETOEQ);
  SDValue ordered = dag.getNode(ISD::SELECT, loc, MVT::f32, equal, joined, plain);
  SDValue nan = dag.getSetCC(loc, MVT::i64, a, b, ISD::SETUO);
  return dag.getNode(ISD::SELECT, loc, MVT::f32, nan, dag.getNode(ISD::FADD, loc, MVT::f32, a, b), ordered);
}

// Rounding to an integral f32. Magnitudes of 2^23 and more (and NaNs) are integral already.
SDValue DLNPUTargetLowering::lowerRound(SDValue op, SelectionDAG& dag) const {
  SDLoc loc(op);
  SDValue x = op.getOperand(0);
  auto constant = [&](float value) { return dag.getConstantFP(value, loc, MVT::f32); };
  auto node = [&](unsigned opcode, SDValue a, SDValue b) { return dag.getNode(opcode, loc, MVT::f32, a, b); };
  SDValue magnitude = dag.getNode(ISD::FABS, loc, MVT::f32, x);
  SDValue rounded;
  unsigned opcode = op.getOpcode();
  if (opcode == ISD::FRINT || opcode == ISD::FNEARBYINT || opcode == ISD::FROUNDEVEN) {
    // Adding 2^23 leaves no fraction bits: the addition itself rounds to nearest even.
    rounded = node(ISD::FSUB, node(ISD::FADD, magnitude, constant(0x1p23f)), constant(0x1p23f));
  } else {
    SDValue whole = dag.getNode(ISD::FP_TO_SINT, loc, MVT::i64, x);
    rounded = dag.getNode(ISD::SINT_TO_FP, loc, MVT::f32, whole);
    auto adjust = [&](SDValue a, SDValue b, ISD::CondCode cc, float by) {
      SDValue test = dag.getSetCC(loc, MVT::i64, a, b, cc);
      rounded =
          dag.getNode(ISD::SELECT, loc, MVT::f32, test, node(ISD::FADD, rounded, constant(by)), rounded);
    };
    if (opcode == ISD::FFLOOR)
      adjust(rounded, x, ISD::SETOGT, -1.0f);
    else if (opcode == ISD::FCEIL)
      adjust(rounded, x, ISD::SETOLT, 1.0f);
    else if (opcode == ISD::FROUND) {
      SDValue truncated = dag.getNode(ISD::FABS, loc, MVT::f32, rounded);
      rounded = truncated;
      adjust(node(ISD::FSUB, magnitude, truncated), constant(0.5f), ISD::SETOGE, 1.0f);
    }
  }
  SDValue small = dag.getSetCC(loc, MVT::i64, magnitude, constant(0x1p23f), ISD::SETOLT);
  return dag.getNode(ISD::SELECT, loc, MVT::f32, small, withSign(rounded, x, loc, dag), x);
}

SDValue DLNPUTargetLowering::LowerOperation(SDValue op, SelectionDAG& dag) const {
  SDLoc loc(op);
  auto address = [&](SDValue target) { return dag.getNode(DLNPUISD::ADDR, loc, MVT::i64, target); };
  switch (op.getOpcode()) {
  case ISD::GlobalAddress: {
    auto* node = cast<GlobalAddressSDNode>(op);
    SDValue base = address(dag.getTargetGlobalAddress(node->getGlobal(), loc, MVT::i64));
    return node->getOffset()
               ? dag.getNode(ISD::ADD, loc, MVT::i64, base, dag.getConstant(node->getOffset(), loc, MVT::i64))
               : base;
  }
  case ISD::BlockAddress: {
    auto* node = cast<BlockAddressSDNode>(op);
    return address(dag.getTargetBlockAddress(node->getBlockAddress(), MVT::i64, node->getOffset()));
  }
  case ISD::ExternalSymbol:
    return address(dag.getTargetExternalSymbol(cast<ExternalSymbolSDNode>(op)->getSymbol(), MVT::i64));
  case ISD::ConstantPool: {
    auto* node = cast<ConstantPoolSDNode>(op);
    return address(
        dag.getTargetConstantPool(node->getConstVal(), MVT::i64, node->getAlign(), node->getOffset()));
  }
  case ISD::BITCAST:
    return lowerBitcast(op, dag);
  case ISD::FCOPYSIGN:
    return lowerCopySign(op, dag);
  case ISD::FMINIMUM:
  case ISD::FMAXIMUM:
    return lowerMinMax(op, dag);
  default:
    return lowerRound(op, dag);
  }
}

void DLNPUTargetLowering::ReplaceNodeResults(SDNode* node, SmallVectorImpl<SDValue>& results,
                                             SelectionDAG& dag) const {
  if (node->getOpcode() != ISD::BITCAST || node->getValueType(0) != MVT::i32 ||
      node->getOperand(0).getValueType() != MVT::f32)
    return;
  SDLoc loc(node);
  SDValue wide = dag.getNode(DLNPUISD::F2I, loc, MVT::i64, node->getOperand(0));
  results.push_back(dag.getNode(ISD::TRUNCATE, loc, MVT::i32, wide));
}
