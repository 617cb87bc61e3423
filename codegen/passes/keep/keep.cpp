// A core's next task often has the rows of A or the columns of B of its last one. Which tile a slot holds is
// carried through the loop nest, as the address and extents of the load that filled it; a load of the same
// again is left out. That needs no knowledge of the task order, and is right for every one.
#include "codegen/passes/keep/keep.h"

#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/support/GrowLoop.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// No address of a tile.
constexpr int64_t nothing = -1;

// A buffer of L1 that one command of a loop fills, slot after slot.
struct Kept {
  npu::Nd2NzOp load;
  SmallVector<Operation*> fills; // of what the load leaves out
  scf::ForOp loop;
  int64_t slots;
};

// Bytes of global memory that some command of the module writes.
struct Written {
  llvm::SmallSet<int64_t, 8> arguments;
  bool unknown = false;

  explicit Written(ModuleOp module) {
    module.walk([&](npu::NpuCommand command) {
      auto gm = command.gmAccess();
      if (!gm || !gm->write)
        return;
      if (gm->arg)
        arguments.insert(*gm->arg);
      else
        unknown = true;
    });
  }
  bool mayBe(std::optional<int64_t> argument) const {
    return unknown || !argument || arguments.contains(*argument);
  }
};

scf::ForOp nestAround(scf::ForOp loop) {
  while (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp()))
    loop = outer;
  return loop;
}

bool isSteady(Value value, scf::ForOp nest) {
  return nest.isDefinedOutsideOfLoop(value) || matchPattern(value, m_Constant());
}

// What says which tile a load brings: those of its operands that change while the kernel runs.
SmallVector<Value> keyOf(npu::Nd2NzOp load, scf::ForOp nest) {
  SmallVector<Value> key;
  for (Value value :
       {load.getSrc(), load.getRow(), load.getCol(), load.getRows(), load.getCols(), load.getStride()})
    if (!isSteady(value, nest))
      key.push_back(value);
  return key;
}

// Whether nothing but this buffer ever lies in its bytes.
bool alone(const AccessTable& table, unsigned index) {
  for (unsigned other = 0; other < table.buffers.size(); ++other)
    if (other != index && table.mayOverlap(index, other))
      return false;
  return table.buffers[index].offset.has_value();
}

std::optional<Kept> asKept(const AccessTable& table, unsigned index, const Written& written) {
  const Buffer& buffer = table.buffers[index];
  if (!buffer.onChip() || buffer.space != npu::Space::L1 || buffer.slots < 2 || !alone(table, index))
    return std::nullopt;
  Kept kept{};
  kept.slots = buffer.slots;
  Value slot;
  for (const Access& access : table.accesses) {
    if (access.buffer != index || !access.write)
      continue;
    auto load = dyn_cast<npu::Nd2NzOp>(access.op);
    if (load && kept.load)
      return std::nullopt;
    if (load)
      kept.load = load;
    else if (isa<npu::FillL1Op>(access.op))
      kept.fills.push_back(access.op);
    else
      return std::nullopt;
    if (slot && slot != access.slot)
      return std::nullopt;
    slot = access.slot;
  }
  if (!kept.load || !slot || written.mayBe(kept.load.getArg()))
    return std::nullopt;
  kept.loop = dyn_cast<scf::ForOp>(kept.load->getParentOp());
  if (!kept.loop || !kept.loop->hasAttr("dl.turned") ||
      !isa<func::FuncOp>(nestAround(kept.loop)->getParentOp()))
    return std::nullopt;
  for (Operation* fill : kept.fills)
    if (!isSteady(cast<npu::FillL1Op>(fill).getValue(), nestAround(kept.loop)))
      return std::nullopt;
  return kept;
}

// Where the comparison goes: before the first command that fills the slot. Null if there is no key, or if it
// is not known there.
Operation* firstFill(Kept& kept) {
  Operation* first = kept.load;
  for (Operation* fill : kept.fills) {
    Operation* there = ancestorIn(kept.loop.getBody(), fill);
    if (!there)
      return nullptr;
    if (there->isBeforeInBlock(first))
      first = there;
  }
  SmallVector<Value> key = keyOf(kept.load, nestAround(kept.loop));
  for (Value value : key)
    if (Operation* defined = value.getDefiningOp();
        defined && defined->getBlock() == first->getBlock() && !defined->isBeforeInBlock(first))
      return nullptr;
  return key.empty() ? nullptr : first;
}

// Carries `inits` through all loops around `loop`, and `loop`: returns their values at the beginning of an
// iteration. The loop yields them as they are.
SmallVector<Value> carryThroughNest(RewriterBase& rewriter, scf::ForOp& loop, SmallVector<Value> carried) {
  SmallVector<scf::ForOp> nest{loop};
  while (auto outer = dyn_cast<scf::ForOp>(nest.back()->getParentOp()))
    nest.push_back(outer);
  scf::ForOp outer;
  for (scf::ForOp level : llvm::reverse(nest)) {
    rewriter.setInsertionPoint(level);
    size_t count = carried.size();
    loop = growLoop(rewriter, level, carried);
    if (outer)
      outer.getBody()->getTerminator()->setOperands(outer.getNumResults() - count, count,
                                                    loop.getResults().take_back(count));
    outer = loop;
    carried.assign(loop.getRegionIterArgs().end() - count, loop.getRegionIterArgs().end());
  }
  return carried;
}

void wrap(RewriterBase& rewriter, Operation* command, Value condition) {
  rewriter.setInsertionPoint(command);
  auto branch = rewriter.create<scf::IfOp>(command->getLoc(), condition, /*withElseRegion=*/false);
  rewriter.moveOpBefore(command, branch.thenYield());
}

void keep(RewriterBase& rewriter, Kept kept) {
  Location loc = kept.load.getLoc();
  rewriter.setInsertionPoint(nestAround(kept.loop));
  SmallVector<Value> inits;
  for (int64_t slot = 0; slot < kept.slots; ++slot)
    for (Value value : keyOf(kept.load, nestAround(kept.loop)))
      inits.push_back(
          rewriter.create<arith::ConstantOp>(loc, rewriter.getIntegerAttr(value.getType(), nothing)));
  SmallVector<Value> held = carryThroughNest(rewriter, kept.loop, inits);

  SmallVector<Value> key = keyOf(kept.load, nestAround(kept.loop));
  Value index = rootOf(kept.load.getDst()).slot;
  rewriter.setInsertionPoint(firstFill(kept));
  auto constant = [&](int64_t value) { return rewriter.create<arith::ConstantIntOp>(loc, value, 64); };
  size_t parts = key.size();
  SmallVector<Value> current(held.begin(), held.begin() + parts), next = held;
  for (int64_t slot = 0; slot < kept.slots; ++slot) {
    Value here = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, index, constant(slot));
    for (size_t part = 0; part < parts; ++part) {
      Value& tag = next[slot * parts + part];
      if (slot > 0)
        current[part] = rewriter.create<arith::SelectOp>(loc, here, tag, current[part]);
      tag = rewriter.create<arith::SelectOp>(loc, here, key[part], tag);
    }
  }
  Value other;
  for (size_t part = 0; part < parts; ++part) {
    Value differs = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, current[part], key[part]);
    other = other ? rewriter.create<arith::OrIOp>(loc, other, differs) : differs;
  }
  Operation* yield = kept.loop.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - next.size(), next.size(), next);
  wrap(rewriter, kept.load, other);
  for (Operation* fill : kept.fills)
    wrap(rewriter, fill, other);
}

class KeepPass : public PassWrapper<KeepPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepPass)
  StringRef getArgument() const override { return "npu-keep"; }
  StringRef getDescription() const override {
    return "tiles that a slot of L1 still holds are not loaded again";
  }
  void getDependentDialects(DialectRegistry& registry) const override {
    registry.insert<npu::NpuDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    Written written(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      runOn(function, written);
  }

private:
  // One buffer after another: loops are replaced, with what the table knows of them.
  void runOn(func::FuncOp function, const Written& written) {
    IRRewriter rewriter(&getContext());
    for (unsigned i = 0;; ++i) {
      AccessTable table = AccessTable::build(function);
      if (i >= table.buffers.size())
        return;
      auto kept = asKept(table, i, written);
      if (!kept || !firstFill(*kept))
        continue;
      remarkAt(kept->loop) << "keep: '" << nameOf(table.buffers[i].alloc)
                           << "' is loaded only where its slot does not hold the tile already";
      keep(rewriter, *kept);
    }
  }
};

} // namespace

std::unique_ptr<Pass> createKeepPass() { return std::make_unique<KeepPass>(); }
void registerKeepPass() { PassRegistration<KeepPass>(); }

} // namespace dlsim::codegen
