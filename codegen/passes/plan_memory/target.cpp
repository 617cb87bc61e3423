#include "codegen/passes/plan_memory/target.h"

#include "codegen/passes/plan_memory/chip_file.h"

namespace dlsim::codegen {
namespace {

TargetMemory standard() {
  auto target = TargetMemory::forChip("ascend910b1");
  if (!target)
    llvm::report_fatal_error(target.takeError(), /*gen_crash_diag=*/false);
  return *target;
}

} // namespace

TargetMemory::TargetMemory() {
  static const TargetMemory known = standard();
  *this = known;
}

const ScopeMemory& TargetMemory::scope(npu::Space space) const {
  switch (space) {
  case npu::Space::L1:
    return l1;
  case npu::Space::L0A:
    return l0a;
  case npu::Space::L0B:
    return l0b;
  case npu::Space::L0C:
    return l0c;
  default:
    return ub;
  }
}

llvm::Expected<TargetMemory> TargetMemory::forChip(llvm::StringRef nameOrPath) {
  auto chip = ChipFile::open(nameOrPath);
  if (!chip)
    return chip.takeError();
  TargetMemory target{Empty()};
  target.chip = nameOrPath.str();
  chip->get("core.aiv.scope.ub", target.ub);
  chip->get("core.aic.scope.l1", target.l1);
  chip->get("core.aic.scope.l0a", target.l0a);
  chip->get("core.aic.scope.l0b", target.l0b);
  chip->get("core.aic.scope.l0c", target.l0c);
  chip->get("core.aiv.per_cluster", target.vectorCores);
  chip->get("ub.groups", target.banks.groups);
  chip->get("ub.banks_per_group", target.banks.banks);
  chip->get("ub.row_bytes", target.banks.rowBytes);
  chip->get("ub.bank_bytes", target.banks.bankBytes);
  int64_t requests = 0, requestBytes = 0;
  chip->get("dma.read_window", requests);
  chip->get("l2.line_bytes", requestBytes);
  target.inFlightBytes = requests * requestBytes;
  if (!chip->missing.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "chip file " + llvm::Twine(chip->name) + ": has no " + chip->missing +
                                       " above 0, which a chip that can be compiled for needs");
  return target;
}

} // namespace dlsim::codegen
