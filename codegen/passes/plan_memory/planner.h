// Places on-chip buffers: lifetimes over the structured program, large ones first, each where it costs least
// in bank conflicts, reuse of memory whose lifetimes are disjoint. Also used by multibuffer to ask whether a
// choice of slots fits.
#pragma once
#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/plan_memory/banks.h"
#include "codegen/passes/plan_memory/target.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace dlsim::codegen {

// First and last moment of a buffer, in numbers of a walk that counts each op on entry and on exit.
struct Lifetime {
  unsigned first = 0;
  unsigned last = 0;
  bool overlaps(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

struct PlannedBuffer {
  npu::AllocOp alloc;
  unsigned number = 0; // in the access table
  npu::Space space = npu::Space::UB;
  int64_t slotBytes = 0; // padded to the scope's alignment
  int64_t slots = 1;
  unsigned unitMask = 0; // bit per unit that touches it
  Lifetime life;
  mlir::Operation* loop = nullptr;      // that first touches it, or null
  mlir::Operation* innerNest = nullptr; // of the loops around that, the one directly in an outermost loop
  int turn = 0;                         // how many alike come before it there
  int64_t offset = 0;
  int64_t totalBytes() const { return slotBytes * slots; }
};

struct Overflow {
  npu::Space space = npu::Space::UB;
  int64_t needed = 0;
  int64_t available = 0;
  std::vector<PlannedBuffer> live; // at the moment when most is needed
  std::string advice;              // the smallest change that fits
};

// How freely memory is reused. What units hand to each other is first kept apart within a loop, where they
// would take turns instead of working at once, then at least from what comes next of the same kind. Reuse
// between units costs flags, so it comes only when nothing else fits.
enum class Reuse { none, otherLoops, everySecond, sameUnits, any };

struct Plan {
  std::vector<PlannedBuffer> buffers;
  std::optional<Overflow> overflow;
  std::map<npu::Space, Reuse> reuse;
};

// Slots to assume for some buffers instead of what the op says; their lifetime is then the loop given (the
// nest that the rotation counter runs through).
struct SlotChoice {
  int64_t slots = 1;
  mlir::Operation* rotationLoop = nullptr;
};
using SlotChoices = llvm::MapVector<mlir::Operation*, SlotChoice>; // by npu.alloc

class Planner {
public:
  Planner(mlir::func::FuncOp function, const AccessTable& table, const TargetMemory& target);
  Plan plan(const SlotChoices& choices = {}) const;

private:
  std::vector<PlannedBuffer> describe(const SlotChoices& choices) const;
  Lifetime lifetimeOf(unsigned buffer, mlir::Operation* rotationLoop) const;
  mlir::Operation* loopOf(unsigned buffer) const;
  Lifetime spanOf(mlir::Operation* op) const;
  std::string adviseFor(const Overflow& overflow, const std::vector<PlannedBuffer>& buffers) const;

  const AccessTable& table;
  const TargetMemory& target;
  BankConflicts conflicts;
  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Operation*, Lifetime> spans;
};

// "ub overflow: ...", every live buffer on a line of its own, then the advice.
std::string describeOverflow(const Overflow& overflow);

} // namespace dlsim::codegen
