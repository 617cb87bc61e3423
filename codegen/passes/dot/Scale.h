// Products of an accumulator with one number everywhere: the fixpipe scales what it stores.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/IR/Builders.h"

namespace dlsim::codegen {

// Whether `op` is such a product of `acc`, in f32, whose number comes from the kernel's arguments, program
// ids and constants alone: the cube side knows it too.
bool isScaled(mlir::Operation* op, mlir::Value acc);

// The number of such a product.
mlir::Value scaleOf(mlir::Operation* op, mlir::Value acc, mlir::OpBuilder& builder);

} // namespace dlsim::codegen
