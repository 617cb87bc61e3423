// Where a module stands in the pipeline, told by its contents, and the passes from there on.
#pragma once
#include "codegen/driver/driver.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace dlsim::codegen {

// Steps of the pipeline; a module enters at one of them.
enum class Step { ttir, blockify, access, dot, toNpu, multibuffer, plan, sync, lower, llvm };

// The next step that `module` needs.
Step nextStep(mlir::ModuleOp module);

// Adds the passes of one step. The module's own stage is finished by `lastStepOf(stage)`.
// leastRowPieces: see createDlSplitPass.
void addStep(mlir::OpPassManager& passes, Step step, const MlirOptions& options, const TargetMemory& target,
             int64_t leastRowPieces = 1);
Step lastStepOf(MlirStage stage);
llvm::StringRef stepName(Step step);

} // namespace dlsim::codegen
