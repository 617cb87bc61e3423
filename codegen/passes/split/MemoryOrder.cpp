#include "codegen/passes/split/MemoryOrder.h"

#include "codegen/passes/split/Stages.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <array>

using namespace mlir;

namespace dlsim::codegen {
namespace {

struct Access {
  Operation* op;
  bool onCube, onVector, stores;
};

// A tensor that a channel brings to the other side is loaded by the side that has it first.
class Accesses {
public:
  Accesses(func::FuncOp function, const Crossing& crossing) : crossing(crossing) {
    function.walk([&](Operation* op) {
      if (auto access = describe(op))
        found.push_back(*access);
    });
  }

  std::vector<Access> found; // in program order

private:
  std::optional<Access> describe(Operation* op) const {
    if (isa<dl::LoadScalarOp>(op)) // both sides run scalar code
      return Access{op, true, true, false};
    if (isLoad(op)) {
      bool handedOn = llvm::any_of(crossing.channels,
                                   [&](const Channel& channel) { return channel.value == op->getResult(0); });
      return Access{op, !handedOn && feeds(op->getResult(0), true),
                    handedOn || feeds(op->getResult(0), false), false};
    }
    if (isa<dl::StoreOp>(op))
      return Access{op, crossing.fused.contains(op), !crossing.fused.contains(op), true};
    if (isStore(op))
      return Access{op, false, true, true};
    return std::nullopt;
  }

  // Whether products read a tensor, or something else does.
  static bool feeds(Value tensor, bool products) {
    return llvm::any_of(tensor.getUsers(), [&](Operation* user) {
      return isa<tt::TransOp>(user) ? feeds(user->getResult(0), products) : isa<tt::DotOp>(user) == products;
    });
  }

  const Crossing& crossing;
};

bool exclusive(Operation* a, Operation* b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (branch.elseBlock()) {
      Block *then = branch.thenBlock(), *other = branch.elseBlock();
      auto in = [](Block* block, Operation* op) { return block->findAncestorOpInBlock(*op) != nullptr; };
      if ((in(then, a) && in(other, b)) || (in(other, a) && in(then, b)))
        return true;
    }
  return false;
}

// Whether a loop of the program comes back to both with the same addresses. Where they move, what is loaded
// is taken for what no turn has stored yet.
bool sameInEachTurn(Operation* store, Operation* load) {
  auto loop = load->getParentOfType<LoopLikeOpInterface>();
  while (loop && !loop->isProperAncestor(store))
    loop = loop->getParentOfType<LoopLikeOpInterface>();
  if (!loop || loop->hasAttr("dl.parallel"))
    return false;
  return llvm::all_of(std::array{store, load}, [&](Operation* op) {
    return op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
             return isTile(operand) || loop.isDefinedOutsideOfLoop(operand);
           });
  });
}

} // namespace

LogicalResult checkMemoryOrder(func::FuncOp function, const Crossing& crossing) {
  Accesses accesses(function, crossing);
  for (auto [i, store] : llvm::enumerate(accesses.found)) {
    if (!store.stores || !argumentOf(store.op))
      continue;
    for (auto [j, load] : llvm::enumerate(accesses.found)) {
      bool otherCore = (store.onCube && load.onVector) || (store.onVector && load.onCube);
      bool isBehind = j > i ? !exclusive(store.op, load.op) : sameInEachTurn(store.op, load.op);
      if (load.stores || !otherCore || !isBehind || argumentOf(load.op) != argumentOf(store.op))
        continue;
      return errorAt(load.op)
             << load.op->getName() << " reads memory of argument " << *argumentOf(store.op)
             << ", which another kind of core has stored to before (" << sourceLine(store.op->getLoc())
             << "): in a kernel with products and other arithmetic their order is not kept; use the stored "
                "value itself, or load it in a kernel of its own";
    }
  }
  return success();
}

} // namespace dlsim::codegen
