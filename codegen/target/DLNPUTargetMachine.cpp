#include "DLNPUTargetMachine.h"
#include "DLNPU.h"
#include "DLNPUTargetTransformInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetLoweringObjectFileImpl.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/VLIWMachineScheduler.h"
#include "llvm/IR/Function.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include <mutex>

using namespace llvm;

bool llvm::isDLNPUKernel(const Function& function) { return function.hasFnAttribute("dlnpu-kernel"); }

DLNPUTargetMachine::DLNPUTargetMachine(const Target& target, const Triple& triple, StringRef cpu,
                                       StringRef features, const TargetOptions& options,
                                       std::optional<Reloc::Model>, std::optional<CodeModel::Model>,
                                       CodeGenOptLevel level, bool)
    : LLVMTargetMachine(target, DLNPU::kDataLayout, triple, cpu.empty() ? "generic" : cpu, features, options,
                        Reloc::Static, CodeModel::Small, level),
      objectFile(std::make_unique<TargetLoweringObjectFileELF>()), subtarget(triple, cpu, features, *this) {
  initAsmInfo();
}

TargetTransformInfo DLNPUTargetMachine::getTargetTransformInfo(const Function& function) const {
  return TargetTransformInfo(DLNPUTTIImpl(this, function));
}

namespace {

class DLNPUPassConfig : public TargetPassConfig {
public:
  DLNPUPassConfig(DLNPUTargetMachine& machine, PassManagerBase& passes) : TargetPassConfig(machine, passes) {}

  DLNPUTargetMachine& machine() const { return getTM<DLNPUTargetMachine>(); }

  ScheduleDAGInstrs* createMachineScheduler(MachineSchedContext* context) const override {
    if (!machine().packs())
      return nullptr; // the generic scheduler
    return new VLIWMachineScheduler(context, std::make_unique<ConvergingVLIWScheduler>());
  }

  void addIRPasses() override {
    addPass(createDLNPUCheckIRPass());
    TargetPassConfig::addIRPasses();
  }

  bool addInstSelector() override {
    addPass(createDLNPUISelDag(machine(), getOptLevel()));
    return false;
  }

  void addPreEmitPass() override {
    if (machine().packs() && getOptLevel() != CodeGenOptLevel::None)
      addPass(createDLNPUPacketizer());
    addPass(createDLNPUBundleVerifier(machine()));
  }
};

} // namespace

TargetPassConfig* DLNPUTargetMachine::createPassConfig(PassManagerBase& passes) {
  return new DLNPUPassConfig(*this, passes);
}

extern "C" void LLVMInitializeDLNPUTarget() {
  RegisterTargetMachine<DLNPUTargetMachine> registered(getTheDLNPUTarget());
}

void dlsim::codegen::registerTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    mc::registerTarget();
    LLVMInitializeDLNPUTarget();
    LLVMInitializeDLNPUAsmPrinter();
    PassRegistry& registry = *PassRegistry::getPassRegistry();
    initializeCore(registry);
    initializeCodeGen(registry);
  });
}
