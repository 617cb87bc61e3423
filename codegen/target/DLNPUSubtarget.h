// What a core kind has: features come from isa/isa/DLNPUFeatures.td.
#pragma once

#include "DLNPUFrameLowering.h"
#include "DLNPUISelLowering.h"
#include "DLNPUInstrInfo.h"
#include "llvm/CodeGen/SelectionDAGTargetInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#define GET_SUBTARGETINFO_HEADER
#include "DLNPUGenSubtargetInfo.inc"

namespace llvm {

class DLNPUSubtarget : public DLNPUGenSubtargetInfo {
  bool HasAIC = false;
  bool HasAIV = false;
  InstrItineraryData itineraries;
  DLNPUInstrInfo instrInfo;
  DLNPUFrameLowering frameLowering;
  DLNPUTargetLowering lowering;
  SelectionDAGTargetInfo dagInfo;

  InstrItineraryData readFeatures(StringRef cpu, StringRef features);

public:
  DLNPUSubtarget(const Triple& triple, StringRef cpu, StringRef features, const DLNPUTargetMachine& machine);
  void ParseSubtargetFeatures(StringRef cpu, StringRef tuneCpu, StringRef features);

  bool hasAIC() const { return HasAIC; }
  bool hasAIV() const { return HasAIV; }

  const DLNPUInstrInfo* getInstrInfo() const override { return &instrInfo; }
  const DLNPUFrameLowering* getFrameLowering() const override { return &frameLowering; }
  const DLNPUTargetLowering* getTargetLowering() const override { return &lowering; }
  const DLNPURegisterInfo* getRegisterInfo() const override { return &instrInfo.getRegisterInfo(); }
  const SelectionDAGTargetInfo* getSelectionDAGInfo() const override { return &dagInfo; }
  const InstrItineraryData* getInstrItineraryData() const override { return &itineraries; }

  bool enableMachineScheduler() const override { return true; }
  bool useAA() const override { return true; }
};

} // namespace llvm
