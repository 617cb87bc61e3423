#include "codegen/dialects/dl/DlDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

#include "codegen/dialects/dl/DlOpsDialect.cpp.inc"
#include "codegen/dialects/dl/DlOpsEnums.cpp.inc"
#define GET_OP_CLASSES
#include "codegen/dialects/dl/DlOps.cpp.inc"

using namespace mlir;

namespace dlsim::dl {

void DlDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "codegen/dialects/dl/DlOps.cpp.inc"
      >();
}

// Every list of a rectangle has one entry a dimension.
static LogicalResult verifyRectangle(Operation* op, RankedTensorType type, size_t strides, size_t lo,
                                     size_t hi) {
  size_t rank = size_t(type.getRank());
  if (strides != rank || lo != rank || hi != rank)
    return op->emitOpError() << "needs " << rank << " strides, lo and hi for " << type << ", has " << strides
                             << ", " << lo << " and " << hi;
  if (!type.hasStaticShape())
    return op->emitOpError() << "needs a static shape, has " << type;
  return success();
}

LogicalResult LoadOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (bool(getWrapStart()) != bool(getWrapModulus()) || bool(getWrapStart()) != getWrapDim().has_value())
    return emitOpError("wrap needs a start, a modulus and the attribute wrap_dim");
  if (getWrapDim() && (int64_t(*getWrapDim()) < 0 || int64_t(*getWrapDim()) >= type.getRank()))
    return emitOpError() << "wrap_dim " << *getWrapDim() << " is not a dimension of " << type;
  if (getOther() && getOther().getType() != type.getElementType())
    return emitOpError() << "other has type " << getOther().getType() << ", the elements "
                         << type.getElementType();
  return verifyRectangle(*this, type, getStrides().size(), getLo().size(), getHi().size());
}

LogicalResult StoreOp::verify() {
  return verifyRectangle(*this, cast<RankedTensorType>(getValue().getType()), getStrides().size(),
                         getLo().size(), getHi().size());
}

LogicalResult FixpipeOp::verify() {
  return verifyRectangle(*this, cast<RankedTensorType>(getAcc().getType()), getStrides().size(),
                         getLo().size(), getHi().size());
}

LogicalResult RangeMaskOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  return verifyRectangle(*this, type, size_t(type.getRank()), getLo().size(), getHi().size());
}

int64_t DotOp::getM() { return cast<RankedTensorType>(getA().getType()).getDimSize(getTransposeA() ? 1 : 0); }
int64_t DotOp::getK() { return cast<RankedTensorType>(getA().getType()).getDimSize(getTransposeA() ? 0 : 1); }
int64_t DotOp::getN() { return cast<RankedTensorType>(getB().getType()).getDimSize(getTransposeB() ? 0 : 1); }

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getResult().getType());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2)
    return emitOpError("needs operands of rank 2");
  if (b.getDimSize(getTransposeB() ? 1 : 0) != getK() || acc.getDimSize(0) != getM() ||
      acc.getDimSize(1) != getN())
    return emitOpError() << "shapes do not match: " << a << " times " << b << " into " << acc;
  if (getAcc().getType() != acc)
    return emitOpError() << "accumulator has type " << getAcc().getType() << ", the result " << acc;
  return success();
}

} // namespace dlsim::dl
