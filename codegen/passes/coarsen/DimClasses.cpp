#include "codegen/passes/coarsen/DimClasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

RankedTensorType tensorType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

// Nothing but an element of each operand decides about an element of a result or of memory.
bool treatsElements(Operation* op) {
  return isa<tt::LoadOp, tt::StoreOp, tt::AddPtrOp, tt::IntToPtrOp, tt::PtrToIntOp, tt::BitcastOp,
             tt::FpToFpOp>(op) ||
         (op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0);
}

} // namespace

DimClasses::DimClasses(Block& body) {
  body.walk([&](Operation* op) { visit(op); });
  // Along both sides of a tensor it would grow into more than the tiles of two programs.
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<Value, unsigned>> keys = llvm::to_vector(llvm::make_first_range(numbers));
  for (auto [value, dimension] : keys)
    if (unsigned root = of(value, dimension); !seen.insert({value, root}).second)
      fixed.insert(root);
}

unsigned DimClasses::find(unsigned number) {
  while (parents[number] != number)
    number = parents[number] = parents[parents[number]];
  return number;
}

unsigned DimClasses::of(Value tensor, unsigned dimension) {
  auto [it, isNew] = numbers.try_emplace({tensor, dimension}, unsigned(parents.size()));
  if (isNew)
    parents.push_back(it->second);
  return find(it->second);
}

void DimClasses::join(Value a, unsigned i, Value b, unsigned j) {
  unsigned x = of(a, i), y = of(b, j);
  if (x == y)
    return;
  parents[y] = x;
  if (fixed.erase(y))
    fixed.insert(x);
}

void DimClasses::same(Value a, Value b) {
  auto type = tensorType(a), other = tensorType(b);
  for (int64_t i = 0; type && other && i < type.getRank(); ++i)
    join(a, unsigned(i), b, unsigned(i));
}

void DimClasses::fixAll(Operation* op) {
  auto all = [&](ValueRange values) {
    for (Value value : values)
      if (auto type = tensorType(value))
        for (int64_t i = 0; i < type.getRank(); ++i)
          fix(value, unsigned(i));
  };
  all(op->getOperands());
  all(op->getResults());
  for (Region& region : op->getRegions())
    for (Block& block : region)
      all(block.getArguments());
}

void DimClasses::elementwise(Operation* op) {
  Value first;
  auto add = [&](Value value) {
    auto type = tensorType(value);
    if (!type)
      return;
    if (!first)
      first = value;
    else if (tensorType(first).getShape() != type.getShape())
      fixAll(op);
    else
      same(first, value);
  };
  for (Value value : op->getOperands())
    add(value);
  for (Value value : op->getResults())
    add(value);
}

void DimClasses::product(tt::DotOp dot) {
  if (dot.getType().getRank() != 2)
    return fixAll(dot);
  same(dot.getC(), dot.getD());
  join(dot.getA(), 0, dot.getD(), 0);
  join(dot.getB(), 1, dot.getD(), 1);
  fix(dot.getA(), 1); // a sum over several programs' elements would mix them
  fix(dot.getB(), 0);
}

void DimClasses::visit(Operation* op) {
  llvm::TypeSwitch<Operation*>(op)
      .Case<tt::MakeRangeOp, tt::SplatOp, scf::YieldOp>([](auto) {}) // any length; what the loop or if says
      .Case([&](arith::ConstantOp constant) {
        auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!elements || !elements.isSplat())
          fixAll(op);
      })
      .Case([&](tt::ExpandDimsOp expand) {
        unsigned axis = unsigned(expand.getAxis());
        for (int64_t i = 0; i < tensorType(expand.getSrc()).getRank(); ++i)
          join(expand.getSrc(), unsigned(i), expand.getResult(), unsigned(i) + (unsigned(i) >= axis));
        fix(expand.getResult(), axis);
      })
      .Case([&](tt::BroadcastOp broadcast) {
        auto from = tensorType(broadcast.getSrc()), to = tensorType(broadcast.getResult());
        for (int64_t i = 0; i < from.getRank(); ++i)
          if (from.getDimSize(i) == to.getDimSize(i))
            join(broadcast.getSrc(), unsigned(i), broadcast.getResult(), unsigned(i));
          else
            fix(broadcast.getSrc(), unsigned(i));
      })
      .Case([&](tt::TransOp trans) {
        for (auto [to, from] : llvm::enumerate(trans.getOrder()))
          join(trans.getSrc(), unsigned(from), trans.getResult(), unsigned(to));
      })
      .Case([&](tt::DotOp dot) { product(dot); })
      .Case([&](scf::ForOp loop) {
        for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
          same(loop.getInitArgs()[i], loop.getRegionIterArg(i));
          same(loop.getInitArgs()[i], loop.getYieldedValues()[i]);
          same(loop.getInitArgs()[i], loop.getResult(i));
        }
      })
      .Case([&](scf::IfOp branch) {
        for (unsigned i = 0; i < branch.getNumResults(); ++i) {
          same(branch.getResult(i), branch.thenYield().getOperand(i));
          same(branch.getResult(i), branch.elseYield().getOperand(i));
        }
      })
      .Default([&](Operation*) { treatsElements(op) ? elementwise(op) : fixAll(op); });
}

} // namespace dlsim::codegen
