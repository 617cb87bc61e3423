#include "DLNPUSubtarget.h"
#include "DLNPU.h"
#include "DLNPUTargetMachine.h"

#define DEBUG_TYPE "dlnpu-subtarget"
#define GET_SUBTARGETINFO_TARGET_DESC
#define GET_SUBTARGETINFO_CTOR
#include "DLNPUGenSubtargetInfo.inc"

using namespace llvm;

// Runs before the members that ask for features are built.
InstrItineraryData DLNPUSubtarget::readFeatures(StringRef cpu, StringRef features) {
  StringRef name = cpu.empty() ? "generic" : cpu;
  ParseSubtargetFeatures(name, name, features);
  return getInstrItineraryForCPU(name);
}

DLNPUSubtarget::DLNPUSubtarget(const Triple& triple, StringRef cpu, StringRef features,
                               const DLNPUTargetMachine& machine)
    : DLNPUGenSubtargetInfo(triple, cpu, cpu, features), itineraries(readFeatures(cpu, features)),
      lowering(machine, *this) {}
