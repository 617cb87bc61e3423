// npu-plan-memory: gives every npu.alloc its offset, or explains why the buffers do not fit.
#pragma once
#include "codegen/passes/plan_memory/target.h"

#include "mlir/Pass/Pass.h"

namespace dlsim::codegen {

// Unit, on a function whose buffers do not fit UB.
inline constexpr llvm::StringLiteral ubOverflow = "npu.ub_overflow";

std::unique_ptr<mlir::Pass> createPlanMemoryPass(TargetMemory target = {});
void registerPlanMemoryPass();

} // namespace dlsim::codegen
