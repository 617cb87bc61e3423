// Operations that treat each element of their tensors by itself.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace dlsim::codegen {

inline bool isElementwise(mlir::Operation* op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         (op->hasTrait<mlir::OpTrait::Elementwise>() ||
          mlir::isa<mlir::arith::SelectOp, tt::FpToFpOp, tt::PreciseSqrtOp, tt::PreciseDivFOp, tt::ClampFOp,
                    tt::BitcastOp, tt::MulhiUIOp, tt::ExternElementwiseOp>(op));
}

} // namespace dlsim::codegen
