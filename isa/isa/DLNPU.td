//===- DLNPU.td - The DLNPU instruction set, described once ----------------===//
//
// Everything that knows an instruction (assembler, disassembler, code
// generator, simulator tables, docs/isa.md) is generated from these files.
//
//===----------------------------------------------------------------------===//

include "llvm/Target/Target.td"

include "DLNPURegisters.td"
include "DLNPUFeatures.td"
include "DLNPUSchedule.td"
include "DLNPUFormats.td"
include "DLNPUScalar.td"
include "DLNPUSync.td"
include "DLNPUTransfer.td"
include "DLNPUCube.td"
include "DLNPUVector.td"
include "DLNPUPseudo.td"

def DLNPUInstrInfo : InstrInfo;

def DLNPUAsmParser : AsmParser {
  let ShouldEmitMatchRegisterName = 1;
}

def DLNPUAsmParserVariant : AsmParserVariant {
  int Variant = 0;
  // Mnemonics are written `unit.operation.scope`.
  let TokenizingCharacters = "[]*!{}";
  let BreakCharacters = "";
}

def DLNPU : Target {
  let InstructionSet = DLNPUInstrInfo;
  let AssemblyParsers = [DLNPUAsmParser];
  let AssemblyParserVariants = [DLNPUAsmParserVariant];
}

// One core kind per subtarget feature set.
def : ProcessorModel<"aic", DLNPUModel, [FeatureAIC]>;
def : ProcessorModel<"aiv", DLNPUModel, [FeatureAIV]>;
def : ProcessorModel<"generic", DLNPUModel, [FeatureAIC, FeatureAIV]>;
