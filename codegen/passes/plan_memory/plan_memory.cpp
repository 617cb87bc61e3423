#include "codegen/passes/plan_memory/plan_memory.h"

#include "codegen/passes/plan_memory/planner.h"

#include "mlir/Pass/PassRegistry.h"

#include <map>

using namespace mlir;

namespace dlsim::codegen {
namespace {

class PlanMemoryPass : public PassWrapper<PlanMemoryPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanMemoryPass)
  explicit PlanMemoryPass(TargetMemory target = {}) : target(std::move(target)) {}
  PlanMemoryPass(const PlanMemoryPass& o) : PassWrapper(o), target(o.target) {}

  StringRef getArgument() const override { return "npu-plan-memory"; }
  StringRef getDescription() const override { return "place buffers in the on-chip memories"; }

  void runOnOperation() override {
    AccessTable table = AccessTable::build(getOperation());
    Plan plan = Planner(getOperation(), table, target).plan();
    if (plan.overflow) {
      if (plan.overflow->space == npu::Space::UB)
        getOperation()->setAttr(ubOverflow, UnitAttr::get(&getContext()));
      getOperation().emitError(describeOverflow(*plan.overflow));
      return signalPassFailure();
    }
    for (PlannedBuffer& b : plan.buffers)
      b.alloc.setOffset(b.offset);
    explain(plan);
  }

private:
  // One remark a memory: how much of it is used.
  void explain(const Plan& plan) {
    std::map<npu::Space, std::pair<unsigned, int64_t>> used; // buffers, bytes
    for (const PlannedBuffer& b : plan.buffers) {
      auto& [count, bytes] = used[b.space];
      ++count;
      bytes = std::max(bytes, b.offset + b.totalBytes());
    }
    for (auto& [space, use] : used)
      getOperation().emitRemark() << "plan: " << use.first << " buffer(s) use " << use.second << " of "
                                  << target.scope(space).bytes << " bytes of " << npu::stringifySpace(space);
  }

  TargetMemory target;
};

} // namespace

std::unique_ptr<Pass> createPlanMemoryPass(TargetMemory target) {
  return std::make_unique<PlanMemoryPass>(std::move(target));
}

void registerPlanMemoryPass() { PassRegistration<PlanMemoryPass>(); }

} // namespace dlsim::codegen
