#include "codegen/dialects/dl/DlDialect.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

// The walked dimensions and the body of a gather or scatter.
template <class Op> static LogicalResult verifyWalk(Op op, RankedTensorType type) {
  int64_t before = -1;
  for (int64_t dim : op.getWalk()) {
    if (dim <= before || dim >= type.getRank())
      return op.emitOpError() << "walks dimension " << dim << ", expected ascending dimensions of " << type;
    before = dim;
  }
  Block& body = op.getBody().front();
  if (op.getWalk().empty() || body.getNumArguments() != op.getWalk().size())
    return op.emitOpError() << "walks " << op.getWalk().size() << " dimensions, its body has "
                            << body.getNumArguments() << " arguments";
  auto run = dyn_cast<RunOp>(body.back());
  if (!run)
    return op.emitOpError("needs a body that ends in dl.run");
  if (failed(verifyRectangle(op, type, op.getStrides().size(), op.getLo().size(), op.getHi().size())))
    return failure();
  return verifyRectangle(op, type, size_t(type.getRank()), run.getLo().size(), run.getHi().size());
}

LogicalResult GatherOp::verify() { return verifyWalk(*this, cast<RankedTensorType>(getResult().getType())); }
LogicalResult ScatterOp::verify() { return verifyWalk(*this, cast<RankedTensorType>(getValue().getType())); }

LogicalResult AtomicOp::verify() { return verifyWalk(*this, cast<RankedTensorType>(getValue().getType())); }

LogicalResult FixpipeOp::verify() {
  return verifyRectangle(*this, cast<RankedTensorType>(getAcc().getType()), getStrides().size(),
                         getLo().size(), getHi().size());
}

LogicalResult RangeMaskOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  return verifyRectangle(*this, type, size_t(type.getRank()), getLo().size(), getHi().size());
}

LogicalResult PickOp::verify() {
  if (getDivisors().size() != getSizes().size() || getDivisors().size() != getStrides().size())
    return emitOpError("needs a divisor, a size and a stride for each digit");
  int64_t least = getFirst(), most = getFirst(), end = 1;
  for (auto [divisor, size, stride] : llvm::zip_equal(getDivisors(), getSizes(), getStrides())) {
    if (divisor < end || size < 1)
      return emitOpError("needs digits in ascending order");
    end = divisor * size;
    (stride < 0 ? least : most) += stride * (size - 1);
  }
  auto elements = [](Value tensor) { return cast<RankedTensorType>(tensor.getType()).getNumElements(); };
  if (end > elements(getResult()) || least < 0 || most >= elements(getSource()))
    return emitOpError("reaches beyond its source or result");
  return success();
}

// `wide` is `narrow` with `count` times as many elements a row.
static LogicalResult verifyInTurn(Operation* op, Type wide, Type narrow, int64_t count) {
  auto type = cast<RankedTensorType>(narrow);
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty())
    return op->emitOpError("needs tensors with rows");
  shape.back() *= count;
  if (count < 1 || wide != RankedTensorType::get(shape, type.getElementType()))
    return op->emitOpError() << "makes no " << wide << " of " << count << " times " << narrow;
  return success();
}

LogicalResult InterleaveOp::verify() {
  if (getSources().empty() || !llvm::all_equal(getSources().getTypes()))
    return emitOpError("needs sources of one type");
  return verifyInTurn(*this, getType(), getSources().front().getType(), int64_t(getSources().size()));
}

LogicalResult DeinterleaveOp::verify() {
  if (getNumber() >= getCount())
    return emitOpError() << "has no element " << getNumber() << " of " << getCount();
  return verifyInTurn(*this, getSource().getType(), getType(), int64_t(getCount()));
}

static bool startsAtBlock(Value lo, int64_t block) {
  auto start = getConstantIntValue(lo);
  return start && *start % block == 0;
}

bool cubeLoads(LoadOp load) {
  auto type = cast<RankedTensorType>(load.getResult().getType());
  if (type.getRank() != 2 || type.getElementTypeBitWidth() < 8)
    return false;
  unsigned c = getConstantIntValue(load.getStrides()[1]) == 1 ? 1 : 0;
  return getConstantIntValue(load.getStrides()[c]) == 1 &&
         startsAtBlock(load.getLo()[c], 256 / type.getElementTypeBitWidth());
}

bool cubeLoads(GatherOp gather) {
  auto type = cast<RankedTensorType>(gather.getResult().getType());
  if (type.getRank() != 2 || type.getElementTypeBitWidth() < 8 || !gather.getScalar() ||
      gather.getWalk().size() != 1 ||
      (gather.getOther() && isa<RankedTensorType>(gather.getOther().getType())))
    return false;
  unsigned c = unsigned(1 - gather.getWalk().front());
  auto run = cast<RunOp>(gather.getBody().front().back());
  int64_t block = 256 / type.getElementTypeBitWidth();
  return getConstantIntValue(gather.getStrides()[c]) == 1 && startsAtBlock(gather.getLo()[c], block) &&
         startsAtBlock(run.getLo()[c], block);
}

bool cubeLoads(Value tensor) {
  if (auto load = tensor.getDefiningOp<LoadOp>())
    return cubeLoads(load);
  auto gather = tensor.getDefiningOp<GatherOp>();
  return gather && cubeLoads(gather);
}

bool fixpipeStores(StoreOp store) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  bool isUnsigned = store.getAtomic() == AtomicKind::umax || store.getAtomic() == AtomicKind::umin;
  return type.getRank() == 2 && !isUnsigned &&
         (getConstantIntValue(store.getStrides()[1]) == 1 || type.getDimSize(1) == 1) &&
         startsAtBlock(store.getLo()[1], 16);
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
  if (getDepth() && (int64_t(getKStep()) <= 0 || getK() % int64_t(getKStep()) != 0))
    return emitOpError() << "with a depth needs k_step to divide K = " << getK() << ", it is " << getKStep();
  return success();
}

} // namespace dlsim::dl
