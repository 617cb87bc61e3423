// What the constraints of TtOps.td cannot say of tiles, regions and memory.
#include "codegen/dialects/tt/TtDialect.h"

using namespace mlir;

namespace dlsim::tt {
namespace {

RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult verifyResult(Operation* op, Type type, Type expected) {
  if (type == expected)
    return success();
  return op->emitOpError("has the result ") << type << ", expected " << expected;
}

// The region of a reduction or a scan makes one element of each operand out of two.
LogicalResult verifyCombination(Operation* op, Region& region, uint32_t axis) {
  if (op->getNumOperands() == 0 || op->getNumOperands() != op->getNumResults())
    return op->emitOpError("needs one result for each operand");
  int64_t rank = tensorOf(op->getOperand(0)).getRank();
  if (int64_t(axis) >= rank)
    return op->emitOpError("axis ") << int32_t(axis) << " is out of range for rank " << rank;
  SmallVector<Type> one;
  for (Value source : op->getOperands())
    one.push_back(getElementTypeOrSelf(source.getType()));
  SmallVector<Type> two(one);
  two.append(one);
  Block& body = region.front();
  if (!llvm::equal(body.getArgumentTypes(), two))
    return op->emitOpError("has a region with the arguments (")
           << body.getArgumentTypes() << "), expected two elements of each operand: (" << TypeRange(two)
           << ")";
  Operation* end = body.empty() ? nullptr : &body.back();
  if (!end || !end->hasTrait<OpTrait::ReturnLike>() || !llvm::equal(end->getOperandTypes(), one))
    return op->emitOpError("has a region that does not end in ")
           << op->getName() << ".return of one element of each operand: (" << TypeRange(one) << ")";
  return success();
}

LogicalResult verifyUpdate(Operation* op, Type pointer, ValueRange values, Value mask) {
  Type type = pointeeOf(pointer);
  for (Value value : values)
    if (value.getType() != type)
      return op->emitOpError("has a value of ") << value.getType() << ", but its pointer is to " << type;
  if (mask && mask.getType() != maskTypeOf(pointer))
    return op->emitOpError("has a mask of ") << mask.getType() << ", expected " << maskTypeOf(pointer);
  return verifyResult(op, op->getResult(0).getType(), type);
}

// Bounds of a block pointer take the place of a mask.
LogicalResult verifyBounds(Operation* op, Type pointer, Value mask, ArrayRef<int32_t> checked) {
  auto tile = dyn_cast<RankedTensorType>(pointeeOf(pointer));
  bool isBlock = tile && isa<PointerType>(pointer);
  if (isBlock && mask)
    return op->emitOpError(
        "through a block pointer has no mask; it checks the bounds that boundaryCheck names");
  if (!isBlock && !checked.empty())
    return op->emitOpError("checks bounds of block pointers only; give others a mask");
  for (int32_t dim : checked)
    if (dim < 0 || dim >= tile.getRank())
      return op->emitOpError("checks the bounds of dimension ") << dim << " of " << tile;
  return success();
}

// Triton drops dimensions of size 1 of what it loads, and accepts them in what it stores.
LogicalResult verifyBlock(Operation* op, RankedTensorType block, size_t indices, RankedTensorType tile) {
  if (indices != size_t(block.getRank()))
    return op->emitOpError("has ") << indices << " indices for blocks of " << block;
  if (tile.getElementType() != block.getElementType() || tile.getNumElements() != block.getNumElements())
    return op->emitOpError("has a tile of ") << tile << " for blocks of " << block;
  return success();
}

// One row of the array for each offset.
LogicalResult verifyRows(Operation* op, RankedTensorType block, RankedTensorType rows,
                         RankedTensorType tile) {
  if (block.getRank() != 2)
    return op->emitOpError("needs a descriptor with blocks of rank 2, has ") << block;
  auto expected = RankedTensorType::get({rows.getDimSize(0), block.getDimSize(1)}, block.getElementType());
  if (tile != expected)
    return op->emitOpError("has a tile of ") << tile << ", expected " << expected;
  return success();
}

} // namespace

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombination(*this, getCombineOp(), getAxis())))
    return failure();
  for (auto [source, result] : llvm::zip_equal(getSrcs(), getResults())) {
    RankedTensorType type = tensorOf(source);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + getAxis());
    Type expected = shape.empty() ? type.getElementType() : type.clone(shape);
    if (failed(verifyResult(*this, result.getType(), expected)))
      return failure();
  }
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombination(*this, getCombineOp(), getAxis())))
    return failure();
  for (auto [source, result] : llvm::zip_equal(getSrcs(), getResults()))
    if (failed(verifyResult(*this, result.getType(), source.getType())))
      return failure();
  return success();
}

LogicalResult SplatOp::verify() {
  if (isa<RankedTensorType>(getSrc().getType()))
    return emitOpError("needs a scalar, has ") << getSrc().getType() << "; tt.broadcast repeats tensors";
  return success();
}

LogicalResult CatOp::verify() {
  RankedTensorType half = getLhs().getType();
  SmallVector<int64_t> shape(half.getShape());
  if (shape.empty())
    return emitOpError("needs tensors of rank 1 or more");
  shape[0] *= 2;
  return verifyResult(*this, getType(), half.clone(shape));
}

LogicalResult JoinOp::verify() {
  RankedTensorType half = getLhs().getType();
  SmallVector<int64_t> shape(half.getShape());
  shape.push_back(2);
  return verifyResult(*this, getType(), half.clone(shape));
}

LogicalResult SplitOp::verify() {
  RankedTensorType whole = getSrc().getType();
  if (whole.getRank() == 0 || whole.getShape().back() != 2)
    return emitOpError("needs a last dimension of 2, has ") << whole;
  return verifyResult(*this, getOutLHS().getType(), whole.clone(whole.getShape().drop_back()));
}

LogicalResult GatherOp::verify() {
  RankedTensorType source = getSrc().getType(), indices = tensorOf(getIndices());
  if (int64_t(getAxis()) >= source.getRank())
    return emitOpError("axis ") << int32_t(getAxis()) << " is out of range for rank " << source.getRank();
  bool fits = indices.getRank() == source.getRank();
  for (int64_t d = 0; fits && d < source.getRank(); ++d)
    fits = d == int64_t(getAxis()) || indices.getDimSize(d) == source.getDimSize(d);
  if (!fits)
    return emitOpError("has indices of ")
           << indices << " for " << source << "; only dimension " << getAxis() << ", the axis, may differ";
  return verifyResult(*this, getType(), source.clone(indices.getShape()));
}

LogicalResult HistogramOp::verify() {
  if (tensorOf(getSrc()).getRank() != 1 || tensorOf(getResult()).getRank() != 1)
    return emitOpError("needs values and bins of rank 1, has ") << getSrc().getType() << " and " << getType();
  return success();
}

LogicalResult BitcastOp::verify() {
  auto bits = [](Type type) -> unsigned {
    Type element = getElementTypeOrSelf(type);
    return isa<PointerType>(element) ? 64 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  Type from = getSrc().getType(), to = getType();
  if (bits(from) == 0 || bits(from) != bits(to))
    return emitOpError("of ") << from << " to " << to << ": both types need the same number of bits";
  return success();
}

LogicalResult AdvanceOp::verify() {
  auto tile = cast<RankedTensorType>(cast<PointerType>(getType()).getPointee());
  if (tile.getRank() != int64_t(getOffsets().size()))
    return emitOpError("tile has rank ")
           << tile.getRank() << " but " << getOffsets().size() << " offsets are given";
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyBounds(*this, getPtr().getType(), getMask(), getBoundaryCheck());
}
LogicalResult StoreOp::verify() {
  return verifyBounds(*this, getPtr().getType(), getMask(), getBoundaryCheck());
}

LogicalResult AtomicRMWOp::verify() { return verifyUpdate(*this, getPtr().getType(), getVal(), getMask()); }
LogicalResult AtomicCASOp::verify() {
  return verifyUpdate(*this, getPtr().getType(), {getCmp(), getVal()}, Value());
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlock(*this, getDesc().getType().getBlock(), getIndices().size(), getType());
}
LogicalResult DescriptorStoreOp::verify() {
  return verifyBlock(*this, getDesc().getType().getBlock(), getIndices().size(), getSrc().getType());
}
LogicalResult DescriptorReduceOp::verify() {
  return verifyBlock(*this, getDesc().getType().getBlock(), getIndices().size(), getSrc().getType());
}
LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc().getType().getBlock(), getXOffsets().getType(), getType());
}
LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc().getType().getBlock(), getXOffsets().getType(), getSrc().getType());
}

} // namespace dlsim::tt
