#include "codegen/passes/panels/EarlyStore.h"

#include "codegen/dialects/npu/NpuDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t fractal = 16;

bool waits(Operation* op) {
  auto wait = dyn_cast_or_null<npu::CrossWaitOp>(op);
  return wait && wait.getUnit() == npu::Unit::FIX;
}

bool sets(Operation* op) {
  auto set = dyn_cast_or_null<npu::CrossSetOp>(op);
  return set && set.getUnit() == npu::Unit::FIX;
}

// One fits, two do not, and halves of its columns are whole fractals.
bool fills(RankedTensorType type, int64_t available) {
  int64_t rows = int64_t(llvm::alignTo(uint64_t(type.getDimSize(0)), fractal));
  return 2 * rows * type.getDimSize(1) * 4 > available && type.getDimSize(1) % (2 * fractal) == 0;
}

} // namespace

std::optional<EarlyStore> EarlyStore::after(const KLoop& k, int64_t available) {
  scf::ForOp loop = k.loop;
  dl::DotOp dot = k.dots.front();
  if (k.dots.size() != 1 || k.trips() == 0 || !fills(cast<RankedTensorType>(dot.getType()), available))
    return std::nullopt;
  auto sum = cast<BlockArgument>(dot.getAcc());
  OpResult result = loop.getTiedLoopResult(sum);
  EarlyStore found;
  found.start = loop.getTiedLoopInit(sum)->get().getDefiningOp<dl::AccInitOp>();
  auto store = result.hasOneUse() ? dyn_cast<dl::FixpipeOp>(*result.user_begin()) : dl::FixpipeOp();
  if (!found.start || !found.start->hasOneUse() || !store || store->getBlock() != loop->getBlock())
    return std::nullopt;
  for (Operation* op = loop->getNextNode(); op != store; op = op->getNextNode()) {
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0)
      found.scalars.push_back(op);
    else if (waits(op))
      found.commands.push_back(op);
    else
      return std::nullopt;
  }
  found.commands.push_back(store);
  for (Operation* op = store->getNextNode(); sets(op); op = op->getNextNode())
    found.commands.push_back(op);
  return found;
}

void EarlyStore::moveInto(const KLoop& k) {
  scf::ForOp loop = k.loop;
  dl::DotOp dot = k.dots.front();
  for (Operation* op : scalars)
    op->moveBefore(loop);
  Location loc = loop.getLoc();
  OpBuilder b(start);
  start->setOperand(0, b.create<arith::ConstantIntOp>(loc, 0, 1)); // the product itself starts from zero
  b.setInsertionPointToStart(loop.getBody());
  Value next = b.create<arith::AddIOp>(loc, loop.getInductionVar(), loop.getStep());
  Value last = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, next, loop.getUpperBound());
  b.setInsertionPointAfter(dot);
  auto branch = b.create<scf::IfOp>(commands.back()->getLoc(), last, /*withElseRegion=*/false);
  for (Operation* op : commands) {
    op->moveBefore(branch.thenBlock()->getTerminator());
    if (auto store = dyn_cast<dl::FixpipeOp>(op))
      store.getAccMutable().set(dot.getResult());
  }
  for (Operation* op : {start.getOperation(), dot.getOperation(), branch.getOperation()})
    op->setAttr("dl.halves", b.getUnitAttr());
}

} // namespace dlsim::codegen
