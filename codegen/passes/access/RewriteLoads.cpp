// Loads.
#include "codegen/passes/access/Rewriter.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dlsim::access {

Value scalarOf(OpBuilder& b, Value tensor) {
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat())
    return b.create<arith::ConstantOp>(tensor.getLoc(), cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  while (Operation* op = tensor.getDefiningOp()) {
    if (auto splat = dyn_cast<tt::SplatOp>(op))
      return splat.getSrc();
    if (!isa<tt::BroadcastOp, tt::ExpandDimsOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return {};
}

// Quotients and shifts of i64 are taken element by element by the scalar unit, of all elements.
static bool isOneByOne(Operation* op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::ShLIOp, arith::ShRSIOp,
             arith::ShRUIOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isInteger(64);
}

// False if the lanes that the load's mask leaves out only ever meet each other and end in accesses under the
// same mask.
static bool showsMaskedLanes(tt::LoadOp load) {
  SmallVector<Value> work{load.getResult()};
  llvm::DenseSet<Operation*> seen;
  auto shape = cast<RankedTensorType>(load.getType()).getShape();
  while (!work.empty())
    for (Operation* user : work.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      Value mask;
      if (auto store = dyn_cast<tt::StoreOp>(user))
        mask = store.getMask();
      else if (auto atomic = dyn_cast<tt::AtomicRMWOp>(user))
        mask = atomic.getMask();
      else if (auto other = dyn_cast<tt::LoadOp>(user))
        mask = other.getMask();
      if (mask && mask != load.getMask())
        return true;
      bool laneByLane =
          user->hasTrait<OpTrait::Elementwise>() ||
          isa<arith::SelectOp, tt::AddPtrOp, tt::BitcastOp, tt::FpToFpOp, tt::ClampFOp, tt::MulhiUIOp,
              tt::PreciseDivFOp, tt::PreciseSqrtOp, tt::ExternElementwiseOp>(user);
      if (!mask && (!laneByLane || isOneByOne(user)))
        return true;
      for (Value result : user->getResults()) {
        if (cast<RankedTensorType>(result.getType()).getShape() != shape)
          return true;
        work.push_back(result);
      }
    }
  return false;
}

void addOther(tt::LoadOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !op.getMask() || op.getOther() || isa<tt::PointerType>(type.getElementType()) ||
      !showsMaskedLanes(op))
    return;
  OpBuilder b(op);
  op.getOtherMutable().assign(b.create<arith::ConstantOp>(op.getLoc(), b.getZeroAttr(type)));
}

LogicalResult Rewriter::load(tt::LoadOp op) {
  addOther(op);
  auto access = analyse(op, op.getPtr(), op.getMask());
  if (failed(access))
    return failure();
  if (const Siblings* family = siblingsOf(op)) {
    if (op == family->first)
      loadTogether(*family);
    dead.push_back(op);
    return success();
  }
  OpBuilder b(op);
  FailureOr<Value> result = access->places          ? stretchLoad(b, op, *access)
                            : !access->rectangle    ? gather(b, op, *access)
                            : access->shape.empty() ? scalarLoad(op, *access)
                                                    : rectangleLoad(b, op, *access);
  if (failed(result))
    return failure();
  replaced.push_back({op.getResult(), *result});
  dead.push_back(op);
  return success();
}

Value Rewriter::rectangleLoad(OpBuilder& b, tt::LoadOp op, const Access& access) {
  Value other = op.getMask() && op.getOther() ? scalarOf(b, op.getOther()) : Value();
  Value result = tileLoad(b, op, cast<RankedTensorType>(op.getType()), access, other);
  if (!op.getMask() || !op.getOther() || other || access.mask.full())
    return result;
  auto bounds = materializer.bounds(b, op.getLoc(), access.mask, access.shape);
  Value mask = b.create<dl::RangeMaskOp>(op.getLoc(), op.getMask().getType(), bounds.lo, bounds.hi);
  return b.create<arith::SelectOp>(op.getLoc(), mask, result, op.getOther());
}

Value Rewriter::scalarLoad(tt::LoadOp op, const Access& access) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto read = [&](OpBuilder& b) -> Value {
    return b.create<dl::LoadScalarOp>(loc, op.getType(), address(b, loc, access.pointer),
                                      argument(b, access.pointer), op.getIsVolatile());
  };
  Value guard = materializer.condition(b, loc, access.mask);
  if (!guard)
    return read(b);
  Value other = op.getOther() ? op.getOther() : b.create<arith::ConstantOp>(loc, b.getZeroAttr(op.getType()));
  auto choice = b.create<scf::IfOp>(
      loc, guard, [&](OpBuilder& b, Location loc) { b.create<scf::YieldOp>(loc, read(b)); },
      [&](OpBuilder& b, Location loc) { b.create<scf::YieldOp>(loc, other); });
  return choice.getResult(0);
}

// Dimensions with stride 0 are loaded once and broadcast. Where such a dimension is masked, it is loaded if
// any of its lanes is on, and the lanes that are off get `other` afterwards.
Value Rewriter::tileLoad(OpBuilder& b, tt::LoadOp op, RankedTensorType type, Access access, Value other) {
  Location loc = op.getLoc();
  auto full = bounds(b, loc, access);
  SmallVector<int64_t> shape = access.shape;
  bool maskedBroadcast = false;
  auto bounds = full;
  for (auto [d, dim] : llvm::enumerate(access.pointer.offset.dims)) {
    if (!dim.coefficient.isZero() || shape[d] == 1)
      continue;
    shape[d] = 1;
    bounds.lo[d] = materializer.constant(b, loc, 0);
    Value any = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, full.hi[d], full.lo[d]);
    bounds.hi[d] = b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), any);
    const Range& range = access.mask.dims[d];
    maskedBroadcast |= !range.lo.empty() || !range.hi.empty();
  }
  if (access.mask.full())
    other = {};
  Value wrapStart, wrapModulus;
  IntegerAttr wrapDim;
  if (auto d = wrappedDim(access)) {
    const Wrap& wrap = *access.pointer.offset.dims[*d].wrap;
    wrapStart = materializer.emit(b, loc, wrap.start);
    wrapModulus = materializer.emit(b, loc, wrap.modulus);
    wrapDim = b.getI64IntegerAttr(*d);
  }
  auto partType = RankedTensorType::get(shape, type.getElementType());
  Value result = b.create<dl::LoadOp>(loc, partType, address(b, loc, access.pointer), strides(b, loc, access),
                                      bounds.lo, bounds.hi, other, wrapStart, wrapModulus, wrapDim,
                                      argument(b, access.pointer), hints(op));
  if (partType == type)
    return result;
  result = b.create<tt::BroadcastOp>(loc, type, result);
  if (!maskedBroadcast || !other)
    return result;
  Value mask = b.create<dl::RangeMaskOp>(loc, type.clone(b.getI1Type()), full.lo, full.hi);
  return b.create<arith::SelectOp>(loc, mask, result, b.create<tt::SplatOp>(loc, type, other));
}

// Dimensions along which nothing changes are loaded once and broadcast.
FailureOr<Value> Rewriter::gather(OpBuilder& b, tt::LoadOp op, const Access& access) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Irregular parts(analysis, materializer, access.pointer, access.mask, access.shape, /*repeats=*/false,
                  runs());
  Value other;
  bool wholeOther = false;
  if (op.getMask() && op.getOther()) {
    other = scalarOf(b, op.getOther());
    wholeOther = !other;
    other = other ? other : op.getOther();
  }
  SmallVector<int64_t> shape = access.shape;
  for (unsigned d = 0; d < shape.size() && !wholeOther; ++d)
    if (parts.isRepeated(d))
      shape[d] = 1;
  auto bounds = parts.bounds(b, loc, shape);
  auto partType = RankedTensorType::get(shape, type.getElementType());
  auto made = b.create<dl::GatherOp>(
      loc, partType, parts.strides(b, loc), bounds.lo, bounds.hi, other, b.getDenseI64ArrayAttr(parts.walk()),
      UnitAttr(), access.pointer.root ? argument(b, access.pointer) : IntegerAttr(), hints(op));
  if (auto problem = parts.body(loc, made.getBody(), feedsProducts(op.getResult()) ? &written : nullptr))
    return errorAt(op) << op->getName()
                       << " through pointers that cannot be computed one by one: " << *problem;
  for (auto [d, size] : llvm::enumerate(access.shape))
    if (shape[d] != size) {
      auto run = cast<dl::RunOp>(made.getBody().front().back());
      OpBuilder inside(run);
      run.getHiMutable()[unsigned(d)].assign(materializer.constant(inside, loc, 1));
    }
  made.setScalar(parts.scalarOnly());
  Value result = made.getResult();
  if (partType != type)
    result = b.create<tt::BroadcastOp>(loc, type, result);
  return result;
}

} // namespace dlsim::access
