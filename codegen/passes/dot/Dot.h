// Pass dl-dot: tt.dot becomes dl.dot with its accumulator in L0C, the store behind it a dl.fixpipe.
#pragma once
#include "codegen/passes/plan_memory/target.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace dlsim::codegen {

std::unique_ptr<mlir::Pass> createDlDotPass(TargetMemory target = {});
void registerDlDotPass();

} // namespace dlsim::codegen
