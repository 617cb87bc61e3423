// One word, one layout:
//
//   63      "not the last word of its bundle"
//   62..54  opcode
//   53..49 48..44 43..39 38..34 33..29 28..24   register operands 0..5
//   23..0   immediate (signed or a set of named fields)
//
// `li` and `lih` use 31..0 for a 32-bit immediate. Bits that an instruction
// does not use are zero, and the decoder refuses them otherwise.

class simm<int width> : Operand<i64> {
  let DecoderMethod = "decodeSImm<" # width # ">";
}
def simm24 : simm<24>;
def simm32 : simm<32>;
def uimm24 : Operand<i64>;
def uimm32 : Operand<i64>;
def brtarget : Operand<OtherVT> {
  let EncoderMethod = "getBranchTarget";
  let DecoderMethod = "decodeBranchTarget";
  let OperandType = "OPERAND_PCREL";
}

// The same field, as a function's address.
def calltarget : Operand<i64> {
  let EncoderMethod = "getBranchTarget";
  let DecoderMethod = "decodeBranchTarget";
  let OperandType = "OPERAND_PCREL";
}

class DLNPUInst<bits<9> opcode, string mnemonic, dag outs, dag ins, string args,
                InstrItinClass itin, string doc> : Instruction {
  let Namespace = "DLNPU";
  let Size = 8;
  let DecoderNamespace = "DLNPU";
  bits<64> Inst = 0;
  bits<64> SoftFail = 0;
  let Inst{62-54} = opcode;
  // The bridge from LLVM's numbering to the tables.
  let TSFlags{8-0} = opcode;

  let OutOperandList = outs;
  let InOperandList = ins;
  let AsmString = mnemonic # !if(!empty(args), "", "\t" # args);
  let Pattern = [];
  let Itinerary = itin;
  let hasSideEffects = 0;
  let mayLoad = 0;
  let mayStore = 0;

  // Read by the table generator, not by LLVM.
  string Mnemonic = mnemonic;
  string Doc = doc;
  string Unit = "S";          // the unit whose queue holds it
  list<string> Roles = [];    // per register operand, see DLNPUTransfer.td
  list<string> ImmFields = []; // "name:low bit:width"
}

// ---- Scalar forms -----------------------------------------------------------
class InstRRR<bits<9> op, string mn, InstrItinClass itin, string doc>
    : DLNPUInst<op, mn, (outs GPR:$rd), (ins GPR:$ra, GPR:$rb), "$rd, $ra, $rb", itin, doc> {
  bits<5> rd; bits<5> ra; bits<5> rb;
  let Inst{53-49} = rd; let Inst{48-44} = ra; let Inst{43-39} = rb;
  let Roles = ["def", "use", "use"];
}
class InstRR<bits<9> op, string mn, InstrItinClass itin, string doc>
    : DLNPUInst<op, mn, (outs GPR:$rd), (ins GPR:$ra), "$rd, $ra", itin, doc> {
  bits<5> rd; bits<5> ra;
  let Inst{53-49} = rd; let Inst{48-44} = ra;
  let Roles = ["def", "use"];
}
class InstRRI<bits<9> op, string mn, InstrItinClass itin, string doc>
    : DLNPUInst<op, mn, (outs GPR:$rd), (ins GPR:$ra, simm24:$imm), "$rd, $ra, $imm", itin, doc> {
  bits<5> rd; bits<5> ra; bits<24> imm;
  let Inst{53-49} = rd; let Inst{48-44} = ra; let Inst{23-0} = imm;
  let Roles = ["def", "use"];
  let ImmFields = ["imm:0:24"];
}
class InstRRRR<bits<9> op, string mn, InstrItinClass itin, string doc>
    : DLNPUInst<op, mn, (outs GPR:$rd), (ins GPR:$ra, GPR:$rb, GPR:$rc), "$rd, $ra, $rb, $rc", itin, doc> {
  bits<5> rd; bits<5> ra; bits<5> rb; bits<5> rc;
  let Inst{53-49} = rd; let Inst{48-44} = ra; let Inst{43-39} = rb; let Inst{38-34} = rc;
  let Roles = ["def", "use", "use", "use"];
}
class InstLoad<bits<9> op, string mn, string doc>
    : DLNPUInst<op, mn, (outs GPR:$rd), (ins GPR:$ra, simm24:$imm), "$rd, [$ra, $imm]", IILoad, doc> {
  bits<5> rd; bits<5> ra; bits<24> imm;
  let Inst{53-49} = rd; let Inst{48-44} = ra; let Inst{23-0} = imm;
  let mayLoad = 1;
  let Roles = ["def", "use"];
  let ImmFields = ["offset:0:24"];
}
class InstStore<bits<9> op, string mn, string doc>
    : DLNPUInst<op, mn, (outs), (ins GPR:$rs, GPR:$ra, simm24:$imm), "$rs, [$ra, $imm]", IIStore, doc> {
  bits<5> rs; bits<5> ra; bits<24> imm;
  let Inst{53-49} = rs; let Inst{48-44} = ra; let Inst{23-0} = imm;
  let mayStore = 1;
  let Roles = ["use", "use"];
  let ImmFields = ["offset:0:24"];
}

// An atomic update of an element of global memory; the immediate says of which type, and what becomes of it.
class InstAtomic<bits<9> op, string mn, dag ins, string args, string doc>
    : DLNPUInst<op, mn, (outs GPR:$rd), ins, "$rd, " # args # ", $imm", IILoad, doc> {
  bits<5> rd; bits<5> ra; bits<5> rb; bits<24> imm;
  let Inst{53-49} = rd; let Inst{48-44} = ra; let Inst{43-39} = rb; let Inst{23-0} = imm;
  let mayLoad = 1;
  let mayStore = 1;
  let hasSideEffects = 1;
}

// ---- Commands ---------------------------------------------------------------
// A command reads N scalar registers and a 24-bit immediate at issue and is then
// pushed into its unit's queue.
class Command<bits<9> op, string mn, string unit, InstrItinClass itin, dag ins, string args, string doc>
    : DLNPUInst<op, mn, (outs), ins, args, itin, doc> {
  let Unit = unit;
  let hasSideEffects = 1;
  bits<24> imm = 0;
  let Inst{23-0} = imm;
}
class Command1<bits<9> op, string mn, string unit, InstrItinClass itin, string doc>
    : Command<op, mn, unit, itin, (ins GPR:$a, uimm24:$imm), "$a, $imm", doc> {
  bits<5> a; let Inst{53-49} = a; bits<24> imm;
}
class Command2<bits<9> op, string mn, string unit, InstrItinClass itin, string doc>
    : Command<op, mn, unit, itin, (ins GPR:$a, GPR:$b, uimm24:$imm), "$a, $b, $imm", doc> {
  bits<5> a; bits<5> b; let Inst{53-49} = a; let Inst{48-44} = b; bits<24> imm;
}
class Command3<bits<9> op, string mn, string unit, InstrItinClass itin, string doc>
    : Command<op, mn, unit, itin, (ins GPR:$a, GPR:$b, GPR:$c, uimm24:$imm), "$a, $b, $c, $imm", doc> {
  bits<5> a; bits<5> b; bits<5> c; bits<24> imm;
  let Inst{53-49} = a; let Inst{48-44} = b; let Inst{43-39} = c;
}
class Command4<bits<9> op, string mn, string unit, InstrItinClass itin, string doc>
    : Command<op, mn, unit, itin, (ins GPR:$a, GPR:$b, GPR:$c, GPR:$d, uimm24:$imm),
              "$a, $b, $c, $d, $imm", doc> {
  bits<5> a; bits<5> b; bits<5> c; bits<5> d; bits<24> imm;
  let Inst{53-49} = a; let Inst{48-44} = b; let Inst{43-39} = c; let Inst{38-34} = d;
}
class Command5<bits<9> op, string mn, string unit, InstrItinClass itin, string doc>
    : Command<op, mn, unit, itin, (ins GPR:$a, GPR:$b, GPR:$c, GPR:$d, GPR:$e, uimm24:$imm),
              "$a, $b, $c, $d, $e, $imm", doc> {
  bits<5> a; bits<5> b; bits<5> c; bits<5> d; bits<5> e; bits<24> imm;
  let Inst{53-49} = a; let Inst{48-44} = b; let Inst{43-39} = c; let Inst{38-34} = d; let Inst{33-29} = e;
}
class Command6<bits<9> op, string mn, string unit, InstrItinClass itin, string doc>
    : Command<op, mn, unit, itin, (ins GPR:$a, GPR:$b, GPR:$c, GPR:$d, GPR:$e, GPR:$f, uimm24:$imm),
              "$a, $b, $c, $d, $e, $f, $imm", doc> {
  bits<5> a; bits<5> b; bits<5> c; bits<5> d; bits<5> e; bits<5> f; bits<24> imm;
  let Inst{53-49} = a; let Inst{48-44} = b; let Inst{43-39} = c; let Inst{38-34} = d; let Inst{33-29} = e;
  let Inst{28-24} = f;
}
