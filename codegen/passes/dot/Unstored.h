// Rows and columns of a product that are never stored need not be loaded.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"

namespace dlsim::codegen {

// Kernels let row and column numbers of operands wrap around (`offs % M`) and mask only the store. Elements
// that wrapped are then never used: the loads' ranges are cut to the store's, so that no run wraps. `dots`
// share the accumulator that `store` alone writes out.
void cutWrappedLoads(llvm::ArrayRef<dl::DotOp> dots, dl::FixpipeOp store);

} // namespace dlsim::codegen
