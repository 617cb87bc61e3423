#include "codegen/passes/layout/Component.h"

#include "codegen/support/Elementwise.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dlsim::codegen {

bool isTile(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 2 && type.getElementType().isIntOrFloat();
}

bool isUniform(Value value) {
  DenseElementsAttr dense;
  return value.getDefiningOp<tt::SplatOp>() || (matchPattern(value, m_Constant(&dense)) && dense.isSplat());
}

Value accessedTile(Operation* op) {
  if (auto load = dyn_cast<dl::LoadOp>(op))
    return load.getResult();
  auto store = dyn_cast<dl::StoreOp>(op);
  return store ? store.getValue() : Value();
}

std::optional<unsigned> alongMemory(Operation* op) {
  Value tile = accessedTile(op);
  if (!tile || !isTile(tile))
    return std::nullopt;
  ValueRange strides =
      isa<dl::LoadOp>(op) ? cast<dl::LoadOp>(op).getStrides() : cast<dl::StoreOp>(op).getStrides();
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getDimSize(0) == 1 || type.getDimSize(1) == 1)
    return std::nullopt;
  bool first = getConstantIntValue(strides[0]) == 1, last = getConstantIntValue(strides[1]) == 1;
  if (first == last)
    return std::nullopt;
  return first ? 0 : 1;
}

namespace {

// Works in either layout.
bool turns(Operation* op) {
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
    return expand.getSrc().getType().getRank() == 1;
  return isElementwise(op) || isa<dl::LoadOp, dl::StoreOp, dl::RangeMaskOp, dl::ExtractOp, tt::BroadcastOp,
                                  tt::ReduceOp, tt::ScanOp>(op);
}

int64_t bytesOf(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return type.getNumElements() * std::max(8U, type.getElementTypeBitWidth()) / 8;
}

// How often an operation runs, in a guess: eight times an iteration of the loop around its loop.
int64_t runs(Operation* op) {
  int64_t count = 1;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop && count < (1 << 18);
       loop = loop->getParentOfType<scf::ForOp>())
    count *= 8;
  return count;
}

bool swaps(Operation* op) {
  auto trans = dyn_cast_if_present<tt::TransOp>(op);
  return trans && trans.getOrder() == ArrayRef<int32_t>{1, 0};
}

} // namespace

Component::Component(Value seed) {
  add(seed);
  while (!work.empty() && possible)
    visit(work.pop_back_val());
  keepInnerTransposes();
}

// A transpose between tiles that both turn is right as it is.
void Component::keepInnerTransposes() {
  for (Value value : llvm::to_vector(arriving)) {
    auto trans = value.getDefiningOp<tt::TransOp>();
    if (!trans || !tiles.contains(trans.getSrc()))
      continue;
    arriving.remove(value);
    tiles.insert(value);
    llvm::erase_if(leaving, [&](OpOperand* use) { return use->getOwner() == trans; });
    for (OpOperand& use : value.getUses())
      if (!turns(use.getOwner()) && !isa<scf::ForOp, scf::YieldOp>(use.getOwner()))
        leaving.push_back(&use);
  }
}

void Component::add(Value value) {
  if (isTile(value) && !isUniform(value) && seen.insert(value).second)
    work.push_back(value);
}

void Component::visit(Value value) {
  Operation* op = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  Operation* owner = argument ? argument.getOwner()->getParentOp() : op;
  if (auto loop = dyn_cast<scf::ForOp>(owner))
    linkCarried(loop, argument ? argument.getArgNumber() - 1 : cast<OpResult>(value).getResultNumber());
  else if (auto branch = dyn_cast<scf::IfOp>(owner); branch && !argument)
    linkYielded(branch, cast<OpResult>(value).getResultNumber());
  else if (argument || isa<scf::WhileOp>(op))
    possible = false;
  else if (turns(op))
    link(op);
  else {
    possible &= !isa<tt::DotOp>(op);
    arriving.insert(value);
  }
  auto type = cast<RankedTensorType>(value.getType());
  bool blocks = type.getDimSize(0) * type.getElementTypeBitWidth() % 256 == 0;
  possible &=
      blocks || type.getElementTypeBitWidth() == 1 || type.getDimSize(0) == 1 || type.getDimSize(1) == 1;
  if (!arriving.contains(value))
    tiles.insert(value);
  for (OpOperand& use : value.getUses())
    visitUse(use);
}

void Component::visitUse(OpOperand& use) {
  Operation* user = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return linkCarried(loop, use.getOperandNumber() - loop.getNumControlOperands());
  if (isa<scf::YieldOp>(user)) {
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
      return linkCarried(loop, use.getOperandNumber());
    if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp()))
      return linkYielded(branch, use.getOperandNumber());
  }
  // What is left of control flow has no place for a transpose.
  possible &= !isa<tt::DotOp>(user) && !user->hasTrait<OpTrait::IsTerminator>() && !isa<scf::WhileOp>(user);
  if (turns(user))
    link(user);
  else if (!arriving.contains(use.get()))
    leaving.push_back(&use);
}

void Component::link(OpOperand& use) {
  if (!isTile(use.get()))
    return;
  inner.push_back(&use);
  add(use.get());
}

void Component::link(Operation* op) {
  if (!operations.insert(op))
    return;
  for (OpOperand& operand : op->getOpOperands())
    link(operand);
  for (Value result : op->getResults())
    add(result);
}

void Component::linkCarried(scf::ForOp loop, unsigned position) {
  if (!linked.insert({loop, position}).second)
    return;
  link(loop.getInitArgsMutable()[position]);
  link(loop.getBody()->getTerminator()->getOpOperand(position));
  add(loop.getRegionIterArg(position));
  add(loop.getResult(position));
}

void Component::linkYielded(scf::IfOp branch, unsigned position) {
  if (!linked.insert({branch, position}).second)
    return;
  link(branch.thenYield()->getOpOperand(position));
  link(branch.elseYield()->getOpOperand(position));
  add(branch.getResult(position));
}

int64_t Component::gain() const {
  int64_t bytes = 0;
  for (Operation* op : operations)
    if (auto along = alongMemory(op))
      bytes += (*along == 0 ? 1 : -1) * bytesOf(accessedTile(op)) * runs(op);
  for (OpOperand* use : leaving)
    bytes += (swaps(use->getOwner()) ? 1 : -1) * bytesOf(use->get()) * runs(use->getOwner());
  for (Value value : arriving)
    bytes += (swaps(value.getDefiningOp()) ? 1 : -1) * bytesOf(value) * runs(value.getDefiningOp());
  return bytes;
}

} // namespace dlsim::codegen
