// npu-multibuffer: gives buffers that two units hand to each other inside a loop several slots, used in rotation.
#pragma once
#include "codegen/passes/plan_memory/target.h"

#include "mlir/Pass/Pass.h"

namespace dlsim::codegen {

struct MultibufferOptions {
  int slots = 0; // 0: two where they fit, fewer where not; 1..4: exactly as many, an error if they do not fit
  TargetMemory target;
};

std::unique_ptr<mlir::Pass> createMultibufferPass(MultibufferOptions options = {});
void registerMultibufferPass();

} // namespace dlsim::codegen
