// Values and buffers.
#include "codegen/passes/to_npu/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dlsim::codegen {

SmallVector<int64_t> tileShape(RankedTensorType type) {
  SmallVector<int64_t> shape;
  for (int64_t size : type.getShape())
    if (size != 1)
      shape.push_back(size);
  if (shape.empty())
    shape.push_back(1);
  if (shape.size() > 2) // rows of the last one
    shape = {ShapedType::getNumElements(ArrayRef<int64_t>(shape).drop_back()), shape.back()};
  return shape;
}

Type computeType(Type element) { return element.isBF16() ? Float32Type::get(element.getContext()) : element; }

std::optional<int64_t> constantOf(Value value) { return getConstantIntValue(value); }

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string describeStride(Value stride) {
  auto value = constantOf(stride);
  return value ? std::to_string(*value) : "a run-time value";
}

// The name that the kernel gives to a value.
static StringRef nameOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = nameOf(part); !name.empty())
        return name;
  return {};
}

LogicalResult Lowering::unsupported(Operation* op, const Twine& what) {
  return errorAt(op) << op->getName().getStringRef() << ": " << what;
}

Tile& Lowering::tileOf(Value old) { return tiles[old]; }

Value Lowering::alloc(Type element, ArrayRef<int64_t> shape, npu::Space space) {
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                              npu::SpaceAttr::get(builder.getContext(), space));
  StringRef name = nameOf(loc);
  return builder.create<npu::AllocOp>(loc, type, name.empty() ? StringAttr() : builder.getStringAttr(name),
                                      int64_t(1), IntegerAttr());
}

Value Lowering::allocLike(Value buffer, Type element) { return alloc(element, typeOf(buffer).getShape()); }

void Lowering::fill(Value buffer, Value scalar) { builder.create<npu::VDupOp>(loc, buffer, scalar); }

Value Lowering::bufferOf(Value old) {
  Tile& tile = tileOf(old);
  if (tile.buffer)
    return tile.buffer;
  // Not kept: the next use may not be dominated by this one.
  SmallVector<int64_t> shape = tileShape(llvm::cast<RankedTensorType>(old.getType()));
  if (tile.column)
    return broadcast(tile.column, shape, 1);
  Value buffer = alloc(elementOf(old), shape);
  fill(buffer, tile.splat);
  return buffer;
}

Value Lowering::computeBufferOf(Value old) {
  Type element = elementOf(old), compute = computeType(element);
  if (compute == element)
    return bufferOf(old);
  if (Value splat = splatOf(old)) {
    Value buffer = alloc(compute, tileShape(llvm::cast<RankedTensorType>(old.getType())));
    fill(buffer, computeScalar(splat));
    return buffer;
  }
  Value narrow = bufferOf(old), wide = allocLike(narrow, compute);
  cast(npu::Round::rint, wide, narrow);
  return wide;
}

Value Lowering::computeScalar(Value value) {
  Type compute = computeType(value.getType());
  return compute == value.getType() ? value : builder.createOrFold<arith::ExtFOp>(loc, compute, value);
}

Value Lowering::resultBuffer(Value result) {
  Type element = elementOf(result), compute = computeType(element);
  if (compute == element)
    if (Value planned = destinations.lookup(result))
      return planned;
  return alloc(compute, tileShape(llvm::cast<RankedTensorType>(result.getType())));
}

LogicalResult Lowering::finish(Value result, Value computed) {
  if (typeOf(computed).getElementType() == elementOf(result))
    return record(result, computed);
  Value narrow = destinations.lookup(result);
  if (!narrow)
    narrow = allocLike(computed, elementOf(result));
  cast(npu::Round::rint, narrow, computed);
  return record(result, narrow);
}

LogicalResult Lowering::record(Value tensor, Value buffer) {
  tiles[tensor] = Tile{buffer, Value(), false};
  return success();
}

Value Lowering::constant(int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); }

Value Lowering::constant(Type type, double value) {
  if (llvm::isa<FloatType>(type))
    return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(type, value));
  return builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(type, int64_t(value)));
}

Value Lowering::add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value Lowering::sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
Value Lowering::mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value Lowering::min(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }

} // namespace dlsim::codegen
