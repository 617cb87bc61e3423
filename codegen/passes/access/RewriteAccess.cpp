#include "codegen/passes/access/Rewriter.h"
#include "codegen/support/SourceLine.h"

using namespace mlir;

namespace dlsim::access {

bool feedsProducts(Value tile) {
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

// Copies wrap around in tiles of at most two dimensions, one of them contiguous; other tiles are walks. (The
// cube core has no walks to go to: it says what it needs.)
static bool wrapsInRows(ArrayRef<Dim> dims, ArrayRef<int64_t> shape) {
  unsigned counted = 0;
  bool contiguous = false;
  for (auto [dim, size] : llvm::zip(dims, shape))
    if (size != 1 && !dim.coefficient.isZero()) {
      ++counted;
      contiguous |= dim.coefficient.constant() == 1;
    }
  return counted == 0 || (counted <= 2 && contiguous);
}

FailureOr<Rewriter::Access> Rewriter::analyse(Operation* op, Value pointerValue, Value maskValue,
                                              bool oneByOne) {
  if (auto scalar = dyn_cast<tt::PointerType>(pointerValue.getType());
      scalar && isa<RankedTensorType>(scalar.getPointee()))
    return errorAt(op) << op->getName()
                       << " through a block pointer of unknown origin is not supported; make it "
                       << "with tl.make_block_ptr where it is used";
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
  access.rectangle = !oneByOne && pointer->regular() && access.mask.regular() && wraps <= int64_t(isLoad);
  if (access.rectangle && wraps)
    access.rectangle = wrapsInRows(dims, access.shape) || feedsProducts(op->getResult(0));
  for (auto [dim, size] : llvm::zip(dims, access.shape)) // one address for several lanes: a store for each
    access.rectangle &= isLoad || size == 1 || !dim.coefficient.isZero();
  Type element = cast<tt::PointerType>(getElementTypeOrSelf(pointerValue.getType())).getPointee();
  const Siblings* family = siblingsOf(op);
  if (!oneByOne && !family)
    access.places = stretch(op, access, element);
  if (report) {
    std::optional<Irregular> parts;
    if (!access.rectangle && !access.shape.empty())
      parts.emplace(analysis, materializer, access.pointer, access.mask, access.shape, !isLoad,
                    runs() && !oneByOne);
    reportAccess(*report, op, access.pointer, access.mask, dyn_cast<RankedTensorType>(pointerValue.getType()),
                 parts ? &*parts : nullptr, access.places ? &*access.places : nullptr,
                 family ? family->size() : 1, oneByOne, isLoad && feedsProducts(op->getResult(0)), mode,
                 analysis);
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

Materializer::Bounds Rewriter::bounds(OpBuilder& b, Location loc, const Access& access) {
  SmallVector<int64_t> shape(access.shape);
  shape.back() /= access.memberMask;
  auto result = materializer.bounds(b, loc, access.mask, shape);
  Value times = materializer.constant(b, loc, access.memberMask);
  for (Value* bound : {&result.lo.back(), &result.hi.back()})
    *bound = b.createOrFold<arith::MulIOp>(loc, *bound, times);
  return result;
}

const Siblings* Rewriter::siblingsOf(Operation* op) const {
  auto known = familyOf.find(op);
  return known == familyOf.end() ? nullptr : &families[known->second];
}

void Rewriter::collectSiblings(func::FuncOp function) {
  if (!runs())
    return;
  families = findSiblings(function, analysis);
  for (auto [number, family] : llvm::enumerate(families))
    for (Operation* member : family.members)
      familyOf[member] = unsigned(number);
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

namespace {

// True unless `user` only makes another mask or guards an access.
bool isDataUse(Operation* user) {
  return !isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::ExpandDimsOp, tt::BroadcastOp, arith::AndIOp>(
      user);
}

bool isMask(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && tensor.getElementType().isInteger(1);
}

} // namespace

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

LogicalResult rewriteAccesses(func::FuncOp function, Analysis& analysis, Materializer& materializer,
                              codegen::Coalesce mode, llvm::raw_ostream* report) {
  Rewriter rewriter(analysis, materializer, mode, report);
  SmallVector<Operation*> accesses;
  SmallVector<Value> masks;
  function.walk([&](Operation* op) {
    if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      accesses.push_back(op);
    for (Value result : op->getResults())
      if (isMask(result) && !isa<arith::ConstantOp>(op) && llvm::any_of(result.getUsers(), isDataUse))
        masks.push_back(result);
  });
  rewriter.collectWritten(function);
  rewriter.collectSiblings(function);
  for (Value mask : masks)
    rewriter.maskData(mask);
  bool ok = true;
  for (Operation* op : accesses) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      ok &= succeeded(rewriter.load(load));
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      ok &= succeeded(rewriter.store(store));
    else if (auto cas = dyn_cast<tt::AtomicCASOp>(op))
      ok &= succeeded(rewriter.atomic(cas));
    else
      ok &= succeeded(rewriter.atomic(cast<tt::AtomicRMWOp>(op)));
  }
  rewriter.eraseDead();
  return success(ok);
}
} // namespace dlsim::access
