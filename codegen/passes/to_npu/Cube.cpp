// Matrix products: global memory to L1 tiles, L1 tiles to L0A and L0B in steps of k, mmads into the
// accumulator's L0C tile, and from there to global memory.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

static constexpr StringLiteral halvesAttribute = "dl.halves";     // from dl-panels
static constexpr StringLiteral straightAttribute = "dl.straight"; // from dl-pieces

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
  } else if (op->hasAttr(straightAttribute) && !op.getDepth()) {
    for (int64_t at = 0; at < whole; at += step)
      mmadStep(op, a, b, acc, constant(at), step,
               at == 0 ? init : Value(builder.create<arith::ConstantIntOp>(loc, 0, 1)));
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

// Products may read only the beginning of the tile along K.
void Lowering::countDepth(dl::LoadOp op, Rectangle& rect) {
  auto first = llvm::cast<dl::DotOp>(*op->user_begin());
  auto dimension = [&](dl::DotOp dot) {
    return dot.getA() == op.getResult() ? unsigned(!dot.getTransposeA()) : unsigned(dot.getTransposeB());
  };
  bool agree = llvm::all_of(op->getUsers(), [&](Operation* user) {
    auto dot = llvm::cast<dl::DotOp>(user);
    return dot.getDepth() == first.getDepth() && dimension(dot) == dimension(first);
  });
  if (!agree || !first.getDepth())
    return;
  rect.counted = scalarOf(first.getDepth());
  rect.countedDimension = dimension(first);
}

LogicalResult Lowering::lowerLoadL1(dl::LoadOp op) {
  for (Operation* user : op->getUsers())
    if (!llvm::isa<dl::DotOp>(user))
      return unsupported(user,
                         "reads a tile that tt.dot reads too, which needs both units: a mixed kernel needs "
                         "dl-split first");
  auto rect = rectangle(op, op.getBase(), op.getResult(), op.getStrides(), op.getLo(), op.getHi(),
                        op.getArg(), false);
  if (failed(rect))
    return failure();
  bool swapped = constantOf(rect->stride[1]) != 1;
  if (swapped && constantOf(rect->stride[0]) != 1)
    return unsupported(op, "an operand of tt.dot needs one dimension of stride 1; this one has strides " +
                               describeStride(rect->stride[0]) + " and " + describeStride(rect->stride[1]));
  unsigned r = swapped ? 1 : 0, c = 1 - r;
  int64_t block = 32 / rect->elementBytes;
  auto colStart = constantOf(rect->lo[c]);
  if (!colStart || *colStart % block != 0)
    return unsupported(
        op,
        "an operand of tt.dot whose rows begin masked off is not supported; mask rows, or the ends of rows");
  Wrap wrap = wrapOf(op, *rect);
  countDepth(op, *rect);
  Value buffer = alloc(elementOf(op.getResult()), {rect->size[r], rect->size[c]}, npu::Space::L1);
  if (auto slots = op->getAttrOfType<IntegerAttr>("dl.slots"))
    buffer.getDefiningOp()->setAttr("npu.deep", slots);
  if (op.getOther())
    fillIfPartial(*rect, [&] { builder.create<npu::FillL1Op>(loc, buffer, scalarOf(op.getOther())); });
  Value stride = mul(rect->stride[r], constant(rect->elementBytes));
  auto load = [&](Value row, Value col, Value fromRow, Value fromCol, Value rows, Value cols) {
    Value from = address(rect->base, add(mul(fromRow, rect->stride[r]), fromCol), rect->elementBytes);
    builder.create<npu::Nd2NzOp>(loc, buffer, from, row, col, rows, cols, stride, rect->arg, false);
  };
  Value loR = rect->lo[r], loC = rect->lo[c], rows = count(loR, rect->hi[r]), cols = count(loC, rect->hi[c]);
  if (!wrap.dimension) {
    load(loR, loC, loR, loC, rows, cols);
  } else if (*wrap.dimension == r) {
    forEachSegment(wrap, loR, rect->hi[r],
                   [&](Value to, Value from, Value n) { load(to, loC, from, loC, n, cols); });
  } else {
    forEachSegment(wrap, loC, rect->hi[c], [&](Value to, Value from, Value n) {
      if (auto known = constantOf(to); known && *known % block == 0)
        return load(loR, to, loR, from, rows, n);
      // A run that begins inside a column block: its part of that block, padded to the left, then whole
      // blocks.
      Value inside = builder.create<arith::RemSIOp>(loc, to, constant(block));
      Value head = min(n, builder.create<arith::RemSIOp>(loc, sub(constant(block), inside), constant(block)));
      Value source = address(rect->base, add(mul(loR, rect->stride[r]), from), rect->elementBytes);
      builder.create<npu::CopyInOp>(loc, buffer, source, loR, to, rows, head, stride, inside, Value(),
                                    constant(elementOf(op.getResult()), 0), rect->arg, false);
      load(loR, add(to, head), loR, add(from, head), rows, sub(n, head));
    });
  }
  tiles[op.getResult()] = Tile{buffer, Value(), swapped};
  return success();
}

LogicalResult Lowering::lowerFixpipe(dl::FixpipeOp op) {
  auto rect =
      rectangle(op, op.getBase(), op.getAcc(), op.getStrides(), op.getLo(), op.getHi(), op.getArg(), false);
  if (failed(rect))
    return failure();
  rect->elementBytes = op.getElement().getIntOrFloatBitWidth() / 8;
  auto colStart = constantOf(rect->lo[1]);
  if (constantOf(rect->stride[1]) != 1 && rect->size[1] > 1)
    return unsupported(op, "the result of tt.dot is stored with a column stride of " +
                               describeStride(rect->stride[1]) + "; rows must be contiguous");
  if (!colStart || *colStart % 16 != 0)
    return unsupported(op, "a store of tt.dot's result whose rows begin masked off is not supported; mask "
                           "rows, or the ends of rows");
  Value row = rect->lo[0], col = rect->lo[1], stride = rect->stride[0], cols = count(col, rect->hi[1]);
  if (half) { // the columns of the tile from its own first one on
    col = half->column;
    cols = min(count(col, rect->hi[1]), constant(half->columns));
  }
  Value to = address(rect->base, add(mul(row, stride), col), rect->elementBytes);
  builder.create<npu::FixpipeOp>(loc, tileOf(op.getAcc()).buffer, to, row, half ? constant(0) : col,
                                 count(row, rect->hi[0]), cols, mul(stride, constant(rect->elementBytes)),
                                 constant(rect->size[0]), op.getScale() ? scalarOf(op.getScale()) : Value(),
                                 op.getElement(), op.getRelu(), npu::Atomic(op.getAtomic()), rect->arg,
                                 false);
  return success();
}

} // namespace dlsim::codegen
