#include "codegen/passes/access/Scalarize.h"
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/support/SourceLine.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::access {

Value wide(OpBuilder& b, Location loc, Value integer) {
  Type i64 = b.getI64Type();
  if (integer.getType() == i64)
    return integer;
  if (integer.getType().isIndex())
    return b.createOrFold<arith::IndexCastOp>(loc, i64, integer);
  return b.createOrFold<arith::ExtSIOp>(loc, i64, integer);
}

namespace {
// What scalar code of every core kind computes.
bool isScalarType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return (integer && integer.getWidth() <= 64) || type.isF32() || isa<tt::PointerType>(type);
}

bool isScalarOperation(Operation* op) {
  bool known = (op->getDialect() && op->getDialect()->getNamespace() == "arith") ||
               isa<tt::AddPtrOp, tt::IntToPtrOp, tt::PtrToIntOp, tt::BitcastOp>(op);
  if (!known || op->getNumResults() != 1 || op->getNumRegions() != 0 || isa<arith::ConstantOp>(op))
    return false;
  return isScalarType(getElementTypeOrSelf(op->getResult(0).getType())) &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type type) { return isScalarType(getElementTypeOrSelf(type)); });
}
} // namespace

Value Scalarizer::element(OpBuilder& b, Location loc, Value tensor, ArrayRef<Value> lanes) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return tensor;
  std::vector<void*> key{tensor.getAsOpaquePointer()};
  for (Value lane : lanes)
    key.push_back(lane.getAsOpaquePointer());
  if (auto found = known.find(key); found != known.end())
    return found->second;
  Value result = compute(b, loc, tensor, lanes);
  if (result)
    known[key] = result;
  return result;
}

Value Scalarizer::compute(OpBuilder& b, Location loc, Value tensor, ArrayRef<Value> lanes) {
  Type type = getElementTypeOrSelf(tensor.getType());
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat())
    return b.create<arith::ConstantOp>(loc, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  if (carriedBy(tensor))
    return carried(b, loc, tensor, lanes);
  Operation* op = tensor.getDefiningOp();
  if (!op)
    return extract(b, loc, tensor, lanes);
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    Value number =
        b.createOrFold<arith::AddIOp>(loc, lanes[0], materializer.constant(b, loc, range.getStart()));
    return type.isInteger(64) ? number : b.createOrFold<arith::TruncIOp>(loc, type, number);
  }
  if (auto splat = dyn_cast<tt::SplatOp>(op))
    return isa<RankedTensorType>(splat.getSrc().getType()) ? extract(b, loc, tensor, lanes) : splat.getSrc();
  if (isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp>(op))
    return reshaped(b, loc, op, lanes);
  if (isScalarOperation(op))
    return sameOperation(b, loc, op, lanes);
  if (auto mask = dyn_cast<dl::RangeMaskOp>(op))
    return inRange(b, loc, mask.getLo(), mask.getHi(), lanes);
  if (isa<tt::LoadOp>(op) && fromMemory)
    return loaded(b, loc, op, lanes);
  return extract(b, loc, tensor, lanes);
}

Value Scalarizer::carried(OpBuilder& b, Location loc, Value tensor, ArrayRef<Value> lanes) {
  auto itself = [&](const Atom& atom) { return atom.tensor == tensor; };
  if (isa<tt::PointerType>(getElementTypeOrSelf(tensor.getType()))) {
    auto form = analysis.pointer(tensor);
    if (form && !(form->start && itself(*form->start)))
      return pointer(b, loc, *form, lanes);
    problem = form ? form->start->why : form.why;
    return {};
  }
  if (!Analysis::followsThroughLoops(tensor.getType()))
    return extract(b, loc, tensor, lanes);
  auto form = analysis.index(tensor);
  if (!form || llvm::any_of(form->atoms, itself))
    return extract(b, loc, tensor, lanes);
  Value sum = index(b, loc, *form, lanes);
  Type type = getElementTypeOrSelf(tensor.getType());
  return !sum || type.isInteger(64) ? sum : b.createOrFold<arith::TruncIOp>(loc, type, sum);
}

Value Scalarizer::sameOperation(OpBuilder& b, Location loc, Operation* op, ArrayRef<Value> lanes) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(element(b, loc, operand, lanes));
    if (!operands.back())
      return {};
  }
  OperationState state(loc, op->getName(), operands, {getElementTypeOrSelf(op->getResult(0).getType())},
                       op->getAttrs());
  Operation* made = b.create(state);
  SmallVector<Value, 1> folded;
  if (succeeded(b.tryFold(made, folded)) && !folded.empty()) {
    made->erase();
    return folded.front();
  }
  return made->getResult(0);
}

Value Scalarizer::reshaped(OpBuilder& b, Location loc, Operation* op, ArrayRef<Value> lanes) {
  Value source = op->getOperand(0);
  auto from = cast<RankedTensorType>(source.getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Value> inner(lanes);
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    inner.erase(inner.begin() + expand.getAxis());
  } else if (isa<tt::BroadcastOp>(op)) {
    for (int64_t d = 0; d < from.getRank(); ++d)
      if (from.getDimSize(d) == 1)
        inner[d] = materializer.constant(b, loc, 0);
  } else if (auto trans = dyn_cast<tt::TransOp>(op)) {
    for (auto [d, order] : llvm::enumerate(trans.getOrder()))
      inner[unsigned(order)] = lanes[d];
  } else { // reshape: through the number of the element
    Value number = materializer.constant(b, loc, 0);
    for (auto [lane, size] : llvm::zip(lanes, to.getShape())) {
      number = b.createOrFold<arith::MulIOp>(loc, number, materializer.constant(b, loc, size));
      number = b.createOrFold<arith::AddIOp>(loc, number, lane);
    }
    inner.assign(size_t(from.getRank()), Value());
    for (int64_t d = from.getRank() - 1; d >= 0; --d) {
      Value size = materializer.constant(b, loc, from.getDimSize(d));
      inner[unsigned(d)] = b.createOrFold<arith::RemUIOp>(loc, number, size);
      number = b.createOrFold<arith::DivUIOp>(loc, number, size);
    }
  }
  return element(b, loc, source, inner);
}

Value Scalarizer::inRange(OpBuilder& b, Location loc, ValueRange lo, ValueRange hi, ArrayRef<Value> lanes) {
  Value all = b.create<arith::ConstantIntOp>(loc, 1, 1);
  for (auto [low, high, lane] : llvm::zip(lo, hi, lanes)) {
    all = b.createOrFold<arith::AndIOp>(
        loc, all, b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, lane, low));
    all = b.createOrFold<arith::AndIOp>(
        loc, all, b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane, high));
  }
  return all;
}

// A guarded load of one element.
Value Scalarizer::loaded(OpBuilder& b, Location loc, Operation* op, ArrayRef<Value> lanes) {
  auto load = cast<tt::LoadOp>(op);
  Type type = getElementTypeOrSelf(load.getType());
  auto form = analysis.pointer(load.getPtr());
  if (!form || !isScalarType(type) || !form->root || fromMemory->any ||
      fromMemory->roots.contains(form->root))
    return extract(b, loc, load.getResult(), lanes);
  Value mask = load.getMask() ? element(b, loc, load.getMask(), lanes) : Value();
  if (load.getMask() && !mask)
    return {};
  Value address;
  auto read = [&](OpBuilder& at) -> Value {
    auto outer = known; // values of a branch do not reach beyond it
    address = element(at, loc, load.getPtr(), lanes);
    known = outer;
    return address ? at.create<dl::LoadScalarOp>(loc, type, address, IntegerAttr()).getResult() : Value();
  };
  if (!mask)
    return read(b);
  Value other = load.getOther() ? element(b, loc, load.getOther(), lanes)
                                : b.create<arith::ConstantOp>(loc, b.getZeroAttr(type)).getResult();
  if (!other)
    return {};
  auto choice = b.create<scf::IfOp>(loc, TypeRange(type), mask, /*withElseRegion=*/true);
  OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
  Value value = read(then);
  if (!value) {
    choice.erase();
    return {};
  }
  then.create<scf::YieldOp>(loc, value);
  otherwise.create<scf::YieldOp>(loc, other);
  return choice.getResult(0);
}

Value Scalarizer::extract(OpBuilder& b, Location loc, Value tensor, ArrayRef<Value> lanes) {
  Type type = getElementTypeOrSelf(tensor.getType());
  if (isa<tt::PointerType>(type)) {
    Operation* op = tensor.getDefiningOp();
    problem =
        op ? "pointers come from " + op->getName().getStringRef().str() + " at " + sourceLine(op->getLoc())
           : std::string("pointers come from a block argument");
    return {};
  }
  extracts = true;
  return b.create<dl::ExtractOp>(loc, type, tensor, lanes);
}

Value Scalarizer::atom(OpBuilder& b, Location loc, const Atom& atom, ArrayRef<Value> lanes) {
  auto type = cast<RankedTensorType>(atom.tensor.getType());
  SmallVector<Value> inner(size_t(type.getRank()));
  for (auto [from, to] : atom.lanes)
    inner[from] = lanes[to];
  for (Value& lane : inner)
    if (!lane)
      lane = materializer.constant(b, loc, 0);
  return element(b, loc, atom.tensor, inner);
}

Value Scalarizer::index(OpBuilder& b, Location loc, const Index& whole, ArrayRef<Value> lanes) {
  Index index = whole;
  for (unsigned d = 0; d < index.dims.size(); ++d)
    index.unwrap(d);
  Value sum = materializer.emit(b, loc, index.base);
  auto add = [&](const Polynomial& coefficient, Value value) {
    if (coefficient.isZero() || matchPattern(value, m_Zero()))
      return;
    Value part = coefficient == Polynomial(1)
                     ? value
                     : b.createOrFold<arith::MulIOp>(loc, value, materializer.emit(b, loc, coefficient));
    sum = b.createOrFold<arith::AddIOp>(loc, sum, part);
  };
  for (auto [dim, lane] : llvm::zip(index.dims, lanes))
    add(dim.coefficient, lane);
  for (const Atom& part : index.atoms) {
    Value value = atom(b, loc, part, lanes);
    if (!value)
      return {};
    add(part.coefficient, wide(b, loc, value));
  }
  return sum;
}

Value Scalarizer::pointer(OpBuilder& b, Location loc, const Pointer& pointer, ArrayRef<Value> lanes) {
  Value root = pointer.start ? atom(b, loc, *pointer.start, lanes) : pointer.root;
  Value offset = root ? index(b, loc, pointer.offset, lanes) : Value();
  if (!offset || matchPattern(offset, m_Zero()))
    return offset ? root : offset;
  return b.create<tt::AddPtrOp>(loc, root.getType(), root, offset);
}
} // namespace dlsim::access
