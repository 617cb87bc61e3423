// What a reduction does with two elements.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"

namespace dlsim::codegen {

// The one operation that combines the two elements of a reduction of one tensor; null if there are more.
inline mlir::Operation* combineOf(tt::ReduceOp reduce) {
  mlir::Block& body = reduce.getCombineOp().front();
  if (body.getNumArguments() != 2 || std::distance(body.begin(), body.end()) != 2)
    return nullptr;
  mlir::Operation& combine = body.front();
  if (combine.getNumOperands() != 2 || body.getTerminator()->getOperand(0) != combine.getResult(0))
    return nullptr;
  mlir::Value a = body.getArgument(0), b = body.getArgument(1), x = combine.getOperand(0),
              y = combine.getOperand(1);
  return (x == a && y == b) || (x == b && y == a) ? &combine : nullptr;
}

} // namespace dlsim::codegen
