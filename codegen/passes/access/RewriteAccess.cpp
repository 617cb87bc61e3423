#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/access/Irregular.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dlsim::access {
namespace {
class Rewriter {
public:
  Rewriter(Analysis& analysis, Materializer& materializer, codegen::Coalesce mode, llvm::raw_ostream* report)
      : analysis(analysis), materializer(materializer), mode(mode), report(report) {}

  LogicalResult load(tt::LoadOp op);
  LogicalResult store(tt::StoreOp op);
  LogicalResult atomic(tt::AtomicRMWOp op);
  void maskData(Value mask);
  // Rewritten operations stay until the end: the analysis goes on to read the program as it was.
  void eraseDead() {
    for (auto [before, after] : replaced)
      before.replaceAllUsesWith(after);
    for (Operation* op : dead)
      op->erase();
  }
  // Arrays that the kernel writes.
  void collectWritten(func::FuncOp function);

private:
  struct Access {
    Pointer pointer;
    Mask mask;
    SmallVector<int64_t> shape;
    // One rectangle; else parts of the tile are found by scalar code.
    bool rectangle = true;
  };
  FailureOr<Access> analyse(Operation* op, Value pointer, Value mask);
  Value address(OpBuilder& b, Location loc, const Pointer& pointer);
  IntegerAttr argument(OpBuilder& b, const Pointer& pointer);
  DictionaryAttr hints(Operation* op);
  SmallVector<Value> strides(OpBuilder& b, Location loc, const Access& access);
  std::optional<size_t> wrappedDim(const Access& access);
  Value scalarLoad(tt::LoadOp op, const Access& access);
  Value tileLoad(OpBuilder& b, tt::LoadOp op, Access access, Value other);
  LogicalResult gather(tt::LoadOp op, const Access& access);
  LogicalResult scatter(Operation* op, Value value, const Access& access, dl::AtomicKind kind);
  bool runs() const { return mode == codegen::Coalesce::full; }
  LogicalResult scalarAtomic(tt::AtomicRMWOp op, dl::AtomicKind kind);
  LogicalResult tileStore(Operation* op, Value value, Value pointer, Value mask, dl::AtomicKind kind);

  Analysis& analysis;
  Materializer& materializer;
  codegen::Coalesce mode;
  llvm::raw_ostream* report;
  SmallVector<Operation*> dead;
  SmallVector<std::pair<Value, Value>> replaced;
  WrittenArrays written;
};

// Only products use it. Index tensors of such a tile are read by the scalar unit, element by element: the
// cube core has no tensors of indices.
static bool feedsProducts(Value tile) {
  SmallVector<Value> work{tile};
  while (!work.empty())
    for (Operation* user : work.pop_back_val().getUsers()) {
      if (isa<tt::TransOp>(user))
        work.push_back(user->getResult(0));
      else if (!isa<tt::DotOp>(user))
        return false;
    }
  return !tile.use_empty();
}

FailureOr<Rewriter::Access> Rewriter::analyse(Operation* op, Value pointerValue, Value maskValue) {
  if (auto scalar = dyn_cast<tt::PointerType>(pointerValue.getType());
      scalar && isa<RankedTensorType>(scalar.getPointee()))
    return errorAt(op) << op->getName() << " through a block pointer is not supported here";
  auto pointer = analysis.pointer(pointerValue);
  if (!pointer)
    return errorAt(op) << op->getName() << ": " << pointer.why;
  Access access{*pointer, Mask(), {}};
  if (auto tensor = dyn_cast<RankedTensorType>(pointerValue.getType()))
    access.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  access.mask.dims.resize(access.shape.size());
  if (maskValue) {
    auto mask = analysis.mask(maskValue);
    if (!mask)
      return errorAt(op) << op->getName() << ": " << mask.why;
    access.mask = *mask;
  }
  auto& dims = access.pointer.offset.dims;
  bool isLoad = isa<tt::LoadOp>(op);
  int64_t wraps = llvm::count_if(dims, [](const Dim& dim) { return dim.wrap.has_value(); });
  access.rectangle = pointer->regular() && access.mask.regular() && wraps <= int64_t(isLoad);
  for (auto [dim, size] : llvm::zip(dims, access.shape)) // one address for several lanes: a store for each
    access.rectangle &= isLoad || size == 1 || !dim.coefficient.isZero();
  if (report) {
    std::optional<Irregular> parts;
    if (!access.rectangle)
      parts.emplace(analysis, materializer, access.pointer, access.mask, access.shape, !isLoad, runs());
    reportAccess(*report, op, access.pointer, access.mask, dyn_cast<RankedTensorType>(pointerValue.getType()),
                 parts ? &*parts : nullptr, isLoad && feedsProducts(op->getResult(0)), mode, analysis);
  }
  return access;
}

Value Rewriter::address(OpBuilder& b, Location loc, const Pointer& pointer) {
  if (pointer.offset.base.isZero())
    return pointer.root;
  return b.create<tt::AddPtrOp>(loc, pointer.root.getType(), pointer.root,
                                materializer.emit(b, loc, pointer.offset.base));
}

// Number of the kernel's argument that is accessed, if known.
IntegerAttr Rewriter::argument(OpBuilder& b, const Pointer& pointer) {
  auto arg = dyn_cast<BlockArgument>(pointer.root);
  if (!arg || !isa<func::FuncOp>(arg.getOwner()->getParentOp()))
    return {};
  return b.getI64IntegerAttr(arg.getArgNumber());
}

// What the kernel's author said about the access, for later passes.
DictionaryAttr Rewriter::hints(Operation* op) {
  NamedAttrList list(op->getDiscardableAttrDictionary());
  Builder b(op->getContext());
  auto evict = tt::EvictionPolicy::NORMAL;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    evict = load.getEvict();
  if (auto store = dyn_cast<tt::StoreOp>(op))
    evict = store.getEvict();
  if (evict != tt::EvictionPolicy::NORMAL)
    list.set("evict", b.getStringAttr(tt::stringifyEvictionPolicy(evict)));
  return list.empty() ? DictionaryAttr() : list.getDictionary(op->getContext());
}

SmallVector<Value> Rewriter::strides(OpBuilder& b, Location loc, const Access& access) {
  SmallVector<Value> result;
  for (const Dim& dim : access.pointer.offset.dims)
    result.push_back(materializer.emit(b, loc, dim.coefficient));
  return result;
}

std::optional<size_t> Rewriter::wrappedDim(const Access& access) {
  for (auto [d, dim] : llvm::enumerate(access.pointer.offset.dims))
    if (dim.wrap)
      return d;
  return std::nullopt;
}

Value Rewriter::scalarLoad(tt::LoadOp op, const Access& access) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto read = [&](OpBuilder& b) -> Value {
    return b.create<dl::LoadScalarOp>(loc, op.getType(), address(b, loc, access.pointer),
                                      argument(b, access.pointer));
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

// The scalar behind a tensor whose elements are all the same, or null.
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

// Dimensions with stride 0 are loaded once and broadcast. Where such a dimension is masked, it is loaded if
// any of its lanes is on, and the lanes that are off get `other` afterwards.
Value Rewriter::tileLoad(OpBuilder& b, tt::LoadOp op, Access access, Value other) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  auto full = materializer.bounds(b, loc, access.mask, access.shape);
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

LogicalResult Rewriter::load(tt::LoadOp op) {
  auto access = analyse(op, op.getPtr(), op.getMask());
  if (failed(access))
    return failure();
  if (!access->rectangle)
    return gather(op, *access);
  OpBuilder b(op);
  Value result;
  if (access->shape.empty()) {
    result = scalarLoad(op, *access);
  } else {
    Value other = op.getMask() && op.getOther() ? scalarOf(b, op.getOther()) : Value();
    result = tileLoad(b, op, *access, other);
    if (op.getMask() && op.getOther() && !other && !access->mask.full()) {
      auto bounds = materializer.bounds(b, op.getLoc(), access->mask, access->shape);
      Value mask = b.create<dl::RangeMaskOp>(op.getLoc(), op.getMask().getType(), bounds.lo, bounds.hi);
      result = b.create<arith::SelectOp>(op.getLoc(), mask, result, op.getOther());
    }
  }
  replaced.push_back({op.getResult(), result});
  dead.push_back(op);
  return success();
}

LogicalResult Rewriter::tileStore(Operation* op, Value value, Value pointer, Value mask,
                                  dl::AtomicKind kind) {
  auto access = analyse(op, pointer, mask);
  if (failed(access))
    return failure();
  if (!access->rectangle)
    return scatter(op, value, *access, kind);
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto bounds = materializer.bounds(b, loc, access->mask, access->shape);
  b.create<dl::StoreOp>(loc, value, address(b, loc, access->pointer), strides(b, loc, *access), bounds.lo,
                        bounds.hi, kind, argument(b, access->pointer), hints(op));
  return success();
}

// Dimensions along which nothing changes are loaded once and broadcast.
LogicalResult Rewriter::gather(tt::LoadOp op, const Access& access) {
  OpBuilder b(op);
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
  replaced.push_back({op.getResult(), result});
  dead.push_back(op);
  return success();
}

LogicalResult Rewriter::scatter(Operation* op, Value value, const Access& access, dl::AtomicKind kind) {
  OpBuilder b(op);
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

void Rewriter::collectWritten(func::FuncOp function) {
  function.walk([&](Operation* op) {
    Value pointer;
    if (auto store = dyn_cast<tt::StoreOp>(op))
      pointer = store.getPtr();
    else if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      pointer = op->getOperand(0);
    if (!pointer)
      return;
    auto form = analysis.pointer(pointer);
    if (form && form->root)
      written.roots.insert(form->root);
    else
      written.any = true;
  });
}

LogicalResult Rewriter::store(tt::StoreOp op) {
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

LogicalResult Rewriter::atomic(tt::AtomicRMWOp op) {
  std::optional<dl::AtomicKind> kind;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getVal().getType()));
  switch (op.getKind()) {
  case tt::AtomicKind::ADD:
  case tt::AtomicKind::FADD:
    kind = dl::AtomicKind::add;
    break;
  case tt::AtomicKind::MAX:
    kind = isFloat ? std::nullopt : std::optional(dl::AtomicKind::max);
    break;
  case tt::AtomicKind::MIN:
    kind = isFloat ? std::nullopt : std::optional(dl::AtomicKind::min);
    break;
  default:
    break;
  }
  if (!kind || !op.use_empty())
    return errorAt(op)
           << "tt.atomic_rmw " << tt::stringifyAtomicKind(op.getKind())
           << " is not supported here; supported: add, and max and min of integers, with the result unused";
  if (isa<RankedTensorType>(op.getPtr().getType())) {
    if (failed(tileStore(op, op.getVal(), op.getPtr(), op.getMask(), *kind)))
      return failure();
  } else if (failed(scalarAtomic(op, *kind))) {
    return failure();
  }
  dead.push_back(op);
  return success();
}

// One element: a tile of one element, the scalar unit has no atomics.
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

// True unless `user` only makes another mask or guards an access.
bool isDataUse(Operation* user) {
  return !isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::ExpandDimsOp, tt::BroadcastOp, arith::AndIOp>(
      user);
}

// A mask that is needed as data and is a rectangle.
void Rewriter::maskData(Value value) {
  auto mask = analysis.mask(value);
  if (!mask || !mask->regular())
    return;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  auto type = cast<RankedTensorType>(value.getType());
  auto bounds = materializer.bounds(b, value.getLoc(), *mask, type.getShape());
  Value data = b.create<dl::RangeMaskOp>(value.getLoc(), type, bounds.lo, bounds.hi);
  value.replaceUsesWithIf(data, [](OpOperand& use) { return isDataUse(use.getOwner()); });
}

bool isMask(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && tensor.getElementType().isInteger(1);
}

} // namespace

LogicalResult rewriteAccesses(func::FuncOp function, Analysis& analysis, Materializer& materializer,
                              codegen::Coalesce mode, llvm::raw_ostream* report) {
  Rewriter rewriter(analysis, materializer, mode, report);
  SmallVector<Operation*> accesses;
  SmallVector<Value> masks;
  function.walk([&](Operation* op) {
    if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp>(op))
      accesses.push_back(op);
    for (Value result : op->getResults())
      if (isMask(result) && !isa<arith::ConstantOp>(op) && llvm::any_of(result.getUsers(), isDataUse))
        masks.push_back(result);
  });
  rewriter.collectWritten(function);
  for (Value mask : masks)
    rewriter.maskData(mask);
  bool ok = true;
  for (Operation* op : accesses) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      ok &= succeeded(rewriter.load(load));
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      ok &= succeeded(rewriter.store(store));
    else
      ok &= succeeded(rewriter.atomic(cast<tt::AtomicRMWOp>(op)));
  }
  rewriter.eraseDead();
  return success(ok);
}
} // namespace dlsim::access
