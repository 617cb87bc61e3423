// Pseudo instructions of the code generator. They have no encoding and never reach a kernel binary; they live
// here because an instruction's number counts every instruction, so all generated tables must see the same set.
class DLNPUPseudo<dag outs, dag ins> : Instruction {
  let Namespace = "DLNPU";
  let OutOperandList = outs;
  let InOperandList = ins;
  let AsmString = "";
  let Pattern = [];
  let isPseudo = 1;
  let isCodeGenOnly = 1;
  let Size = 0;
  let hasSideEffects = 0;
  let mayLoad = 0;
  let mayStore = 0;
}
let Defs = [R30], Uses = [R30], hasSideEffects = 1 in {
def ADJCALLSTACKDOWN : DLNPUPseudo<(outs), (ins i64imm:$bytes, i64imm:$unused)>;
def ADJCALLSTACKUP : DLNPUPseudo<(outs), (ins i64imm:$bytes, i64imm:$unused)>;
}
