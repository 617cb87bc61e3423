// npu-sync: orders the units with flags where they touch the same bytes. npu-check-sync: verifies it, by
// other means.
#pragma once
#include "mlir/Pass/Pass.h"

namespace dlsim::codegen {

enum class SyncMode {
  flags,     // the fewest flags that order every conflict
  barrierAll // a barrier wherever the unit changes: slow and simple, to compare with
};

std::unique_ptr<mlir::Pass> createSyncPass(SyncMode mode = SyncMode::flags);
std::unique_ptr<mlir::Pass> createUnitFlagsPass(); // before npu-sync, which needs no flags for what it marks
std::unique_ptr<mlir::Pass> createCheckSyncPass();
void registerSyncPasses();

} // namespace dlsim::codegen
