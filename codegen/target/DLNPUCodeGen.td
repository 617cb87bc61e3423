//===- DLNPUCodeGen.td - Calling convention and selection patterns ---------===//
//
// Instructions are described in isa/isa; this file adds what only the code
// generator needs. Commands have no patterns: calls of `dlnpu.<mnemonic>` are
// selected through the generated command table (DLNPUCommandTable.h).
//
//===----------------------------------------------------------------------===//

include "DLNPU.td"

// ---- Calling convention ---------------------------------------------------------
def CC_DLNPU : CallingConv<[
  CCIfType<[i8, i16, i32], CCPromoteToType<i64>>,
  CCIfType<[i64, f32], CCAssignToReg<[R0, R1, R2, R3, R4, R5, R6, R7]>>,
  CCIfType<[i64, f32], CCAssignToStack<8, 8>>
]>;
def RetCC_DLNPU : CallingConv<[
  CCIfType<[i8, i16, i32], CCPromoteToType<i64>>,
  CCIfType<[i64, f32], CCAssignToReg<[R0, R1, R2, R3, R4, R5, R6, R7]>>
]>;
def CSR_DLNPU : CalleeSavedRegs<(add R31, R29, (sequence "R%u", 16, 28))>;
// A kernel entry has no caller: it saves nothing.
def CSR_Kernel : CalleeSavedRegs<(add)>;

// ---- Nodes -------------------------------------------------------------------------
def SDT_CallSeqStart : SDCallSeqStart<[SDTCisVT<0, i64>, SDTCisVT<1, i64>]>;
def SDT_CallSeqEnd : SDCallSeqEnd<[SDTCisVT<0, i64>, SDTCisVT<1, i64>]>;
def callseq_start : SDNode<"ISD::CALLSEQ_START", SDT_CallSeqStart, [SDNPHasChain, SDNPOutGlue]>;
def callseq_end : SDNode<"ISD::CALLSEQ_END", SDT_CallSeqEnd, [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue]>;
def SDT_Call : SDTypeProfile<0, -1, [SDTCisPtrTy<0>]>;
def dlnpu_call : SDNode<"DLNPUISD::CALL", SDT_Call, [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue, SDNPVariadic]>;
def dlnpu_ret : SDNode<"DLNPUISD::RET", SDTNone, [SDNPHasChain, SDNPOptInGlue, SDNPVariadic]>;
def dlnpu_exit : SDNode<"DLNPUISD::EXIT", SDTNone, [SDNPHasChain, SDNPOptInGlue]>;
// The address of a symbol, as one `li` with a 32-bit absolute relocation: code and constants lie below 2 GiB.
def dlnpu_addr : SDNode<"DLNPUISD::ADDR", SDTIntUnaryOp>;
// f32 <-> i64 without conversion: the same register, upper half undefined.
def dlnpu_f2i : SDNode<"DLNPUISD::F2I", SDTypeProfile<1, 1, [SDTCisVT<0, i64>, SDTCisVT<1, f32>]>>;
def dlnpu_i2f : SDNode<"DLNPUISD::I2F", SDTypeProfile<1, 1, [SDTCisVT<0, f32>, SDTCisVT<1, i64>]>>;

def : Pat<(callseq_start timm:$a, timm:$b), (ADJCALLSTACKDOWN timm:$a, timm:$b)>;
def : Pat<(callseq_end timm:$a, timm:$b), (ADJCALLSTACKUP timm:$a, timm:$b)>;
def : Pat<(dlnpu_call tglobaladdr:$f), (CALL tglobaladdr:$f)>;
def : Pat<(dlnpu_call texternalsym:$f), (CALL texternalsym:$f)>;
def : Pat<(dlnpu_call i64:$f), (CALLR GPR:$f)>;
def : Pat<(dlnpu_ret), (RET)>;
def : Pat<(dlnpu_exit), (EXIT)>;
def : Pat<(i64 (dlnpu_f2i f32:$a)), (COPY_TO_REGCLASS GPR:$a, GPR)>;
def : Pat<(f32 (dlnpu_i2f i64:$a)), (COPY_TO_REGCLASS GPR:$a, GPR)>;

// ---- Constants and addresses -----------------------------------------------------
def imm_s32 : ImmLeaf<i64, "return isInt<32>(Imm);">;
def imm_s24 : ImmLeaf<i64, "return isInt<24>(Imm);">;
def imm_sh : ImmLeaf<i64, "return Imm >= 0 && Imm < 64;">;
// -imm must fit too, for `sub x, imm`.
def neg_s24 : SDNodeXForm<imm, "return CurDAG->getTargetConstant(-N->getSExtValue(), SDLoc(N), MVT::i64);">;
def fp_bits : SDNodeXForm<fpimm, [{
  uint64_t Bits = N->getValueAPF().bitcastToAPInt().getZExtValue();
  return CurDAG->getTargetConstant(SignExtend64<32>(Bits), SDLoc(N), MVT::i64);
}]>;
def low32 : SDNodeXForm<imm, "return CurDAG->getTargetConstant(SignExtend64<32>(N->getZExtValue()), SDLoc(N), MVT::i64);">;
def high32 : SDNodeXForm<imm, "return CurDAG->getTargetConstant(N->getZExtValue() >> 32, SDLoc(N), MVT::i64);">;

def : Pat<(i64 imm_s32:$i), (LI imm:$i)>;
def : Pat<(i64 imm:$i), (LIH (LI (low32 imm:$i)), (high32 imm:$i))>;
def : Pat<(f32 fpimm:$f), (LI (fp_bits fpimm:$f))>;
foreach symbol = [tglobaladdr, texternalsym, tblockaddress, tconstpool, tjumptable] in
  def : Pat<(i64 (dlnpu_addr symbol:$s)), (LI symbol:$s)>;

// ---- Integer -------------------------------------------------------------------------
class BinPat<SDPatternOperator node, Instruction inst>
    : Pat<(i64 (node i64:$a, i64:$b)), (inst GPR:$a, GPR:$b)>;
class BinImmPat<SDPatternOperator node, Instruction inst, ImmLeaf leaf>
    : Pat<(i64 (node i64:$a, leaf:$b)), (inst GPR:$a, imm:$b)>;
def : BinPat<add, ADD>;
def : BinPat<sub, SUB>;
def : BinPat<mul, MUL>;
def : BinPat<mulhs, MULH>;
def : BinPat<mulhu, MULHU>;
def : BinPat<sdiv, DIV>;
def : BinPat<udiv, DIVU>;
def : BinPat<srem, REM>;
def : BinPat<urem, REMU>;
def : BinPat<and, AND>;
def : BinPat<or, OR>;
def : BinPat<xor, XOR>;
def : BinPat<shl, SHL>;
def : BinPat<srl, SHR>;
def : BinPat<sra, SAR>;
def : BinPat<smin, MIN>;
def : BinPat<smax, MAX>;
def : BinPat<umin, MINU>;
def : BinPat<umax, MAXU>;
def : BinImmPat<add, ADDI, imm_s24>;
def : BinImmPat<and, ANDI, imm_s24>;
def : BinImmPat<or, ORI, imm_s24>;
def : BinImmPat<xor, XORI, imm_s24>;
def : BinImmPat<mul, MULI, imm_s24>;
def : BinImmPat<shl, SHLI, imm_sh>;
def : BinImmPat<srl, SHRI, imm_sh>;
def : BinImmPat<sra, SARI, imm_sh>;
def : Pat<(i64 (sext_inreg i64:$a, i8)), (SXTB GPR:$a)>;
def : Pat<(i64 (sext_inreg i64:$a, i16)), (SXTH GPR:$a)>;
def : Pat<(i64 (sext_inreg i64:$a, i32)), (SXTW GPR:$a)>;
def : Pat<(i64 (and i64:$a, 0xffffffff)), (ZXTW GPR:$a)>;

// ---- Compare, select, branch ------------------------------------------------------
class CmpPat<CondCode cc, dag result> : Pat<(i64 (setcc i64:$a, i64:$b, cc)), result>;
def : CmpPat<SETEQ, (SEQ GPR:$a, GPR:$b)>;
def : CmpPat<SETNE, (SNE GPR:$a, GPR:$b)>;
def : CmpPat<SETLT, (SLT GPR:$a, GPR:$b)>;
def : CmpPat<SETLE, (SLE GPR:$a, GPR:$b)>;
def : CmpPat<SETGT, (SLT GPR:$b, GPR:$a)>;
def : CmpPat<SETGE, (SLE GPR:$b, GPR:$a)>;
def : CmpPat<SETULT, (SLTU GPR:$a, GPR:$b)>;
def : CmpPat<SETULE, (SLEU GPR:$a, GPR:$b)>;
def : CmpPat<SETUGT, (SLTU GPR:$b, GPR:$a)>;
def : CmpPat<SETUGE, (SLEU GPR:$b, GPR:$a)>;
class CmpImmPat<CondCode cc, Instruction inst>
    : Pat<(i64 (setcc i64:$a, imm_s24:$b, cc)), (inst GPR:$a, imm:$b)>;
def : CmpImmPat<SETEQ, SEQI>;
def : CmpImmPat<SETNE, SNEI>;
def : CmpImmPat<SETLT, SLTI>;

def : Pat<(i64 (select i64:$c, i64:$a, i64:$b)), (SEL GPR:$c, GPR:$a, GPR:$b)>;
def : Pat<(f32 (select i64:$c, f32:$a, f32:$b)), (SEL GPR:$c, GPR:$a, GPR:$b)>;
// `sel` and the branches test for non-zero, so a comparison with zero is free.
foreach vt = [i64, f32] in {
  def : Pat<(vt (select (i64 (setcc i64:$c, 0, SETNE)), vt:$a, vt:$b)), (SEL GPR:$c, GPR:$a, GPR:$b)>;
  def : Pat<(vt (select (i64 (setcc i64:$c, 0, SETEQ)), vt:$a, vt:$b)), (SEL GPR:$c, GPR:$b, GPR:$a)>;
}
def : Pat<(brcond i64:$c, bb:$t), (BNZ GPR:$c, bb:$t)>;
def : Pat<(brcond (i64 (setcc i64:$c, 0, SETNE)), bb:$t), (BNZ GPR:$c, bb:$t)>;
def : Pat<(brcond (i64 (setcc i64:$c, 0, SETEQ)), bb:$t), (BEZ GPR:$c, bb:$t)>;
def : Pat<(br bb:$t), (JMP bb:$t)>;
def : Pat<(brind i64:$t), (JMPR GPR:$t)>;
def : Pat<(trap), (TRAP 1)>;
def : Pat<(debugtrap), (TRAP 2)>;

// ---- f32 -------------------------------------------------------------------------------
class FBinPat<SDPatternOperator node, Instruction inst>
    : Pat<(f32 (node f32:$a, f32:$b)), (inst GPR:$a, GPR:$b)>;
def : FBinPat<fadd, FADD>;
def : FBinPat<fsub, FSUB>;
def : FBinPat<fmul, FMUL>;
def : FBinPat<fdiv, FDIV>;
def : FBinPat<fminnum, FMIN>;
def : FBinPat<fmaxnum, FMAX>;
def : Pat<(f32 (fsqrt f32:$a)), (FSQRT GPR:$a)>;
def : Pat<(f32 (fneg f32:$a)), (FNEG GPR:$a)>;
def : Pat<(f32 (fabs f32:$a)), (FABS GPR:$a)>;

def : Pat<(f32 (fcanonicalize f32:$a)), (FMUL GPR:$a, (LI 0x3f800000))>;

// A comparison, its negation (which also exchanges "ordered" and "unordered"), and their use by `sel` and the
// branches, which test for non-zero and zero.
multiclass FCmp<list<CondCode> positive, list<CondCode> negative, dag result> {
  foreach cc = positive in {
    def : Pat<(i64 (setcc f32:$a, f32:$b, cc)), result>;
  }
  foreach cc = negative in {
    def : Pat<(i64 (setcc f32:$a, f32:$b, cc)), (XORI result, 1)>;
    def : Pat<(brcond (i64 (setcc f32:$a, f32:$b, cc)), bb:$t), (BEZ result, bb:$t)>;
    foreach vt = [i64, f32] in
      def : Pat<(vt (select (i64 (setcc f32:$a, f32:$b, cc)), vt:$x, vt:$y)), (SEL result, GPR:$y, GPR:$x)>;
  }
}
defm : FCmp<[SETOEQ, SETEQ], [SETUNE, SETNE], (FEQ GPR:$a, GPR:$b)>;
defm : FCmp<[SETOLT, SETLT], [SETUGE], (FLT GPR:$a, GPR:$b)>;
defm : FCmp<[SETOLE, SETLE], [SETUGT], (FLE GPR:$a, GPR:$b)>;
defm : FCmp<[SETOGT, SETGT], [SETULE], (FLT GPR:$b, GPR:$a)>;
defm : FCmp<[SETOGE, SETGE], [SETULT], (FLE GPR:$b, GPR:$a)>;
defm : FCmp<[SETUO], [SETO], (FUNO GPR:$a, GPR:$b)>;
defm : FCmp<[SETONE], [SETUEQ], (OR (FLT GPR:$a, GPR:$b), (FLT GPR:$b, GPR:$a))>;

def : Pat<(f32 (sint_to_fp i64:$a)), (CVTSW GPR:$a)>;
def : Pat<(f32 (uint_to_fp i64:$a)), (CVTSU GPR:$a)>;
def : Pat<(i64 (fp_to_sint f32:$a)), (CVTWS GPR:$a)>;
def : Pat<(i64 (fp_to_uint f32:$a)), (CVTUS GPR:$a)>;
def : Pat<(i64 (fp_to_sint_sat f32:$a, i64)), (CVTWS GPR:$a)>;
def : Pat<(i64 (fp_to_uint_sat f32:$a, i64)), (CVTUS GPR:$a)>;
def fp16_to_fp32 : SDNode<"ISD::FP16_TO_FP", SDTypeProfile<1, 1, [SDTCisVT<0, f32>, SDTCisVT<1, i64>]>>;
def fp32_to_fp16 : SDNode<"ISD::FP_TO_FP16", SDTypeProfile<1, 1, [SDTCisVT<0, i64>, SDTCisVT<1, f32>]>>;
def bf16_to_fp32 : SDNode<"ISD::BF16_TO_FP", SDTypeProfile<1, 1, [SDTCisVT<0, f32>, SDTCisVT<1, i64>]>>;
def fp32_to_bf16 : SDNode<"ISD::FP_TO_BF16", SDTypeProfile<1, 1, [SDTCisVT<0, i64>, SDTCisVT<1, f32>]>>;
def : Pat<(fp16_to_fp32 i64:$a), (CVTSH GPR:$a)>;
def : Pat<(fp32_to_fp16 f32:$a), (CVTHS GPR:$a)>;
def : Pat<(bf16_to_fp32 i64:$a), (CVTSB GPR:$a)>;
def : Pat<(fp32_to_bf16 f32:$a), (CVTBS GPR:$a)>;

// ---- Memory -----------------------------------------------------------------------------
// base register or frame index plus a 24-bit signed offset
def addr : ComplexPattern<iPTR, 2, "selectAddr", [add, or, frameindex]>;

multiclass LoadPat<SDPatternOperator access, ValueType vt, Instruction inst, int space> {
  def _frag : PatFrag<(ops node:$p), (access node:$p),
                      "return cast<MemSDNode>(N)->getAddressSpace() == " # space # ";">;
  def : Pat<(vt (!cast<PatFrag>(NAME # "_frag") (addr i64:$base, i64:$offset))), (inst $base, $offset)>;
}
multiclass StorePat<SDPatternOperator access, ValueType vt, Instruction inst, int space> {
  def _frag : PatFrag<(ops node:$v, node:$p), (access node:$v, node:$p),
                      "return cast<MemSDNode>(N)->getAddressSpace() == " # space # ";">;
  def : Pat<(!cast<PatFrag>(NAME # "_frag") vt:$v, (addr i64:$base, i64:$offset)), (inst GPR:$v, $base, $offset)>;
}
multiclass MemPats<string p, int space, Instruction b, Instruction bu, Instruction h, Instruction hu, Instruction w,
                   Instruction wu, Instruction d, Instruction sb, Instruction sh, Instruction sw, Instruction sd> {
  defm p # SextB : LoadPat<sextloadi8, i64, b, space>;
  defm p # ZextB : LoadPat<zextloadi8, i64, bu, space>;
  defm p # AextB : LoadPat<extloadi8, i64, bu, space>;
  defm p # SextH : LoadPat<sextloadi16, i64, h, space>;
  defm p # ZextH : LoadPat<zextloadi16, i64, hu, space>;
  defm p # AextH : LoadPat<extloadi16, i64, hu, space>;
  defm p # SextW : LoadPat<sextloadi32, i64, w, space>;
  defm p # ZextW : LoadPat<zextloadi32, i64, wu, space>;
  defm p # AextW : LoadPat<extloadi32, i64, w, space>;
  defm p # D : LoadPat<load, i64, d, space>;
  defm p # F : LoadPat<load, f32, wu, space>;
  defm p # StB : StorePat<truncstorei8, i64, sb, space>;
  defm p # StH : StorePat<truncstorei16, i64, sh, space>;
  defm p # StW : StorePat<truncstorei32, i64, sw, space>;
  defm p # StD : StorePat<store, i64, sd, space>;
  defm p # StF : StorePat<store, f32, sw, space>;
}
defm "" : MemPats<"GM", 0, LDB, LDBU, LDH, LDHU, LDW, LDWU, LDD, STB, STH, STW, STD>;
defm "" : MemPats<"UB", 6, LUB, LUBU, LUH, LUHU, LUW, LUWU, LUD, STUB8, STUB16, STUB32, STUB64>;
def : Pat<(i64 (readcyclecounter)), (SREG 4)>;
