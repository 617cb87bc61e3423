// npu-multibuffer: gives buffers that two units hand to each other inside a loop several slots, used in
// rotation.
#pragma once
#include "codegen/passes/plan_memory/target.h"

#include "mlir/Pass/Pass.h"

#include <map>
#include <optional>
#include <string>

namespace dlsim::codegen {

// How many slots each memory's buffers get. "auto": two where they fit, fewer where not; in UB as many as are
// needed for tiles smaller than what a transfer unit can have in flight. "N": N in L1, an
// error if they do not fit; up to N in UB, which holds a kernel's intermediate tiles as well, and a warning
// names the buffers that get fewer; up to N in L0A, L0B and L0C. "l1:3,l0c:1": as said for these memories, an
// error if they do not fit; automatic in the others.
struct SlotWish {
  std::string text = "auto";
  std::map<npu::Space, int> exactly;
  std::map<npu::Space, int> atMost;

  static std::optional<SlotWish> parse(llvm::StringRef text);
  bool asked() const { return !exactly.empty() || !atMost.empty(); }
  bool wantsSlots() const;
  int of(npu::Space space) const; // slots wished for in a memory
  std::optional<int> askedFor(npu::Space space) const;
};
constexpr int automaticSlots = 2; // one being filled, one being used
constexpr int mostSlots = 7;      // with the 8 that a unit may run ahead, a flag counts to 15

struct MultibufferOptions {
  SlotWish slots;
  TargetMemory target;
};

std::unique_ptr<mlir::Pass> createMultibufferPass(MultibufferOptions options = {});
void registerMultibufferPass();

} // namespace dlsim::codegen
