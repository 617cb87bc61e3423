// Operations whose rows (dimension 0) can be computed apart.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"

namespace dlsim::codegen {

// Whether each row of the result, which has `type`, comes from the same row of the operands.
bool rowwise(mlir::Operation* op, mlir::RankedTensorType type);

} // namespace dlsim::codegen
