// Products that are operands of other products.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dlsim::codegen {

struct KeptProducts {
  int64_t places = 0, bytes = 0; // of the workspace
};

// An accumulator whose values a product reads as an operand (the state of a linear attention in f32) goes
// from L0C to a place in the workspace and from there to L1. That is the cube core's own matter, vector code
// has no part in it.
KeptProducts keepProducts(mlir::func::FuncOp function);

} // namespace dlsim::codegen
