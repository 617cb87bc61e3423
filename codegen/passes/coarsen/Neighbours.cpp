#include "codegen/passes/coarsen/Neighbours.h"

#include "codegen/dialects/dl/DlDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Of a launch that has many tiles along each side, whatever their size; no power of two divides the tiles.
constexpr int64_t sampleSize = 61440, sampleGrid = 240, mostDistance = 32;

bool isInteger(Type type) { return type.isIntOrIndex(); }

bool spreads(Operation* op) {
  return isa<tt::ExpandDimsOp, tt::BroadcastOp, arith::ExtSIOp, arith::ExtUIOp>(op);
}

// Computed from ranges and numbers alone, at no cost.
bool isSpread(Operation* op) {
  if (isa_and_nonnull<tt::MakeRangeOp, tt::SplatOp>(op))
    return true;
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return isa<RankedTensorType>(constant.getType());
  return op && spreads(op) && isa<RankedTensorType>(op->getResult(0).getType()) &&
         isSpread(op->getOperand(0).getDefiningOp());
}

// The sum in which a range, however spread, is the second part; null if it is used in another way.
arith::AddIOp sumOf(Value range) {
  while (range.hasOneUse() && spreads(*range.user_begin()))
    range = range.user_begin()->getResult(0);
  return range.hasOneUse() ? dyn_cast<arith::AddIOp>(*range.user_begin()) : arith::AddIOp();
}

// The range of a tensor that spreads one.
tt::MakeRangeOp rangeOf(Value value) {
  while (value.getDefiningOp() && spreads(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.getDefiningOp<tt::MakeRangeOp>();
}

// The number that a tensor spreads.
Value numberOf(Value value) {
  while (value.getDefiningOp() && spreads(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto splat = value.getDefiningOp<tt::SplatOp>();
  return splat ? splat.getSrc() : Value();
}

} // namespace

void separateUses(Block& body) {
  SmallVector<Operation*> all;
  body.walk([&](Operation* op) { all.push_back(op); });
  if (auto function = body.getParentOp()->getParentOfType<FunctionOpInterface>())
    for (Operation& op : function.front()) // constants stand before the loop over tasks
      if (isSpread(&op))
        all.insert(all.begin(), &op);
  std::reverse(all.begin(), all.end()); // users first: what a copy is made of gets copies too
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation*> made;
    for (Operation* op : all) {
      if (!isSpread(op))
        continue;
      while (!op->getResult(0).use_empty() && !op->getResult(0).hasOneUse()) {
        OpBuilder b(op);
        Operation* copy = b.clone(*op);
        op->getResult(0).use_begin()->set(copy->getResult(0));
        made.push_back(copy);
        changed = true;
      }
    }
    all.append(made);
  }
}

Neighbours::Neighbours(scf::ForOp tasks, DimClasses& classes) : tasks(tasks), classes(classes) {
  differs.insert(tasks.getInductionVar());
  findPlace();
  findExits();
}

void Neighbours::findPlace() {
  for (Operation& op : tasks.getBody()->without_terminator()) {
    bool integers =
        llvm::all_of(op.getResultTypes(), isInteger) && op.getNumResults() != 0 && isMemoryEffectFree(&op);
    auto known = [&](Value value) {
      return isInteger(value.getType()) &&
             (!tasks.getBody()->getParent()->isAncestor(value.getParentRegion()) ||
              value == tasks.getInductionVar() || op.isAncestor(value.getParentBlock()->getParentOp()) ||
              (value.getDefiningOp() && scalars.contains(value.getDefiningOp())));
    };
    bool changes = false;
    op.walk([&](Operation* inner) {
      for (Value operand : inner->getOperands()) {
        integers &= known(operand);
        changes |= differs.contains(operand);
      }
    });
    if (!integers)
      continue;
    scalars.insert(&op);
    if (changes)
      for (Value result : op.getResults())
        differs.insert(result);
  }
}

void Neighbours::findExits() {
  auto leaves = [&](Value value) {
    return differs.contains(value) && llvm::any_of(value.getUsers(), [&](Operation* user) {
             Operation* top = tasks.getBody()->findAncestorOpInBlock(*user);
             return !scalars.contains(top);
           });
  };
  if (leaves(tasks.getInductionVar()))
    exits.insert(tasks.getInductionVar());
  for (Operation* op : scalars)
    for (Value result : op->getResults())
      if (leaves(result))
        exits.insert(result);
}

// All that other operations read of it is where a tile begins along the class.
bool Neighbours::isStart(Value exit, unsigned cls) {
  bool found = false;
  for (Operation* user : exit.getUsers()) {
    if (scalars.contains(tasks.getBody()->findAncestorOpInBlock(*user)))
      continue;
    auto splat = dyn_cast<tt::SplatOp>(user);
    arith::AddIOp sum = splat ? sumOf(splat) : arith::AddIOp();
    tt::MakeRangeOp range;
    if (sum)
      for (Value side : sum->getOperands())
        if (numberOf(side) != exit)
          range = rangeOf(side);
    if (!range || classes.of(range.getResult(), 0) != cls)
      return false;
    found = true;
  }
  return found;
}

std::optional<Neighbours::Axis> Neighbours::axis(unsigned cls) {
  Axis found{cls, 0, {}};
  if (!classes.mayGrow(cls))
    return std::nullopt;
  bool ok = true;
  tasks.getBody()->getParentOp()->getParentOfType<FunctionOpInterface>().walk([&](tt::MakeRangeOp range) {
    if (classes.of(range.getResult(), 0) != cls)
      return;
    arith::AddIOp sum = sumOf(range.getResult());
    Value start;
    if (sum)
      for (Value side : sum->getOperands())
        if (rangeOf(side) != range)
          start = numberOf(side);
    ok &= range.getStart() == 0 && start && exits.contains(start) && isStart(start, cls);
    if (!ok)
      return;
    found.length = range.getEnd();
    found.starts.insert(start);
  });
  return ok && found.length ? std::optional(found) : std::nullopt;
}

Neighbours::Numbers Neighbours::sample(int64_t task) {
  Numbers known;
  auto number = [&](Value value) -> Attribute {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    Builder b(value.getContext());
    if (value == tasks.getInductionVar())
      return b.getIntegerAttr(value.getType(), task);
    if (value.getDefiningOp<dl::GridSizeOp>())
      return b.getIntegerAttr(value.getType(), sampleGrid);
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
        isInteger(value.getType()))
      return b.getIntegerAttr(value.getType(), sampleSize);
    return {};
  };
  for (Operation* op : scalars) {
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(number(operand));
    SmallVector<OpFoldResult> folded;
    if (op->getNumRegions() != 0 || failed(op->fold(operands, folded)) ||
        folded.size() != op->getNumResults())
      continue;
    for (auto [result, value] : llvm::zip(op->getResults(), folded))
      if (Attribute found = isa<Attribute>(value) ? cast<Attribute>(value) : number(cast<Value>(value)))
        known[result] = found;
  }
  known[tasks.getInductionVar()] = number(tasks.getInductionVar());
  return known;
}

std::optional<int64_t> Neighbours::distance(const Axis& along) {
  Numbers first = sample(0);
  for (int64_t distance = 1; distance <= mostDistance; distance *= 2) {
    Numbers next = sample(distance);
    bool ok = llvm::all_of(exits, [&](Value exit) {
      auto before = dyn_cast_or_null<IntegerAttr>(first.lookup(exit)),
           after = dyn_cast_or_null<IntegerAttr>(next.lookup(exit));
      int64_t step = along.starts.contains(exit) ? along.length : 0;
      return before && after && after.getInt() == before.getInt() + step;
    });
    if (ok)
      return distance;
  }
  return std::nullopt;
}

IRMapping Neighbours::place(OpBuilder& builder, Value task) const {
  IRMapping map;
  map.map(scf::ForOp(tasks).getInductionVar(), task);
  for (Operation* op : scalars)
    builder.clone(*op, map);
  return map;
}

} // namespace dlsim::codegen
