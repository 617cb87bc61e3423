// Flags, barriers and cross-core flags.
//
// set_flag.U P, id : sits in U's queue; when it is reached, adds one token to flag (U -> P, id).
// wait_flag.U P, id: sits in U's queue; holds it until flag (P -> U, id) has a token, then takes it.
// Eight ids a pair of units, each a counter of 0..15. The scalar unit counts as a unit: its wait holds
// the sequencer. The `r` forms add register a to the id field.
// immediate: [2:0] id, [7:4] the other unit (0 S, 1 MTE1, 2 MTE2, 3 MTE3, 4 FIX, 5 M, 6 V).
class UnitInfo<string name, int num, InstrItinClass itin, list<Predicate> preds> {
  string Name = name;
  int Num = num;
  InstrItinClass Itin = itin;
  list<Predicate> Preds = preds;
}
def UnitS : UnitInfo<"s", 0, IIScalarSync, []>;
def UnitMTE1 : UnitInfo<"mte1", 1, IIMTE1, [HasAIC]>;
def UnitMTE2 : UnitInfo<"mte2", 2, IIMTE2, []>;
def UnitMTE3 : UnitInfo<"mte3", 3, IIMTE3, []>;
def UnitFIX : UnitInfo<"fix", 4, IIFIX, [HasAIC]>;
def UnitM : UnitInfo<"m", 5, IIM, [HasAIC]>;
def UnitV : UnitInfo<"v", 6, IIV, [HasAIV]>;

def FlagPeerAsmOperand : AsmOperandClass { let Name = "FlagPeer"; let ParserMethod = "parseFlagPeer"; }
// Prints the other unit by name; 4 bits.
def flagpeer : Operand<i64> {
  let PrintMethod = "printFlagPeer";
  let ParserMatchClass = FlagPeerAsmOperand;
  let DecoderMethod = "decodeFlagPeer";
}
// Flag ids are 0..7.
def uimm3 : Operand<i64>;

class FlagInst<bits<9> op, string mn, UnitInfo u, string doc>
    : DLNPUInst<op, mn # "." # u.Name, (outs), (ins flagpeer:$peer, uimm3:$id), "$peer, $id", u.Itin, doc> {
  bits<4> peer; bits<3> id;
  let Inst{7-4} = peer; let Inst{2-0} = id;
  let Unit = !toupper(u.Name); let hasSideEffects = 1; let Predicates = u.Preds;
  let ImmFields = ["id:0:3", "peer:4:4"];
}
class FlagInstR<bits<9> op, string mn, UnitInfo u, string doc>
    : DLNPUInst<op, mn # "r." # u.Name, (outs), (ins GPR:$a, flagpeer:$peer, uimm3:$id), "$a, $peer, $id", u.Itin, doc> {
  bits<5> a; bits<4> peer; bits<3> id;
  let Inst{53-49} = a; let Inst{7-4} = peer; let Inst{2-0} = id;
  let Unit = !toupper(u.Name); let hasSideEffects = 1; let Predicates = u.Preds;
  let Roles = ["use"];
  let ImmFields = ["id:0:3", "peer:4:4"];
}
// Cross-core flags: immediate [3:0] id, [5:4] mode (0 all cores of this kind, 1 the sub-cores of a group,
// 2 the cube core and the vector cores of a group).
class CrossInst<bits<9> op, string mn, UnitInfo u, string doc>
    : DLNPUInst<op, mn # "." # u.Name, (outs), (ins uimm24:$imm), "$imm", u.Itin, doc> {
  bits<24> imm; let Inst{23-0} = imm;
  let Unit = !toupper(u.Name); let hasSideEffects = 1; let Predicates = u.Preds;
  let ImmFields = ["id:0:4", "mode:4:2"];
}
class BarrierInst<bits<9> op, UnitInfo u, string doc>
    : DLNPUInst<op, "barrier." # u.Name, (outs), (ins), "", u.Itin, doc> {
  let Unit = !toupper(u.Name); let hasSideEffects = 1; let Predicates = u.Preds;
}

foreach u = [UnitS, UnitMTE1, UnitMTE2, UnitMTE3, UnitFIX, UnitM, UnitV] in {
  defvar N = !toupper(u.Name);
  def SETFLAG_#N : FlagInst<!add(0x0c0, u.Num), "set_flag", u, "Add a token to flag (this unit -> peer, id).">;
  def WAITFLAG_#N : FlagInst<!add(0x0c8, u.Num), "wait_flag", u, "Wait for a token of flag (peer -> this unit, id) and take it.">;
  def SETFLAGR_#N : FlagInstR<!add(0x0d0, u.Num), "set_flag", u, "set_flag with id = a + id field.">;
  def WAITFLAGR_#N : FlagInstR<!add(0x0d8, u.Num), "wait_flag", u, "wait_flag with id = a + id field.">;
  def XSET_#N : CrossInst<!add(0x0e0, u.Num), "xset", u, "Set a cross-core flag when this unit reaches it.">;
  def XWAIT_#N : CrossInst<!add(0x0e8, u.Num), "xwait", u, "Wait for a cross-core flag and take it.">;
}
foreach u = [UnitMTE1, UnitMTE2, UnitMTE3, UnitFIX, UnitM, UnitV] in
  def BARRIER_#!toupper(u.Name) : BarrierInst<!add(0x0f0, u.Num), u, "Commands of this unit before it end before those after it begin.">;
def BARRIER_ALL : DLNPUInst<0x0f0, "barrier.all", (outs), (ins), "", IIScalarSync,
                            "The sequencer waits until every queue of this core has drained."> {
  let hasSideEffects = 1;
}
