// What the code generator knows of a chip: sizes and alignments of the on-chip memories, in bytes.
// Numbers: vendor target spec of the 910B family as published in AscendNPU-IR (UB 192 KiB, L1 512 KiB, L0A
// and L0B 64 KiB, L0C 128 KiB; all members of the family alike).
#pragma once
#include "codegen/dialects/npu/NpuDialect.h"

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace dlsim::codegen {

struct ScopeMemory {
  int64_t bytes = 0;
  int64_t alignment = 32;
};

struct TargetMemory {
  std::string chip = "ascend910b1";
  ScopeMemory ub{192 * 1024, 32};
  ScopeMemory l1{512 * 1024, 32};
  ScopeMemory l0a{64 * 1024, 512};
  ScopeMemory l0b{64 * 1024, 512};
  ScopeMemory l0c{128 * 1024, 64};

  const ScopeMemory& scope(npu::Space space) const;
  // The chips that can be compiled for; nothing for a name that is not one of them.
  static std::optional<TargetMemory> forChip(llvm::StringRef name);
};

} // namespace dlsim::codegen
