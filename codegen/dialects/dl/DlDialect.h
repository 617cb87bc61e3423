// The dl dialect: see DlOps.td.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "codegen/dialects/dl/DlOpsDialect.h.inc"
#include "codegen/dialects/dl/DlOpsEnums.h.inc"
#define GET_OP_CLASSES
#include "codegen/dialects/dl/DlOps.h.inc"

namespace dlsim::dl {
// On a tensor.extract_slice whose source nobody writes again while the slice is used: it needs no copy.
constexpr llvm::StringLiteral inPlace = "dl.in_place";
// The most elements that dl.pick finds by one table.
constexpr int64_t mostPicked = 4096;
// stride * ((number / divisor) mod size)
struct PickDigit {
  int64_t divisor, size, stride;
};
// Whether the cube core loads it into L1 by itself: a matrix with contiguous rows (or columns) whose
// beginnings are not masked off; for a gather, one whose rows scalar code finds.
bool cubeLoads(LoadOp load);
bool cubeLoads(GatherOp gather);
bool cubeLoads(mlir::Value tensor);
// Whether the fixpipe stores it by itself.
bool fixpipeStores(StoreOp store);
} // namespace dlsim::dl
