// Matrix products: L1 tiles to L0A and L0B in steps of k, mmads into the accumulator's L0C tile.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

static constexpr StringLiteral halvesAttribute = "dl.halves"; // from dl-panels

LogicalResult Lowering::lowerAccInit(dl::AccInitOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (op->hasAttr(halvesAttribute))
    shape[1] /= 2;
  Value acc = alloc(type.getElementType(), shape, npu::Space::L0C);
  if (op->hasAttr(halvesAttribute)) // two of them, which take turns
    acc.getDefiningOp()->setAttr("npu.parts", builder.getI64IntegerAttr(2));
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
  int64_t m = op.getM(), n = half ? half->columns : op.getN();
  Value zero = constant(0), sizeM = constant(m), sizeK = constant(step), sizeN = constant(n);
  Value column = half ? half->column : zero;
  auto unit = op->getAttrOfType<IntegerAttr>("dl.depth_unit");
  if (op.getDepth() && !(unit && unit.getInt() % step == 0)) // the last step may be a short one
    sizeK = min(sizeK, sub(scalarOf(op.getDepth()), k));
  // L0A wants (m, k) or transposes (k, m); L0B wants (n, k) or transposes (k, n).
  bool storedKM = a.swapped != op.getTransposeA(), storedKN = b.swapped == op.getTransposeB();
  Value l0a = alloc(element, {m, step}, npu::Space::L0A);
  builder.create<npu::LoadL0AOp>(loc, l0a, a.buffer, storedKM ? k : zero, storedKM ? zero : k, sizeM, sizeK,
                                 storedKM);
  Value l0b = alloc(element, {step, n}, npu::Space::L0B);
  builder.create<npu::LoadL0BOp>(loc, l0b, b.buffer, storedKN ? k : column, storedKN ? column : k, sizeK,
                                 sizeN, storedKN);
  builder.create<npu::MmadOp>(loc, acc, l0a, l0b, sizeM, sizeK, sizeN, init, op.getPrecision() == "hf32");
}

// A sum that starts here and has no terms is zero.
void Lowering::clearIfEmpty(dl::DotOp op, Value acc, Value depth, Value init) {
  Value none = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, depth, constant(0));
  auto branch = builder.create<scf::IfOp>(loc, builder.createOrFold<arith::AndIOp>(loc, init, none),
                                          /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  builder.create<npu::ClearAccOp>(loc, acc, constant(op.getM()), constant(half ? half->columns : op.getN()));
}

LogicalResult Lowering::lowerDot(dl::DotOp op) {
  Tile a = tileOf(op.getA()), b = tileOf(op.getB());
  Value acc = tileOf(op.getAcc()).buffer;
  if (!a.buffer || !b.buffer || !acc)
    return unsupported(op, "operands must be tiles loaded from global memory and an accumulator");
  tiles[op.getResult()] = Tile{acc, Value(), false};
  return op->hasAttr(halvesAttribute) ? lowerHalves(op) : lowerProduct(op);
}

// The left columns, then the right ones: products and, in the last iteration, the store.
LogicalResult Lowering::lowerHalves(dl::DotOp op) {
  int64_t columns = op.getN() / 2;
  Value zero = constant(0);
  auto loop = builder.create<scf::ForOp>(loc, zero, constant(2), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value isFirst = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, number, zero);
  half = Half{mul(number, constant(columns)), isFirst, columns};
  bool ok = succeeded(lowerProduct(op)) && succeeded(storeHalf(op));
  half.reset();
  return success(ok);
}

// The branch with the store of the sum. Flags to and from the vector cores go with the first and the last
// half.
LogicalResult Lowering::storeHalf(dl::DotOp op) {
  Operation* store = nullptr;
  for (Operation* user : op->getUsers())
    if (user->getParentOp()->hasAttr(halvesAttribute))
      store = user;
  if (!store)
    return unsupported(op, "the store of a sum in halves is not where dl-panels put it");
  auto branch = llvm::cast<scf::IfOp>(store->getParentOp());
  Value yes = builder.create<arith::ConstantIntOp>(loc, 1, 1);
  Value isSecond = builder.create<arith::XOrIOp>(loc, half->isFirst, yes);
  auto run =
      builder.create<scf::IfOp>(branch.getLoc(), scalarOf(branch.getCondition()), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  for (Operation& command : branch.thenBlock()->without_terminator()) {
    builder.setInsertionPoint(run.thenBlock()->getTerminator());
    loc = command.getLoc();
    if (!llvm::isa<dl::FixpipeOp>(command)) {
      Value when = llvm::isa<npu::CrossWaitOp>(command) ? half->isFirst : isSecond;
      auto once = builder.create<scf::IfOp>(loc, when, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(once.thenBlock());
    }
    if (failed(lowerOp(&command)))
      return failure();
  }
  return success();
}

LogicalResult Lowering::lowerProduct(dl::DotOp op) {
  Tile a = tileOf(op.getA()), b = tileOf(op.getB());
  Value acc = tileOf(op.getAcc()).buffer, init = scalarOf(op.getInit());
  int64_t k = op.getK(), step = std::min<int64_t>(op.getKStep(), k), whole = k / step * step;
  Value depth = op.getDepth() ? scalarOf(op.getDepth()) : constant(whole);
  if (op->hasAttr("dl.may_be_empty"))
    clearIfEmpty(op, acc, depth, init);
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
