#include "codegen/passes/split/Tasks.h"

#include "codegen/passes/split/Members.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

class TaskCheck {
public:
  explicit TaskCheck(const StagedLoop& staged)
      : staged(staged), loop(staged.loop), tasks(cast<scf::ForOp>(loop->getParentOp())) {}

  void run() {
    collectEffects();
    checkCarried();
    checkBefore();
  }

  std::string why;
  SmallVector<Operation*> loads, stores;

private:
  void fail(Operation* at, const Twine& what) {
    if (why.empty())
      why = (sourceLine(at->getLoc()) + ": " + at->getName().getStringRef() + " " + what).str();
  }

  bool ofLink(Operation* op) const {
    return llvm::any_of(staged.links, [&](Link link) {
      return llvm::is_contained(link.accesses, op) || op == link.wait || op == link.set;
    });
  }

  void collectEffects() {
    tasks.getBody()->walk([&](Operation* op) {
      if (ofLink(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        return;
      Operation* at = tasks.getBody()->findAncestorOpInBlock(*op);
      if (isLoad(op))
        loads.push_back(op);
      else if (isStore(op) && at->isBeforeInBlock(loop))
        fail(op, "stores before the loop");
      else if (isStore(op))
        stores.push_back(op);
      else if (!isMemoryEffectFree(op))
        fail(op, "has an effect whose order must stay");
    });
  }

  // What the loop around carries is known before stage 1 is done; what the last iterations hand on is not on
  // the cube's side, and can begin as zero.
  void checkCarried() {
    for (auto [value, result] : llvm::zip_equal(tasks.getYieldedValues(), tasks.getResults())) {
      Operation* op = value.getDefiningOp();
      bool here = op && op->getBlock() == tasks.getBody();
      if (!result.use_empty() || isa<RankedTensorType>(value.getType()))
        fail(tasks, "carries what is used further on");
      else if (op == loop ? staged.carriedPhase.contains(cast<OpResult>(value).getResultNumber())
                          : here && loop->isBeforeInBlock(op))
        fail(op, "is carried on from the end of an iteration");
    }
    for (Value init : loop.getInitArgs()) {
      if (!getElementTypeOrSelf(init.getType()).isIntOrIndexOrFloat())
        fail(loop, "carries a pointer");
      if (isa<RankedTensorType>(init.getType()) && !func::FuncOp(staged.function).getName().ends_with(".aiv"))
        fail(loop, "carries a product");
    }
  }

  // What comes before the loop is computed again for the iteration's end: not loads, and nothing carried.
  void checkBefore() {
    llvm::SetVector<Value> needed;
    auto need = [&](Operation* op) {
      needed.insert(op->operand_begin(), op->operand_end());
      if (op->getNumRegions())
        getUsedValuesDefinedAbove(op->getRegions(), needed);
    };
    needed.insert(loop.getLowerBound());
    needed.insert(loop.getStep());
    for (Operation* op : Members(staged).operations[1])
      need(op);
    for (Operation* op = loop->getNextNode(); op; op = op->getNextNode())
      if (op != tasks.getBody()->getTerminator())
        need(op);
    for (unsigned i = 0; i < needed.size(); ++i) {
      Value value = needed[i];
      if (value.getParentBlock() != tasks.getBody() || value == tasks.getInductionVar())
        continue;
      Operation* op = value.getDefiningOp();
      if (!op)
        fail(tasks, "carries what an iteration's end needs");
      else if (op->isBeforeInBlock(loop) && !isMemoryEffectFree(op))
        fail(op, "is needed by the end of an iteration, too");
      else if (op->isBeforeInBlock(loop))
        need(op);
    }
  }

  const StagedLoop& staged;
  scf::ForOp loop, tasks;
};

} // namespace

std::string whyTasksWait(const StagedLoop& cube, const StagedLoop& vector) {
  TaskCheck sides[] = {TaskCheck(cube), TaskCheck(vector)};
  for (TaskCheck& side : sides) {
    side.run();
    if (!side.why.empty())
      return side.why;
  }
  // Loads of the next iteration come before stores of this one.
  for (const TaskCheck& one : sides)
    for (Operation* store : one.stores)
      for (const TaskCheck& other : sides)
        for (Operation* load : other.loads)
          if (!argumentOf(store) || !argumentOf(load) || argumentOf(store) == argumentOf(load))
            return sourceLine(store->getLoc()) + ": " + store->getName().getStringRef().str() +
                   " may store what the next iteration loads";
  return "";
}

} // namespace dlsim::codegen
