// Scalar instructions: slots S0 and S1. Registers are interlocked.

// ---- Constants and special registers ----------------------------------------
class LongImm<bits<9> op, string mn, dag outs, dag ins, string args, string doc>
    : DLNPUInst<op, mn, outs, ins, args, IIAlu, doc> {
  bits<5> rd; bits<32> imm;
  let Inst{53-49} = rd; let Inst{31-0} = imm;
  let ImmFields = ["imm:0:32"];
}
let isReMaterializable = 1, isAsCheapAsAMove = 1, isMoveImm = 1 in
def LI : LongImm<0x001, "li", (outs GPR:$rd), (ins simm32:$imm), "$rd, $imm", "rd = sign-extended 32-bit immediate."> {
  let Roles = ["def"];
}
let Constraints = "$rd = $rs" in
def LIH : LongImm<0x002, "lih", (outs GPR:$rd), (ins GPR:$rs, uimm32:$imm), "$rd, $imm",
                  "rd[63:32] = immediate, rd[31:0] unchanged."> {
  let Roles = ["defuse"];
}
let isMoveReg = 1, isAsCheapAsAMove = 1 in
def MOV : InstRR<0x003, "mov", IIAlu, "rd = ra.">;
def SREG : DLNPUInst<0x004, "sreg", (outs GPR:$rd), (ins uimm24:$imm), "$rd, $imm", IIAlu,
    "rd = special register: 0 core index (of its kind), 1 core count (of its kind), 2 sub-core index, "
    "3 argument base, 4 cycle counter, 5 sub-core count, 6 group index (AIC number of this core's group)."> {
  bits<5> rd; bits<24> imm;
  let Inst{53-49} = rd; let Inst{23-0} = imm;
  let hasSideEffects = 1;
  let Roles = ["def"];
  let ImmFields = ["sreg:0:24"];
}

// ---- Integer ------------------------------------------------------------------
def ADD  : InstRRR<0x010, "add", IIAlu, "rd = ra + rb (64-bit, wraps).">;
def SUB  : InstRRR<0x011, "sub", IIAlu, "rd = ra - rb.">;
def MUL  : InstRRR<0x012, "mul", IIMul, "rd = low 64 bits of ra * rb.">;
def MULH : InstRRR<0x013, "mulh", IIMul, "rd = high 64 bits of the signed product.">;
def MULHU: InstRRR<0x014, "mulhu", IIMul, "rd = high 64 bits of the unsigned product.">;
def DIV  : InstRRR<0x015, "div", IIDiv, "rd = ra / rb, signed, towards zero; division by zero gives -1, overflow gives ra.">;
def DIVU : InstRRR<0x016, "divu", IIDiv, "rd = ra / rb, unsigned; division by zero gives all ones.">;
def REM  : InstRRR<0x017, "rem", IIDiv, "rd = ra - (ra / rb) * rb, signed; rb = 0 gives ra, overflow gives 0.">;
def REMU : InstRRR<0x018, "remu", IIDiv, "rd = unsigned remainder; rb = 0 gives ra.">;
def AND  : InstRRR<0x019, "and", IIAlu, "rd = ra & rb.">;
def OR   : InstRRR<0x01a, "or", IIAlu, "rd = ra | rb.">;
def XOR  : InstRRR<0x01b, "xor", IIAlu, "rd = ra ^ rb.">;
def SHL  : InstRRR<0x01c, "shl", IIAlu, "rd = ra << (rb & 63).">;
def SHR  : InstRRR<0x01d, "shr", IIAlu, "rd = ra >> (rb & 63), logical.">;
def SAR  : InstRRR<0x01e, "sar", IIAlu, "rd = ra >> (rb & 63), arithmetic.">;
def MIN  : InstRRR<0x01f, "min", IIAlu, "rd = signed minimum.">;
def MAX  : InstRRR<0x020, "max", IIAlu, "rd = signed maximum.">;
def MINU : InstRRR<0x021, "minu", IIAlu, "rd = unsigned minimum.">;
def MAXU : InstRRR<0x022, "maxu", IIAlu, "rd = unsigned maximum.">;
def SEQ  : InstRRR<0x023, "seq", IIAlu, "rd = ra == rb ? 1 : 0.">;
def SNE  : InstRRR<0x024, "sne", IIAlu, "rd = ra != rb ? 1 : 0.">;
def SLT  : InstRRR<0x025, "slt", IIAlu, "rd = ra < rb signed ? 1 : 0.">;
def SLE  : InstRRR<0x026, "sle", IIAlu, "rd = ra <= rb signed ? 1 : 0.">;
def SLTU : InstRRR<0x027, "sltu", IIAlu, "rd = ra < rb unsigned ? 1 : 0.">;
def SLEU : InstRRR<0x028, "sleu", IIAlu, "rd = ra <= rb unsigned ? 1 : 0.">;
def ADDI : InstRRI<0x030, "addi", IIAlu, "rd = ra + imm.">;
def ANDI : InstRRI<0x031, "andi", IIAlu, "rd = ra & imm (sign-extended).">;
def ORI  : InstRRI<0x032, "ori", IIAlu, "rd = ra | imm.">;
def XORI : InstRRI<0x033, "xori", IIAlu, "rd = ra ^ imm.">;
def SHLI : InstRRI<0x034, "shli", IIAlu, "rd = ra << (imm & 63).">;
def SHRI : InstRRI<0x035, "shri", IIAlu, "rd = ra >> (imm & 63), logical.">;
def SARI : InstRRI<0x036, "sari", IIAlu, "rd = ra >> (imm & 63), arithmetic.">;
def SEQI : InstRRI<0x037, "seqi", IIAlu, "rd = ra == imm ? 1 : 0.">;
def SNEI : InstRRI<0x038, "snei", IIAlu, "rd = ra != imm ? 1 : 0.">;
def SLTI : InstRRI<0x039, "slti", IIAlu, "rd = ra < imm signed ? 1 : 0.">;
def MULI : InstRRI<0x03a, "muli", IIMul, "rd = ra * imm.">;
def SXTB : InstRR<0x040, "sxt.b", IIAlu, "rd = sign-extended low 8 bits.">;
def SXTH : InstRR<0x041, "sxt.h", IIAlu, "rd = sign-extended low 16 bits.">;
def SXTW : InstRR<0x042, "sxt.w", IIAlu, "rd = sign-extended low 32 bits.">;
def ZXTW : InstRR<0x043, "zxt.w", IIAlu, "rd = zero-extended low 32 bits.">;
def SEL  : InstRRRR<0x044, "sel", IIAlu, "rd = ra != 0 ? rb : rc.">;

// ---- f32 ------------------------------------------------------------------------
def FADD : InstRRR<0x050, "fadd", IIFpu, "f32 sum, to nearest even.">;
def FSUB : InstRRR<0x051, "fsub", IIFpu, "f32 difference.">;
def FMUL : InstRRR<0x052, "fmul", IIFpu, "f32 product.">;
def FDIV : InstRRR<0x053, "fdiv", IIFDiv, "f32 quotient.">;
def FMIN : InstRRR<0x054, "fmin", IIFpu, "f32 minimum; a NaN operand yields the other one.">;
def FMAX : InstRRR<0x055, "fmax", IIFpu, "f32 maximum; a NaN operand yields the other one.">;
def FSQRT: InstRR<0x056, "fsqrt", IIFDiv, "f32 square root, correctly rounded.">;
def FNEG : InstRR<0x057, "fneg", IIAlu, "f32 sign flipped.">;
def FABS : InstRR<0x058, "fabs", IIAlu, "f32 sign cleared.">;
def FEQ  : InstRRR<0x059, "feq", IIFpu, "rd = ra == rb ? 1 : 0; 0 if unordered.">;
def FLT  : InstRRR<0x05a, "flt", IIFpu, "rd = ra < rb ? 1 : 0; 0 if unordered.">;
def FLE  : InstRRR<0x05b, "fle", IIFpu, "rd = ra <= rb ? 1 : 0; 0 if unordered.">;
def FUNO : InstRRR<0x05c, "funo", IIFpu, "rd = 1 if ra or rb is a NaN, else 0.">;
def CVTSW: InstRR<0x060, "cvt.f32.i64", IIFpu, "f32 from signed 64-bit, to nearest even.">;
def CVTSU: InstRR<0x061, "cvt.f32.u64", IIFpu, "f32 from unsigned 64-bit, to nearest even.">;
def CVTWS: InstRR<0x062, "cvt.i64.f32", IIFpu, "signed 64-bit from f32, towards zero, saturating; NaN gives 0.">;
def CVTUS: InstRR<0x063, "cvt.u64.f32", IIFpu, "unsigned 64-bit from f32, towards zero, saturating; NaN gives 0.">;
def CVTSH: InstRR<0x064, "cvt.f32.f16", IIFpu, "f32 from the f16 in the low 16 bits, exact.">;
def CVTHS: InstRR<0x065, "cvt.f16.f32", IIFpu, "f16 bits (zero-extended) from f32, to nearest even.">;
def CVTSB: InstRR<0x066, "cvt.f32.bf16", IIFpu, "f32 from the bf16 in the low 16 bits, exact.">;
def CVTBS: InstRR<0x067, "cvt.bf16.f32", IIFpu, "bf16 bits (zero-extended) from f32, to nearest even.">;

// ---- Memory: global memory through the data cache, and the unified buffer ---------
// Narrow loads sign- (`.b .h .w`) or zero-extend (`.bu .hu .wu`).
def LDB  : InstLoad<0x070, "ld.b", "Load 8 bits from global memory, sign-extended.">;
def LDBU : InstLoad<0x071, "ld.bu", "Load 8 bits from global memory, zero-extended.">;
def LDH  : InstLoad<0x072, "ld.h", "Load 16 bits from global memory, sign-extended.">;
def LDHU : InstLoad<0x073, "ld.hu", "Load 16 bits from global memory, zero-extended.">;
def LDW  : InstLoad<0x074, "ld.w", "Load 32 bits from global memory, sign-extended.">;
def LDWU : InstLoad<0x075, "ld.wu", "Load 32 bits from global memory, zero-extended.">;
def LDD  : InstLoad<0x076, "ld.d", "Load 64 bits from global memory.">;
def STB  : InstStore<0x078, "st.b", "Store the low 8 bits to global memory.">;
def STH  : InstStore<0x079, "st.h", "Store the low 16 bits to global memory.">;
def STW  : InstStore<0x07a, "st.w", "Store the low 32 bits to global memory.">;
def STD  : InstStore<0x07b, "st.d", "Store 64 bits to global memory.">;
let Predicates = [HasAIV] in {
def LUB  : InstLoad<0x080, "ldub.b", "Load 8 bits from UB, sign-extended.">;
def LUBU : InstLoad<0x081, "ldub.bu", "Load 8 bits from UB, zero-extended.">;
def LUH  : InstLoad<0x082, "ldub.h", "Load 16 bits from UB, sign-extended.">;
def LUHU : InstLoad<0x083, "ldub.hu", "Load 16 bits from UB, zero-extended.">;
def LUW  : InstLoad<0x084, "ldub.w", "Load 32 bits from UB, sign-extended.">;
def LUWU : InstLoad<0x085, "ldub.wu", "Load 32 bits from UB, zero-extended.">;
def LUD  : InstLoad<0x086, "ldub.d", "Load 64 bits from UB.">;
def STUB8 : InstStore<0x088, "stub.b", "Store the low 8 bits to UB.">;
def STUB16: InstStore<0x089, "stub.h", "Store the low 16 bits to UB.">;
def STUB32: InstStore<0x08a, "stub.w", "Store the low 32 bits to UB.">;
def STUB64: InstStore<0x08b, "stub.d", "Store 64 bits to UB.">;
}

// ---- Atomic updates of global memory ------------------------------------------------------
// The sequencer waits for the answer of the line's L2 slice; the update happens when it arrives. It is not ordered with
// commands in the queues: a barrier before it makes their stores visible first.
def ATOM : InstAtomic<0x08c, "atom.rmw", (ins GPR:$ra, GPR:$rb, uimm24:$imm), "$ra, $rb",
    "rd = the element at address ra, integers sign-extended, floats as bits; the element becomes itself combined with rb. "
    "op: 1 add, 2 max, 3 min, 4 and, 5 or, 6 xor, 7 rb itself; and, or and xor of integers only. 16-bit floats add in f32, "
    "rounded once. The address is a multiple of the element's size."> {
  let Roles = ["def", "use", "use"];
  let ImmFields = ["dtype:0:4", "op:4:3"];
}
def ATOMCAS : InstAtomic<0x08d, "atom.cas", (ins GPR:$ra, GPR:$rb, GPR:$rc, uimm24:$imm), "$ra, $rb, $rc",
    "rd = the element at address ra, as atom.rmw gives it; if its bits are those of rb, it becomes rc."> {
  bits<5> rc; let Inst{38-34} = rc;
  let Roles = ["def", "use", "use", "use"];
  let ImmFields = ["dtype:0:4"];
}

// ---- Control ------------------------------------------------------------------------
// Branch targets are in words, relative to the branch word itself.
class Branch<bits<9> op, string mn, dag ins, string args, string doc>
    : DLNPUInst<op, mn, (outs), ins, args, IIBranch, doc> {
  bits<24> target;
  let Inst{23-0} = target;
  let isBranch = 1;
  let isTerminator = 1;
  let ImmFields = ["target:0:24"];
}
let isBarrier = 1 in
def JMP : Branch<0x0a0, "jmp", (ins brtarget:$target), "$target", "Branch always.">;
def BNZ : Branch<0x0a1, "bnz", (ins GPR:$ra, brtarget:$target), "$ra, $target", "Branch if ra != 0."> {
  bits<5> ra; let Inst{53-49} = ra; let Roles = ["use"];
}
def BEZ : Branch<0x0a2, "bez", (ins GPR:$ra, brtarget:$target), "$ra, $target", "Branch if ra == 0."> {
  bits<5> ra; let Inst{53-49} = ra; let Roles = ["use"];
}
let isCall = 1, Defs = [R31] in {
def CALL : DLNPUInst<0x0a3, "call", (outs), (ins calltarget:$target), "$target", IIBranch,
                     "r31 = address after this bundle; branch."> {
  bits<24> target; let Inst{23-0} = target;
  let ImmFields = ["target:0:24"];
}
def CALLR : DLNPUInst<0x0a4, "callr", (outs), (ins GPR:$ra), "$ra", IIBranch,
                      "r31 = address after this bundle; branch to ra."> {
  bits<5> ra; let Inst{53-49} = ra; let Roles = ["use"];
}
}
let isReturn = 1, isTerminator = 1, isBarrier = 1, Uses = [R31] in
def RET : DLNPUInst<0x0a5, "ret", (outs), (ins), "", IIBranch, "Branch to r31.">;
let isBarrier = 1, isTerminator = 1, isReturn = 1, hasSideEffects = 1 in
def EXIT : DLNPUInst<0x0a6, "exit", (outs), (ins), "", IIBranch,
                     "End of the program on this core; it is done when all its queues have drained.">;
let hasSideEffects = 1 in
def TRAP : DLNPUInst<0x0a7, "trap", (outs), (ins uimm24:$imm), "$imm", IIBranch,
                     "Fault with this code; the simulator reports core, source line and code, or the text of the message "
                     "of that number in the kernel binary."> {
  bits<24> imm; let Inst{23-0} = imm; let ImmFields = ["code:0:24"];
}
let hasSideEffects = 1 in
def PRINT : DLNPUInst<0x0a9, "print", (outs), (ins GPR:$ra, uimm24:$imm), "$ra, $imm", IIScalarSync,
                      "Hands ra to the host as the next value of this message; the kernel binary says how many values a message "
                      "has and how to print them."> {
  bits<5> ra; bits<24> imm; let Inst{53-49} = ra; let Inst{23-0} = imm;
  let Roles = ["use"];
  let ImmFields = ["message:0:24"];
}
let isBarrier = 1, isTerminator = 1, isBranch = 1, isIndirectBranch = 1 in
def JMPR : DLNPUInst<0x0a8, "jmpr", (outs), (ins GPR:$ra), "$ra", IIBranch, "Branch to ra."> {
  bits<5> ra; let Inst{53-49} = ra; let Roles = ["use"];
}
def NOP : DLNPUInst<0x000, "nop", (outs), (ins), "", IIAlu, "No operation.">;
