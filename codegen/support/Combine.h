// What a reduction does with two elements, and which reductions are commands of the vector unit.
#pragma once
#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

// What the vector unit reduces: sums and extremes of floats along the first or the last of the large
// dimensions, of i32 along the first. bf16 counts as f32.
inline bool reducesInVectors(tt::ReduceOp reduce) {
  using namespace mlir;
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MinNumFOp,
                       arith::MinSIOp>(combineOf(reduce)))
    return false;
  auto type = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
  Type element = type.getElementType();
  unsigned axis = reduce.getAxis();
  SmallVector<unsigned> large;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      large.push_back(unsigned(d));
  bool isFloat = element.isF16() || element.isBF16() || element.isF32();
  if (large.empty() || type.getDimSize(axis) == 1)
    return isFloat || element.isInteger(32);
  if (axis == large.back())
    return isFloat;
  return axis == large.front() && large.size() == 2 && (isFloat || element.isInteger(32));
}

} // namespace dlsim::codegen
