// How a matrix product is cut so that it fits the cube's memories.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/plan_memory/target.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace dlsim::codegen {

// Reports element types that the cube does not take.
mlir::LogicalResult checkTypes(tt::DotOp dot);

// Columns of A (rows of B) that one mmad takes: the largest step with which two slots of the A and of the B
// part fit L0A and L0B, evened out over the steps. Reports tiles that do not fit, at `at`'s source line.
mlir::FailureOr<int64_t> chooseKStep(mlir::Operation* at, mlir::RankedTensorType a, mlir::RankedTensorType b,
                                     mlir::RankedTensorType c, const TargetMemory& target);

} // namespace dlsim::codegen
