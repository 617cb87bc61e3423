// npu-unit-flags: hands sums from the cube to the fixpipe, and their place in L0C back, by unit flags.
//
// A flag between the units says that a whole command is done, and one of FIX says so only when global memory
// has answered; the unit flags go with the blocks of L0C that have been written and read. So the fixpipe
// follows the cube, and the cube goes on where the fixpipe has read.
//
// Every product waits until its blocks are clear. The last one of a sum sets their flags: in loops, that of
// their last iterations. Where there is none, or the store takes fewer columns, a command of its own does.
// The last store clears them. Both must name the same blocks: a store of fewer rows than the tile has makes
// products of as many rows.
#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/sync/sync.h"
#include "codegen/support/GrowLoop.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t fractal = 16; // rows and columns of a block of 1 KB; a flag has half of one

std::optional<int64_t> fractalsOf(Value size) {
  auto known = getConstantIntValue(size);
  return known ? std::optional(int64_t(llvm::divideCeil(*known, fractal))) : std::nullopt;
}

bool same(Value a, Value b) {
  auto known = getConstantIntValue(a);
  return a == b || (known && known == getConstantIntValue(b));
}

bool isBefore(Value value, Operation* point) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ancestorIn(argument.getOwner(), point);
  Operation* def = value.getDefiningOp();
  Operation* there = ancestorIn(def->getBlock(), point);
  return there && def->isBeforeInBlock(there);
}

// Whether the value is known at `point`, or can be computed there.
bool canCompute(Value value, Operation* point) {
  if (isBefore(value, point))
    return true;
  Operation* def = value.getDefiningOp();
  return def && def != point && isPure(def) && def->getNumRegions() == 0 &&
         llvm::all_of(def->getOperands(), [&](Value operand) { return canCompute(operand, point); });
}

void computeBefore(Value value, Operation* point) {
  if (isBefore(value, point))
    return;
  Operation* def = value.getDefiningOp();
  for (Value operand : def->getOperands())
    computeBefore(operand, point);
  def->moveBefore(point);
}

// A tile of L0C and the commands on it, in program order.
class Accumulator {
public:
  explicit Accumulator(npu::AllocOp alloc) : alloc(alloc) {}

  void add(Operation* op) {
    if (auto store = dyn_cast<npu::FixpipeOp>(op))
      stores.push_back(store);
    else
      products.push_back(op);
  }

  // Why its sums need flags of whole commands; nothing if unit flags will do.
  StringRef obstacle() const {
    if (stores.empty() || products.empty())
      return "nothing stores it";
    if (llvm::any_of(products, heedsUnitFlags))
      return "its products heed them already";
    npu::FixpipeOp first = stores.front();
    for (npu::FixpipeOp store : stores) {
      if (store->getBlock() != first->getBlock() || store.getSrc() != first.getSrc())
        return "it is stored in several places";
      if (getConstantIntValue(store.getRow()) != 0 || getConstantIntValue(store.getCol()) != 0 ||
          !same(store.getRows(), first.getRows()) || !same(store.getCols(), first.getCols()))
        return "a store takes a part of it";
    }
    for (Operation* op = first; op != stores.back(); op = op->getNextNode())
      if (hasProduct(op))
        return "a product lies between its stores";
    for (Operation* op : products)
      if (!getConstantIntValue(rowsOf(op).get()) || !same(rowsOf(op).get(), rowsOf(products.front()).get()))
        return "its products differ in rows";
    if (cutsRows() && !canCompute(first.getRows(), alloc))
      return "how many rows its store takes is not known before its products";
    return {};
  }

  void useUnitFlags() {
    npu::FixpipeOp first = stores.front(), last = stores.back();
    if (cutsRows())
      cutRows(first.getRows());
    for (Operation* op : products)
      setUnitFlag(op, npu::UnitFlag::obey);
    for (npu::FixpipeOp store : stores)
      setUnitFlag(store, store == last ? npu::UnitFlag::change : npu::UnitFlag::obey);
    LastProduct product = lastProduct();
    bool whole = product.mmad && fractalsOf(product.mmad.getN()) == fractalsOf(first.getCols());
    if (whole && product.loops.empty())
      return setUnitFlag(product.mmad, npu::UnitFlag::change);
    OpBuilder b(first);
    if (product.mmad && !product.loops.empty() && (whole || canCompute(first.getCols(), alloc)))
      b = unlessDone(handOverInLoops(product, whole), first);
    b.create<npu::HandOverOp>(first.getLoc(), first.getSrc(), first.getM(), first.getCols());
  }

private:
  // The product that would be the last before the store, and the loops that are left after it, outermost
  // first.
  struct LastProduct {
    npu::MmadOp mmad;
    SmallVector<scf::ForOp> loops;
  };

  static OpOperand& rowsOf(Operation* op) {
    if (auto mmad = dyn_cast<npu::MmadOp>(op))
      return mmad.getMMutable();
    return cast<npu::ClearAccOp>(op).getMMutable();
  }

  static void setUnitFlag(Operation* op, npu::UnitFlag flag) {
    op->setAttr("unit_flag", npu::UnitFlagAttr::get(op->getContext(), flag));
  }

  bool hasProduct(Operation* op) const {
    return llvm::any_of(products, [&](Operation* product) { return op->isAncestor(product); });
  }

  bool cutsRows() const {
    return fractalsOf(npu::FixpipeOp(stores.front()).getRows()) != fractalsOf(rowsOf(products.front()).get());
  }

  void cutRows(Value rows) {
    computeBefore(rows, alloc);
    for (Operation* op : products)
      rowsOf(op).assign(rows);
    for (npu::FixpipeOp store : stores)
      store.getMMutable().assign(rows);
  }

  Operation* lastBefore(Operation* op) const {
    while ((op = op->getPrevNode()) && !hasProduct(op))
      ;
    return op;
  }

  LastProduct lastProduct() const {
    LastProduct last;
    Operation* op = lastBefore(stores.front());
    for (; auto loop = dyn_cast_if_present<scf::ForOp>(op); op = lastBefore(loop.getBody()->getTerminator()))
      last.loops.push_back(loop);
    auto product = dyn_cast_if_present<npu::MmadOp>(op);
    if (product && product.getC() == npu::FixpipeOp(stores.front()).getSrc())
      last.mmad = product;
    return last;
  }

  // Sets the flags in the last iteration of all loops; if the store may take fewer columns, not when it does.
  // Returns whether that was done.
  Value handOverInLoops(LastProduct& product, bool whole) {
    npu::FixpipeOp store = stores.front();
    Location loc = product.mmad.getLoc();
    IRRewriter b(alloc->getContext());
    Value isLast;
    if (!whole) {
      computeBefore(store.getCols(), alloc);
      b.setInsertionPoint(product.loops.front());
      isLast = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, store.getCols(), product.mmad.getN());
    }
    b.setInsertionPoint(product.mmad);
    for (scf::ForOp loop : product.loops) {
      Value next = b.create<arith::AddIOp>(loc, loop.getInductionVar(), loop.getStep());
      Value ends = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, next, loop.getUpperBound());
      isLast = isLast ? Value(b.create<arith::AndIOp>(loc, isLast, ends)) : ends;
    }
    auto branch = b.create<scf::IfOp>(loc, isLast, /*withElseRegion=*/true);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    setUnitFlag(b.clone(*product.mmad), npu::UnitFlag::change);
    product.mmad->moveBefore(branch.elseBlock()->getTerminator());
    return carryOut(b, isLast, product.loops);
  }

  // The value of the last iteration that was run; false if there was none.
  static Value carryOut(IRRewriter& b, Value value, ArrayRef<scf::ForOp> loops) {
    for (scf::ForOp loop : llvm::reverse(loops)) {
      b.setInsertionPoint(loop);
      Value none = b.create<arith::ConstantIntOp>(loop.getLoc(), 0, 1);
      auto yields = [&](OpBuilder&, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{value}; };
      scf::ForOp wider = growLoop(b, loop, none, yields);
      value = wider.getResults().back();
    }
    return value;
  }

  static OpBuilder unlessDone(Value done, Operation* before) {
    OpBuilder b(before);
    Value yes = b.create<arith::ConstantIntOp>(before->getLoc(), 1, 1);
    Value missing = b.create<arith::XOrIOp>(before->getLoc(), done, yes);
    auto branch = b.create<scf::IfOp>(before->getLoc(), missing, /*withElseRegion=*/false);
    return OpBuilder(branch.thenBlock()->getTerminator());
  }

  npu::AllocOp alloc;
  SmallVector<Operation*> products;
  SmallVector<npu::FixpipeOp> stores;
};

class UnitFlagsPass : public PassWrapper<UnitFlagsPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnitFlagsPass)
  StringRef getArgument() const override { return "npu-unit-flags"; }
  StringRef getDescription() const override { return "hand sums from the cube to the fixpipe by unit flags"; }

  void runOnOperation() override {
    llvm::MapVector<Operation*, Accumulator> accumulators;
    getOperation().walk([&](npu::NpuCommand command) {
      SmallVector<Value> buffers = command.reads();
      llvm::append_range(buffers, command.writes());
      llvm::SmallSetVector<Operation*, 4> allocs;
      for (Value buffer : buffers)
        allocs.insert(rootOf(buffer).alloc);
      for (Operation* alloc : allocs)
        if (isInL0C(cast<npu::AllocOp>(alloc)))
          accumulators.try_emplace(alloc, cast<npu::AllocOp>(alloc)).first->second.add(command);
    });
    llvm::SmallPtrSet<Operation*, 4> handedOver;
    for (auto& [alloc, accumulator] : accumulators) {
      StringRef obstacle = accumulator.obstacle();
      if (!obstacle.empty()) {
        alloc->emitRemark() << "unit flags: none for '" << nameOf(cast<npu::AllocOp>(alloc))
                            << "': " << obstacle;
        continue;
      }
      accumulator.useUnitFlags();
      handedOver.insert(alloc);
    }
    separateBranches(handedOver);
    if (!handedOver.empty())
      getOperation().emitRemark() << "unit flags: " << handedOver.size()
                                  << " accumulator(s) pass from the cube to the fixpipe by blocks";
  }

private:
  // A product of one branch may be done with its blocks while the store of the other one, of an iteration
  // before, still has larger ones to read: the branch begins when that is through.
  void separateBranches(const llvm::SmallPtrSetImpl<Operation*>& handedOver) {
    AccessTable table = AccessTable::build(getOperation());
    llvm::SmallSetVector<Block*, 4> starts;
    auto isSum = [&](const Buffer& buffer) { return buffer.onChip() && handedOver.contains(buffer.alloc); };
    for (unsigned a = 0; a < table.buffers.size(); ++a)
      for (unsigned b = 0; b < table.buffers.size(); ++b) {
        const Buffer &first = table.buffers[a], &second = table.buffers[b];
        if (!isSum(first) || !isSum(second) || !table.mayOverlap(a, b) || waitsForAllBlocks(first, second))
          continue;
        if (scf::IfOp branch = exclusiveBranch(first.alloc, second.alloc))
          starts.insert(branch.getThenRegion().isAncestor(second.alloc->getParentRegion())
                            ? branch.thenBlock()
                            : branch.elseBlock());
      }
    for (Block* start : starts)
      OpBuilder::atBlockBegin(start).create<npu::BarrierOp>(start->getParentOp()->getLoc(), npu::UnitAttr());
  }

  static bool isInL0C(npu::AllocOp alloc) {
    return npu::spaceOf(cast<MemRefType>(alloc.getType())) == npu::Space::L0C;
  }
};

} // namespace

std::unique_ptr<Pass> createUnitFlagsPass() { return std::make_unique<UnitFlagsPass>(); }

} // namespace dlsim::codegen
