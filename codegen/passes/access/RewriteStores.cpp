// Stores.
#include "codegen/passes/access/Rewriter.h"
#include "codegen/support/SourceLine.h"

using namespace mlir;

namespace dlsim::access {

LogicalResult Rewriter::store(tt::StoreOp op) {
  if (const Siblings* family = siblingsOf(op)) {
    dead.push_back(op);
    return storeSibling(op, *family);
  }
  if (isa<RankedTensorType>(op.getPtr().getType())) {
    if (failed(tileStore(op, op.getValue(), op.getPtr(), op.getMask(), dl::AtomicKind::none)))
      return failure();
    dead.push_back(op);
    return success();
  }
  auto access = analyse(op, op.getPtr(), op.getMask());
  if (failed(access))
    return failure();
  OpBuilder b(op);
  auto write = [&](OpBuilder& b, Location loc) {
    b.create<dl::StoreScalarOp>(loc, op.getValue(), address(b, loc, access->pointer),
                                argument(b, access->pointer));
  };
  if (Value guard = materializer.condition(b, op.getLoc(), access->mask))
    b.create<scf::IfOp>(op.getLoc(), guard, [&](OpBuilder& b, Location loc) {
      write(b, loc);
      b.create<scf::YieldOp>(loc);
    });
  else
    write(b, op.getLoc());
  dead.push_back(op);
  return success();
}

LogicalResult Rewriter::tileStore(Operation* op, Value value, Value pointer, Value mask,
                                  dl::AtomicKind kind) {
  auto access = analyse(op, pointer, mask);
  if (failed(access))
    return failure();
  OpBuilder b(op);
  return access->places ? stretchStore(b, op, value, *access, kind) : laneStore(b, op, value, *access, kind);
}

LogicalResult Rewriter::laneStore(OpBuilder& b, Operation* op, Value value, const Access& access,
                                  dl::AtomicKind kind) {
  if (!access.rectangle)
    return scatter(b, op, value, access, kind);
  Location loc = op->getLoc();
  auto bounds = materializer.bounds(b, loc, access.mask, access.shape);
  b.create<dl::StoreOp>(loc, value, address(b, loc, access.pointer), strides(b, loc, access), bounds.lo,
                        bounds.hi, kind, argument(b, access.pointer), hints(op));
  return success();
}

LogicalResult Rewriter::scatter(OpBuilder& b, Operation* op, Value value, const Access& access,
                                dl::AtomicKind kind) {
  Location loc = op->getLoc();
  Irregular parts(analysis, materializer, access.pointer, access.mask, access.shape, /*repeats=*/true,
                  runs());
  auto bounds = parts.bounds(b, loc, access.shape);
  auto made = b.create<dl::ScatterOp>(
      loc, value, parts.strides(b, loc), bounds.lo, bounds.hi, b.getDenseI64ArrayAttr(parts.walk()), kind,
      access.pointer.root ? argument(b, access.pointer) : IntegerAttr(), hints(op));
  if (auto problem = parts.body(loc, made.getBody(), nullptr))
    return errorAt(op) << op->getName()
                       << " through pointers that cannot be computed one by one: " << *problem;
  return success();
}

} // namespace dlsim::access
