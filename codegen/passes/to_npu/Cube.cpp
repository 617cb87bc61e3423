// Matrix products: L1 tiles to L0A and L0B in steps of k, mmads into the accumulator's L0C tile.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

LogicalResult Lowering::lowerAccInit(dl::AccInitOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  Value acc = alloc(type.getElementType(), type.getShape(), npu::Space::L0C);
  if (failed(record(op.getResult(), acc)))
    return failure();
  Value zero = scalarOf(op.getZero());
  if (constantOf(zero) == 0)
    return success();
  auto clear = [&] {
    builder.create<npu::ClearAccOp>(loc, acc, constant(type.getDimSize(0)), constant(type.getDimSize(1)));
  };
  if (constantOf(zero)) {
    clear();
    return success();
  }
  auto branch = builder.create<scf::IfOp>(loc, zero, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  clear();
  return success();
}

void Lowering::mmadStep(dl::DotOp op, const Tile& a, const Tile& b, Value acc, Value k, int64_t step,
                        Value init) {
  Type element = typeOf(a.buffer).getElementType();
  int64_t m = op.getM(), n = op.getN();
  Value zero = constant(0), sizeM = constant(m), sizeK = constant(step), sizeN = constant(n);
  // L0A wants (m, k) or transposes (k, m); L0B wants (n, k) or transposes (k, n).
  bool storedKM = a.swapped != op.getTransposeA(), storedKN = b.swapped == op.getTransposeB();
  Value l0a = alloc(element, {m, step}, npu::Space::L0A);
  builder.create<npu::LoadL0AOp>(loc, l0a, a.buffer, storedKM ? k : zero, storedKM ? zero : k, sizeM, sizeK,
                                 storedKM);
  Value l0b = alloc(element, {step, n}, npu::Space::L0B);
  builder.create<npu::LoadL0BOp>(loc, l0b, b.buffer, storedKN ? k : zero, storedKN ? zero : k, sizeK, sizeN,
                                 storedKN);
  builder.create<npu::MmadOp>(loc, acc, l0a, l0b, sizeM, sizeK, sizeN, init, op.getPrecision() == "hf32");
}

LogicalResult Lowering::lowerDot(dl::DotOp op) {
  Tile a = tileOf(op.getA()), b = tileOf(op.getB());
  Value acc = tileOf(op.getAcc()).buffer, init = scalarOf(op.getInit());
  if (!a.buffer || !b.buffer || !acc)
    return unsupported(op, "operands must be tiles loaded from global memory and an accumulator");
  tiles[op.getResult()] = Tile{acc, Value(), false};
  int64_t k = op.getK(), step = std::min<int64_t>(op.getKStep(), k), whole = k / step * step;
  Value depth = op.getDepth() ? scalarOf(op.getDepth()) : constant(whole);
  if (constantOf(depth) == step) {
    mmadStep(op, a, b, acc, constant(0), step, init);
  } else {
    Value zero = constant(0);
    auto loop = builder.create<scf::ForOp>(loc, zero, depth, constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value first = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, loop.getInductionVar(), zero);
    mmadStep(op, a, b, acc, loop.getInductionVar(), step,
             builder.createOrFold<arith::AndIOp>(loc, init, first));
  }
  if (whole < k)
    mmadStep(op, a, b, acc, constant(whole), k - whole, builder.create<arith::ConstantIntOp>(loc, 0, 1));
  return success();
}

} // namespace dlsim::codegen
