// math.erf of f32 tensors below `root` in arithmetic that the vector unit has.
#pragma once
#include "mlir/IR/Operation.h"

namespace dlsim::codegen {

void expandErf(mlir::Operation* root);

} // namespace dlsim::codegen
