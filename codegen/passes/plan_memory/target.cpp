#include "codegen/passes/plan_memory/target.h"

#include "llvm/ADT/STLExtras.h"

namespace dlsim::codegen {

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

std::optional<TargetMemory> TargetMemory::forChip(llvm::StringRef name) {
  static constexpr llvm::StringLiteral known[] = {"ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4",
                                                  "ascend910b4_cj"};
  if (!llvm::is_contained(known, name))
    return std::nullopt;
  TargetMemory target;
  target.chip = name.str();
  return target;
}

} // namespace dlsim::codegen
