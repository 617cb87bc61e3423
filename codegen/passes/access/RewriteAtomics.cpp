// Atomic updates. Where nobody reads what was there before, sums and extremes are stores that combine with
// memory; the rest is done by the scalar unit, element by element.
#include "codegen/passes/access/Rewriter.h"
#include "codegen/support/SourceLine.h"

using namespace mlir;

namespace dlsim::access {
namespace {

bool isFloat(Type element) { return isa<FloatType>(element); }

// How MTE3 combines a store with memory, if it can.
std::optional<dl::AtomicKind> storeKind(tt::AtomicKind kind, Type element) {
  bool stores = element.isF16() || element.isBF16() || element.isF32() || element.isInteger(8) ||
                element.isInteger(16) || element.isInteger(32);
  if (!stores)
    return std::nullopt;
  switch (kind) {
  case tt::AtomicKind::ADD:
  case tt::AtomicKind::FADD:
    return dl::AtomicKind::add;
  case tt::AtomicKind::MAX:
    return dl::AtomicKind::max;
  case tt::AtomicKind::MIN:
    return dl::AtomicKind::min;
  case tt::AtomicKind::UMAX:
    return dl::AtomicKind::umax;
  case tt::AtomicKind::UMIN:
    return dl::AtomicKind::umin;
  default:
    return std::nullopt;
  }
}

dl::UpdateKind updateKind(tt::AtomicKind kind) {
  switch (kind) {
  case tt::AtomicKind::ADD:
  case tt::AtomicKind::FADD:
    return dl::UpdateKind::add;
  case tt::AtomicKind::MAX:
    return dl::UpdateKind::max;
  case tt::AtomicKind::MIN:
    return dl::UpdateKind::min;
  case tt::AtomicKind::UMAX:
    return dl::UpdateKind::umax;
  case tt::AtomicKind::UMIN:
    return dl::UpdateKind::umin;
  case tt::AtomicKind::AND:
    return dl::UpdateKind::and_;
  case tt::AtomicKind::OR:
    return dl::UpdateKind::or_;
  case tt::AtomicKind::XOR:
    return dl::UpdateKind::xor_;
  case tt::AtomicKind::XCHG:
    return dl::UpdateKind::exch;
  }
  llvm_unreachable("no such kind");
}

// Integers have all kinds, floats sums and exchanges: Triton writes extremes of floats as those of their
// bits.
bool hasKind(tt::AtomicKind kind, Type element) {
  bool exchange = kind == tt::AtomicKind::XCHG;
  if (isFloat(element))
    return (exchange || kind == tt::AtomicKind::FADD) &&
           (element.isF16() || element.isBF16() || element.isF32());
  return kind != tt::AtomicKind::FADD && element.getIntOrFloatBitWidth() >= 8 &&
         element.getIntOrFloatBitWidth() <= 64;
}

bool releases(tt::MemSemantic sem) {
  return sem == tt::MemSemantic::RELEASE || sem == tt::MemSemantic::ACQUIRE_RELEASE;
}

} // namespace

LogicalResult Rewriter::atomic(tt::AtomicRMWOp op) {
  Type element = getElementTypeOrSelf(op.getVal().getType());
  if (!hasKind(op.getKind(), element))
    return errorAt(op)
           << "tt.atomic_rmw " << tt::stringifyAtomicKind(op.getKind()) << " on elements of " << element
           << " is not supported; integers of 8 to 64 bits have all kinds, f16, bf16 and f32 fadd and exch";
  auto kind = op.use_empty() ? storeKind(op.getKind(), element) : std::nullopt;
  if (!kind)
    return update(op, {op.getPtr(), op.getVal(), Value(), op.getMask(), updateKind(op.getKind()),
                       releases(op.getSem())});
  if (isa<RankedTensorType>(op.getPtr().getType())) {
    if (failed(tileStore(op, op.getVal(), op.getPtr(), op.getMask(), *kind)))
      return failure();
  } else if (failed(scalarAtomic(op, *kind))) {
    return failure();
  }
  dead.push_back(op);
  return success();
}

LogicalResult Rewriter::atomic(tt::AtomicCASOp op) {
  if (Type element = getElementTypeOrSelf(op.getVal().getType()); !hasKind(tt::AtomicKind::XCHG, element))
    return errorAt(op) << "tt.atomic_cas on elements of " << element
                       << " is not supported; integers of 8 to 64 bits, f16, bf16 and f32 are";
  return update(op,
                {op.getPtr(), op.getVal(), op.getCmp(), Value(), dl::UpdateKind::cas, releases(op.getSem())});
}

// One element: a tile of one element.
LogicalResult Rewriter::scalarAtomic(tt::AtomicRMWOp op, dl::AtomicKind kind) {
  auto access = analyse(op, op.getPtr(), op.getMask());
  if (failed(access))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value zero = materializer.constant(b, loc, 0), one = materializer.constant(b, loc, 1), hi = one;
  if (Value guard = materializer.condition(b, loc, access->mask))
    hi = b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), guard);
  Value tile = b.create<tt::SplatOp>(loc, RankedTensorType::get({1}, op.getVal().getType()), op.getVal());
  b.create<dl::StoreOp>(loc, tile, address(b, loc, access->pointer), one, zero, hi, kind,
                        argument(b, access->pointer), hints(op));
  return success();
}

LogicalResult Rewriter::update(Operation* op, const Update& what) {
  auto access = analyse(op, what.pointer, what.mask, /*oneByOne=*/true);
  if (failed(access))
    return failure();
  Value result;
  if (access->shape.empty()) {
    result = updateScalar(op, what, *access);
  } else {
    auto tile = updateTile(op, what, *access);
    if (failed(tile))
      return failure();
    result = *tile;
  }
  replaced.push_back({op->getResult(0), result});
  dead.push_back(op);
  return success();
}

Value Rewriter::updateScalar(Operation* op, const Update& what, const Access& access) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto write = [&](OpBuilder& b) -> Value {
    return b.create<dl::AtomicScalarOp>(loc, what.value.getType(), what.value, what.cmp,
                                        address(b, loc, access.pointer), what.kind, what.ordered,
                                        argument(b, access.pointer));
  };
  Value guard = materializer.condition(b, loc, access.mask);
  if (!guard)
    return write(b);
  Value none = b.create<arith::ConstantOp>(loc, b.getZeroAttr(what.value.getType()));
  auto choice = b.create<scf::IfOp>(
      loc, guard, [&](OpBuilder& b, Location loc) { b.create<scf::YieldOp>(loc, write(b)); },
      [&](OpBuilder& b, Location loc) { b.create<scf::YieldOp>(loc, none); });
  return choice.getResult(0);
}

FailureOr<Value> Rewriter::updateTile(Operation* op, const Update& what, const Access& access) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Irregular parts(analysis, materializer, access.pointer, access.mask, access.shape, /*repeats=*/true,
                  /*allowRuns=*/false);
  auto bounds = parts.bounds(b, loc, access.shape);
  auto made =
      b.create<dl::AtomicOp>(loc, what.value.getType(), what.value, what.cmp, parts.strides(b, loc),
                             bounds.lo, bounds.hi, b.getDenseI64ArrayAttr(parts.walk()), what.kind,
                             what.ordered, access.pointer.root ? argument(b, access.pointer) : IntegerAttr());
  if (auto problem = parts.body(loc, made.getBody(), nullptr))
    return errorAt(op) << op->getName()
                       << " through pointers that cannot be computed one by one: " << *problem;
  return made.getResult();
}

} // namespace dlsim::access
