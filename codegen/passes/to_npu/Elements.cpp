// Tensors element by element through the scalar unit: what the vector unit has no command for is computed by
// loops over the tile, so that it is right at every type and shape, if slow.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

TileLayout layoutOf(RankedTensorType type) {
  TileLayout layout;
  layout.sizes.assign(type.getShape().begin(), type.getShape().end());
  layout.strides.assign(layout.sizes.size(), 0);
  bool padded = llvm::count_if(layout.sizes, [](int64_t size) { return size != 1; }) > 1;
  int64_t next = 1;
  bool innermost = true;
  for (size_t d = layout.sizes.size(); d-- > 0;) {
    if (layout.sizes[d] == 1)
      continue;
    layout.strides[d] = next;
    int64_t extent = layout.sizes[d];
    if (innermost && padded)
      extent = npu::ubRowElements(MemRefType::get({2, extent}, type.getElementType()));
    innermost = false;
    next *= extent;
  }
  return layout;
}

void Lowering::nest(ArrayRef<int64_t> sizes, llvm::function_ref<void(ArrayRef<Value>)> body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices;
  for (int64_t size : sizes) {
    if (size == 1) {
      indices.push_back(constant(0));
      continue;
    }
    auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(size), constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
  }
  body(indices);
}

Value Lowering::position(ArrayRef<Value> indices, ArrayRef<int64_t> strides) {
  Value sum = constant(0);
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    if (stride != 0)
      sum = add(sum, mul(index, constant(stride)));
  return sum;
}

Value Lowering::element(Value old, ArrayRef<Value> indices) {
  Tile& tile = tileOf(old);
  if (tile.splat)
    return tile.splat;
  TileLayout layout = layoutOf(llvm::cast<RankedTensorType>(old.getType()));
  return builder.create<npu::LoadScalarOp>(loc, elementOf(old), tile.buffer,
                                           position(indices, layout.strides));
}

void Lowering::setElement(Value buffer, RankedTensorType type, ArrayRef<Value> indices, Value value) {
  builder.create<npu::StoreScalarOp>(loc, value, buffer, position(indices, layoutOf(type).strides));
}

Value Lowering::elementBuffer(Type tensor) {
  auto type = llvm::cast<RankedTensorType>(tensor);
  Value buffer = alloc(type.getElementType(), tileShape(type));
  if (type.getElementType().isInteger(1)) // bits are stored into bytes that must hold something
    fill(buffer, builder.create<arith::ConstantIntOp>(loc, 0, 1));
  return buffer;
}

LogicalResult Lowering::lowerElementLoop(Operation* op) {
  auto type = llvm::cast<RankedTensorType>(op->getResult(0).getType());
  Value dst = elementBuffer(type);
  nest(type.getShape(), [&](ArrayRef<Value> indices) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isTensor(operand) ? element(operand, indices) : scalarOf(operand));
    OperationState state(loc, op->getName(), operands, {type.getElementType()}, op->getAttrs());
    setElement(dst, type, indices, builder.create(state)->getResult(0));
  });
  return record(op->getResult(0), dst);
}

// ---- Reductions and scans with any region
void Lowering::combineInto(Region& region, ValueRange left, ValueRange right, SmallVectorImpl<Value>& out,
                           LogicalResult& ok) {
  Block& block = region.front();
  for (auto [argument, value] : llvm::zip(
           block.getArguments(), llvm::concat<Value>(SmallVector<Value>(left), SmallVector<Value>(right))))
    scalars.map(argument, value);
  Location saved = loc;
  if (failed(lowerBlock(block)))
    ok = failure();
  loc = saved;
  for (Value value : block.getTerminator()->getOperands())
    out.push_back(succeeded(ok) ? scalarOf(value) : Value());
}

// Folds n lanes by a region, from `load` of lane 0 on; `each` sees every lane and what is folded up to it.
// Returns what is folded in the end.
SmallVector<Value> Lowering::fold(Region& region, int64_t n,
                                  llvm::function_ref<SmallVector<Value>(Value lane)> load,
                                  llvm::function_ref<void(Value lane, ValueRange folded)> each,
                                  LogicalResult& ok) {
  SmallVector<Value> total = load(constant(0));
  each(constant(0), total);
  if (n == 1)
    return total;
  auto loop = builder.create<scf::ForOp>(loc, constant(1), constant(n), constant(1), total);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next;
  combineInto(region, loop.getRegionIterArgs(), load(loop.getInductionVar()), next, ok);
  if (failed(ok))
    return next;
  each(loop.getInductionVar(), next);
  builder.create<scf::YieldOp>(loc, next);
  return loop.getResults();
}

// The lanes of an operation's operands at `outer`, whose dimension `axis` is left out.
SmallVector<Value> Lowering::laneOf(ValueRange sources, ArrayRef<Value> outer, unsigned axis, Value lane) {
  SmallVector<Value> indices(outer), values;
  indices.insert(indices.begin() + axis, lane);
  for (Value source : sources)
    values.push_back(element(source, indices));
  return values;
}

LogicalResult Lowering::lowerReduceLoop(tt::ReduceOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getSrcs()[0].getType());
  unsigned axis = op.getAxis();
  SmallVector<int64_t> rest(type.getShape());
  rest.erase(rest.begin() + axis);
  SmallVector<Value> buffers;
  for (Value result : op.getResults())
    buffers.push_back(isTensor(result) ? elementBuffer(result.getType()) : Value());
  LogicalResult ok = success();
  nest(rest, [&](ArrayRef<Value> outer) {
    SmallVector<Value> total = fold(
        op.getCombineOp(), type.getDimSize(axis),
        [&](Value lane) { return laneOf(op.getSrcs(), outer, axis, lane); }, [](Value, ValueRange) {}, ok);
    if (failed(ok))
      return;
    for (auto [result, buffer, value] : llvm::zip_equal(op.getResults(), buffers, total))
      if (buffer)
        setElement(buffer, llvm::cast<RankedTensorType>(result.getType()), outer, value);
      else
        scalars.map(result, value);
  });
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), buffers))
    if (buffer)
      (void)record(result, buffer);
  return ok;
}

LogicalResult Lowering::lowerScan(tt::ScanOp op) {
  if (cube)
    return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
  auto type = llvm::cast<RankedTensorType>(op.getSrcs()[0].getType());
  unsigned axis = op.getAxis();
  int64_t n = type.getDimSize(axis);
  SmallVector<int64_t> rest(type.getShape());
  rest.erase(rest.begin() + axis);
  SmallVector<Value> buffers;
  for (Value result : op.getResults())
    buffers.push_back(elementBuffer(result.getType()));
  LogicalResult ok = success();
  auto laneAt = [&](Value step) { return op.getReverse() ? sub(constant(n - 1), step) : step; };
  nest(rest, [&](ArrayRef<Value> outer) {
    auto store = [&](Value step, ValueRange values) {
      SmallVector<Value> indices(outer);
      indices.insert(indices.begin() + axis, laneAt(step));
      for (auto [buffer, value, result] : llvm::zip_equal(buffers, values, op.getResults()))
        setElement(buffer, llvm::cast<RankedTensorType>(result.getType()), indices, value);
    };
    fold(
        op.getCombineOp(), n, [&](Value step) { return laneOf(op.getSrcs(), outer, axis, laneAt(step)); },
        store, ok);
  });
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), buffers))
    (void)record(result, buffer);
  return ok;
}

} // namespace dlsim::codegen
