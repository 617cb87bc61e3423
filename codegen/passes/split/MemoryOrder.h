// Accesses to global memory of both kinds of core: nothing but flags of channels orders them.
#pragma once
#include "codegen/passes/split/Channels.h"

namespace dlsim::codegen {

// Reports, at its source line, a load of what the other kind of core may have stored before it in the same
// program. Accesses through different arguments count as different memory.
mlir::LogicalResult checkMemoryOrder(mlir::func::FuncOp function, const Crossing& crossing);

} // namespace dlsim::codegen
