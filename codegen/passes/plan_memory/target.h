// What the code generator knows of a chip: sizes, alignments and banks of the on-chip memories, in bytes,
// from the chip file that the simulator reads too (sim/chips), which says where each number is from.
#pragma once
#include "codegen/dialects/npu/NpuDialect.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace dlsim::codegen {

struct ScopeMemory {
  int64_t bytes = 0;
  int64_t alignment = 0;
};

// UB: consecutive rows go to consecutive bank groups, `bankBytes` of each group to a bank.
struct UbBanks {
  int64_t groups = 0, banks = 0;
  int64_t rowBytes = 0, bankBytes = 0;
};

struct TargetMemory {
  // The 910B1's. Ends the program if its file is missing.
  TargetMemory();

  std::string chip;
  ScopeMemory ub, l1, l0a, l0b, l0c;
  UbBanks banks;
  int64_t vectorCores = 0;   // of a cluster
  int64_t inFlightBytes = 0; // that a core's transfer unit can have on their way from global memory

  const ScopeMemory& scope(npu::Space space) const;
  // By the name of a chip file in $DLSIM_CHIPS, beside the program (../share/dlsim/chips) or in the source
  // tree, or by path ("mine.toml"). Errors name file, line and what is missing: a chip that lacks one of the
  // memories cannot be compiled for.
  static llvm::Expected<TargetMemory> forChip(llvm::StringRef nameOrPath);

private:
  struct Empty {};
  explicit TargetMemory(Empty) {}
};

} // namespace dlsim::codegen
