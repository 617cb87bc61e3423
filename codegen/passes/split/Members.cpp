#include "codegen/passes/split/Members.h"

using namespace mlir;

namespace dlsim::codegen {

Members::Members(const StagedLoop& staged) : staged(staged), loop(staged.loop) {
  Operation* end = loop.getBody()->getTerminator();
  for (Operation& op : loop.getBody()->without_terminator())
    if (staged.isBound(&op))
      include(staged.stageOf(staged.phaseOf.lookup(&op)), &op);
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (auto carried = staged.carriedPhase.find(i); carried != staged.carriedPhase.end())
      require(staged.stageOf(carried->second), value);
    else if (!loop.getResult(i).use_empty())
      require(stageCount - 1, loop.getRegionIterArg(i));
}

void Members::include(unsigned stage, Operation* op) {
  if (!operations[stage].insert(op).second)
    return;
  for (Value value : staged.reads(op))
    require(stage, value);
}

void Members::require(unsigned stage, Value value) {
  if (value.getParentBlock() != loop.getBody() || value == loop.getInductionVar())
    return;
  if (std::optional<unsigned> phase = staged.phase(value)) {
    if (staged.stageOf(*phase) < stage)
      handed.insert(value);
    return;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return include(stage, value.getDefiningOp());
  unsigned number = argument.getArgNumber() - 1;
  if (freeCarried[stage].insert(number))
    require(stage, loop.getYieldedValues()[number]);
}

} // namespace dlsim::codegen
