#pragma once

#include "CodegenReport.h"
#include "DLNPUSubtarget.h"
#include "llvm/Target/TargetLoweringObjectFile.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {

class DLNPUTargetMachine : public LLVMTargetMachine {
  std::unique_ptr<TargetLoweringObjectFile> objectFile;
  DLNPUSubtarget subtarget;
  bool pack = true;
  dlsim::codegen::CodegenReport* report = nullptr;

public:
  DLNPUTargetMachine(const Target& target, const Triple& triple, StringRef cpu, StringRef features,
                     const TargetOptions& options, std::optional<Reloc::Model>,
                     std::optional<CodeModel::Model>, CodeGenOptLevel level, bool jit);

  const DLNPUSubtarget* getSubtargetImpl(const Function&) const override { return &subtarget; }
  TargetLoweringObjectFile* getObjFileLowering() const override { return objectFile.get(); }
  TargetPassConfig* createPassConfig(PassManagerBase& passes) override;
  TargetTransformInfo getTargetTransformInfo(const Function& function) const override;
  bool isNoopAddrSpaceCast(unsigned, unsigned) const override { return false; }

  /// Off: every word is a bundle of its own.
  void setPack(bool on) { pack = on; }
  bool packs() const { return pack; }
  /// Where the passes put what they found out; may be null.
  void setReport(dlsim::codegen::CodegenReport* to) { report = to; }
  dlsim::codegen::CodegenReport* codegenReport() const { return report; }
};

} // namespace llvm

extern "C" void LLVMInitializeDLNPUTarget();
extern "C" void LLVMInitializeDLNPUAsmPrinter();

namespace dlsim::codegen {
/// Registers the whole target (MC, code generator, assembly printer) with LLVM; any number of calls.
void registerTarget();
} // namespace dlsim::codegen
