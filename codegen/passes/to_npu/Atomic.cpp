// dl.atomic and dl.atomic_scalar: updates by the scalar unit.
#include "codegen/passes/to_npu/Walk.h"

using namespace mlir;

namespace dlsim::codegen {

// What other cores may look at once they see the update has to be in memory before it.
static void publish(OpBuilder& builder, Location loc, bool ordered) {
  if (ordered)
    builder.create<npu::BarrierOp>(loc, npu::UnitAttr());
}

LogicalResult Lowering::lowerAtomicScalar(dl::AtomicScalarOp op) {
  auto arg = op.getArg() ? std::optional<int64_t>(*op.getArg()) : argumentOf(op.getBase());
  publish(builder, loc, op.getOrdered());
  scalars.map(op.getResult(), builder
                                  .create<npu::GmAtomicOp>(
                                      loc, op.getType(), npu::Update(op.getKind()), scalarOf(op.getValue()),
                                      op.getCmp() ? scalarOf(op.getCmp()) : Value(), scalarOf(op.getBase()),
                                      op.getType(), arg ? builder.getI64IntegerAttr(*arg) : IntegerAttr())
                                  .getResult());
  return success();
}

LogicalResult Lowering::lowerAtomic(dl::AtomicOp op) {
  if (cube)
    return unsupported(op, "updates by a tensor of the vector unit: a mixed kernel needs dl-split first");
  auto type = llvm::cast<RankedTensorType>(op.getValue().getType());
  Type element = type.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Type bits = builder.getIntegerType(unsigned(8 * bytes));
  Value values = bufferOf(op.getValue()), expected = op.getCmp() ? bufferOf(op.getCmp()) : Value(), result;
  if (!op->use_empty()) {
    result = alloc(element, tileShape(type));
    fill(result, constant(element, 0));
  }
  SmallVector<Value> storage;
  Walk walk = startWalk(type, op.getWalk(), op.getLo(), op.getHi(), op.getStrides(), storage);
  auto number = gatherArgument(op.getArg(), op.getBody().front());
  IntegerAttr arg = number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  publish(builder, loc, op.getOrdered());
  LogicalResult done = walkFrom(walk, op.getBody().front(), 0, [&]() -> LogicalResult {
    forEachElement(walk, [&](ArrayRef<Value> t) {
      Value place = elementNumber(walk, t);
      auto read = [&](Value buffer) -> Value {
        return buffer ? Value(builder.create<npu::LoadScalarOp>(loc, bits, buffer, place)) : Value();
      };
      Value before =
          builder.create<npu::GmAtomicOp>(loc, bits, npu::Update(op.getKind()), read(values), read(expected),
                                          address(walk.address, runOffset(walk, t), bytes), element, arg);
      if (result)
        builder.create<npu::StoreScalarOp>(loc, before, result, place);
    });
    return success();
  });
  return failed(done) || !result ? done : record(op.getResult(), result);
}

} // namespace dlsim::codegen
