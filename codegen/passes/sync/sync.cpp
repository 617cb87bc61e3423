#include "codegen/passes/sync/sync.h"

#include "codegen/passes/sync/ids.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

// Inserts the flags of allocated edges. Item numbers refer to the blocks as they were before any insertion.
class Emitter {
public:
  explicit Emitter(MLIRContext* context) : builder(context) {}

  void number(llvm::ArrayRef<Edge> edges, const Barriers& barriers) {
    for (const Edge& e : edges)
      number(e.block);
    for (const auto& [block, items] : barriers)
      number(block);
  }

  void flags(const Edge& e) {
    Operation* before = items[e.block][e.waitBefore];
    builder.setInsertionPointAfter(items[e.block][e.setAfter]);
    set(e, items[e.block][e.setAfter]->getLoc());
    builder.setInsertionPoint(before);
    wait(e, before->getLoc());
  }

  // The first tokens of an edge that wraps around a loop, and their end. Emitted before the flags, which then
  // lie closer to the items: the ends do not hold back what is set after the loop.
  void ends(const Edge& e) {
    if (e.distance == 0)
      return;
    builder.setInsertionPoint(e.around);
    for (unsigned i = 0; i < e.distance; ++i)
      set(e, e.around->getLoc());
    builder.setInsertionPointAfter(e.around);
    for (unsigned i = 0; i < e.distance; ++i)
      wait(e, e.around->getLoc());
  }

  void barrier(Block* block, unsigned item) {
    Operation* before = items[block][item];
    builder.setInsertionPoint(before);
    builder.create<npu::BarrierOp>(before->getLoc(), npu::UnitAttr());
  }

private:
  void number(Block* block) {
    if (auto [it, isNew] = items.try_emplace(block); isNew)
      for (Operation& op : *block)
        it->second.push_back(&op);
  }
  void set(const Edge& e, Location loc) {
    builder.create<npu::SetFlagOp>(loc, e.source, e.destination, e.id);
  }
  void wait(const Edge& e, Location loc) {
    builder.create<npu::WaitFlagOp>(loc, e.source, e.destination, e.id);
  }

  OpBuilder builder;
  llvm::DenseMap<Block*, std::vector<Operation*>> items;
};

// A barrier before each command whose unit is not known to be that of the last command before it.
class BarrierInserter {
public:
  explicit BarrierInserter(MLIRContext* context) : builder(context) {}

  void run(Block& block) {
    std::optional<npu::Unit> last;
    for (Operation& op : llvm::make_early_inc_range(block)) {
      if (auto command = dyn_cast<npu::NpuCommand>(op)) {
        if (last != command.unit()) {
          builder.setInsertionPoint(&op);
          builder.create<npu::BarrierOp>(op.getLoc(), npu::UnitAttr());
        }
        last = command.unit();
      }
      for (Region& region : op.getRegions())
        for (Block& inner : region) {
          run(inner);
          last.reset();
        }
    }
  }

private:
  OpBuilder builder;
};

// The two regions of a while alternate, and it may be left after the first: flags between them would not pair
// up. A barrier on the way in and on the way back orders them.
void separateWhileRegions(func::FuncOp function) {
  auto hasCommands = [](Region& region) {
    return region.walk([](npu::NpuCommand) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  function.walk([&](scf::WhileOp loop) {
    if (!hasCommands(loop.getBefore()) || !hasCommands(loop.getAfter()))
      return;
    Block& body = loop.getAfter().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    builder.create<npu::BarrierOp>(loop.getLoc(), npu::UnitAttr());
    builder.setInsertionPoint(body.getTerminator());
    builder.create<npu::BarrierOp>(loop.getLoc(), npu::UnitAttr());
  });
}

// Tokens of edges around a nest of loops lie in their flags all the time. Where a pair of units has too few
// flags they go around the innermost loop only, first in loops of few iterations: its end then waits for
// them. False if there is none left.
bool narrow(std::vector<Edge>& edges, const NoFlagLeft& full, bool onlyBrief) {
  bool changed = false;
  for (Edge& e : edges) {
    Operation* loop = loopAround(e.block);
    if (e.distance == 0 || e.source != full.source || e.destination != full.destination || e.around == loop ||
        (onlyBrief && !loop->hasAttr("dl.brief")))
      continue;
    e.around = loop;
    changed = true;
  }
  return changed;
}

class SyncPass : public PassWrapper<SyncPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SyncPass)
  explicit SyncPass(SyncMode mode = SyncMode::flags) { barrierAll = mode == SyncMode::barrierAll; }
  SyncPass(const SyncPass& o) : PassWrapper(o) { barrierAll = bool(o.barrierAll); }

  StringRef getArgument() const override { return "npu-sync"; }
  StringRef getDescription() const override {
    return "insert flags between units that touch the same memory";
  }

  void runOnOperation() override {
    if (barrierAll)
      return BarrierInserter(&getContext()).run(getOperation().getBody().front());
    AccessTable table = AccessTable::build(getOperation());
    std::vector<Edge> wanted = collectEdges(table);
    Barriers barriers;
    std::vector<Edge> edges;
    while (true) {
      reduceEdges(wanted, barriers);
      edges = wanted;
      boundTokens(edges, barriers);
      std::optional<NoFlagLeft> full = allocateIds(edges, barriers);
      if (!full)
        break;
      if (!narrow(wanted, *full, true) && !narrow(wanted, *full, false))
        barriers[full->block].insert(full->item);
    }
    emit(edges, barriers);
    separateWhileRegions(getOperation());
  }

private:
  void emit(llvm::ArrayRef<Edge> edges, const Barriers& barriers) {
    Emitter emitter(&getContext());
    emitter.number(edges, barriers); // before anything is inserted
    for (const Edge& e : edges)
      if (e.outside)
        emitter.flags(e);
    for (const Edge& e : edges)
      emitter.ends(e);
    for (const Edge& e : edges)
      if (!e.outside)
        emitter.flags(e);
    unsigned count = 0;
    for (const auto& [block, items] : barriers)
      for (unsigned item : items)
        emitter.barrier(block, item), ++count;
    getOperation().emitRemark() << "sync: " << edges.size() << " flag(s) between units";
    if (count)
      getOperation().emitRemark() << "sync: " << count << " barrier(s), a pair of units has eight flags";
  }

  Option<bool> barrierAll{*this, "barrier-all", llvm::cl::desc("barriers instead of flags"),
                          llvm::cl::init(false)};
};

} // namespace

std::unique_ptr<Pass> createSyncPass(SyncMode mode) { return std::make_unique<SyncPass>(mode); }

void registerSyncPasses() {
  PassRegistration<SyncPass>();
  registerPass([] { return createUnitFlagsPass(); });
  registerPass([] { return createCheckSyncPass(); });
}

} // namespace dlsim::codegen
