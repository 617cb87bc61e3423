// Pass dl-panels. A loop along K that loads a tile of A and of B and multiplies them in each iteration is
// strip-mined in place: its counter steps N times as far, each load fetches the tiles of N iterations as one
// (rows N times as long, or N times as many), and the dot runs over as many of them as the loop has left.
#include "codegen/passes/panels/Panels.h"

#include "codegen/passes/npu_analysis/accesses.h"
#include "codegen/passes/panels/Ahead.h"
#include "codegen/passes/panels/EarlyStore.h"
#include "codegen/passes/panels/KLoop.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MathExtras.h"

#include <vector>

using namespace mlir;

namespace dlsim::codegen {
namespace {

// On a loop that has been widened: how many steps share a tile.
constexpr llvm::StringLiteral panelAttribute = "dl.panel";

// N for a loop: rows of a line's length, tiles of which `slots` fit, and no more than the loop has
// iterations.
int64_t automaticSteps(const KLoop& k, int64_t slots, int64_t available) {
  int64_t row = k.rowBytes();
  if (row == 0 || row >= wideRowBytes)
    return 1;
  int64_t steps = std::min(int64_t(llvm::divideCeil(wideRowBytes, row)), mostPanelSteps);
  if (auto trips = k.trips())
    steps = std::min(steps, std::max<int64_t>(*trips, 1));
  while (steps > 1 && steps * k.bytesOfStep() * slots > available)
    --steps;
  return steps;
}

class Rewriter {
public:
  // With `halves` the loop runs at least once, without elements where it would not have run.
  Rewriter(KLoop& k, int64_t steps, int64_t slots, const TargetMemory& target, bool halves)
      : k(k), steps(steps), slots(slots), target(target), halves(halves), once(halves && !k.trips()),
        b(k.loop), loc(k.loop.getLoc()) {}

  void run() {
    advanceFurther();
    end = k.loop.getUpperBound();
    if (k.offset)
      turnByPanels();
    else
      stepFurther();
    Value depth = depthLeft();
    for (KOperand& operand : k.operands)
      widen(operand, depth);
    for (dl::DotOp dot : k.dots)
      deepen(dot, depth);
  }

private:
  void stepFurther() {
    b.setInsertionPoint(k.loop);
    Type type = k.loop.getInductionVar().getType();
    auto number = [&](int64_t value) {
      return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
    };
    k.loop.setStep(number(k.stride * steps));
    if (once) {
      Value first = b.createOrFold<arith::AddIOp>(loc, k.loop.getLowerBound(), number(1));
      k.loop.setUpperBound(b.create<arith::MaxSIOp>(loc, k.loop.getUpperBound(), first));
    }
    b.setInsertionPointToStart(k.loop.getBody());
  }

  // A loop with an offset counts whole panels, and begins with one.
  void turnByPanels() {
    b.setInsertionPoint(k.loop);
    Value count = constant(steps);
    Value panels =
        b.create<arith::DivUIOp>(loc, b.create<arith::AddIOp>(loc, wide(end), constant(steps - 1)), count);
    Value some = b.create<arith::MaxSIOp>(loc, panels, constant(1));
    Value offset = b.create<arith::RemUIOp>(loc, firstPanel(some), some);
    Type type = k.loop.getInductionVar().getType();
    k.loop.setUpperBound(narrow(once ? some : panels, type));
    b.setInsertionPoint(k.counter.getDefiningOp());
    Value sum = b.create<arith::AddIOp>(loc, wide(k.loop.getInductionVar()), offset);
    Value over = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, sum, some);
    Value panel = b.create<arith::SelectOp>(loc, over, b.create<arith::SubIOp>(loc, sum, some), sum);
    Value first = narrow(b.create<arith::MulIOp>(loc, panel, count), type);
    k.counter.replaceAllUsesWith(first);
    k.counter = first;
  }

  // Each task of a core begins with the panels that the slots of L1 hold from the end of the task before,
  // whose A or B it may share (npu-keep): as many panels earlier as there are slots.
  Value firstPanel(Value panels) {
    auto tasks = dyn_cast<scf::ForOp>(k.loop->getParentOp());
    if (!tasks || !tasks->hasAttr("dl.parallel") || slots < 2)
      return wide(k.offset);
    k.loop->setAttr("dl.turned", b.getUnitAttr());
    Value turns = b.create<arith::DivUIOp>(loc, wide(tasks.getInductionVar()), wide(tasks.getStep()));
    Value earlier = b.create<arith::MulIOp>(loc, turns, constant(slots));
    Value rest = b.create<arith::SubIOp>(loc, panels, constant(1)); // -1, without a sign
    return b.create<arith::AddIOp>(loc, wide(k.offset), b.create<arith::MulIOp>(loc, earlier, rest));
  }

  Value narrow(Value value, Type type) {
    if (type.isInteger(64))
      return value;
    if (type.isIndex())
      return b.create<arith::IndexCastOp>(loc, type, value);
    return b.create<arith::TruncIOp>(loc, type, value);
  }

  Value constant(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

  Value wide(Value value) {
    if (value.getType().isIndex())
      return b.create<arith::IndexCastOp>(loc, b.getI64Type(), value);
    return value.getType().isInteger(64) ? value
                                         : Value(b.create<arith::ExtSIOp>(loc, b.getI64Type(), value));
  }

  // K of the iterations that are left, at most that of a whole panel; null if it always is a whole one.
  Value depthLeft() {
    if (auto trips = k.trips(); trips && *trips % steps == 0)
      return {};
    Value left = b.create<arith::SubIOp>(loc, wide(end), wide(k.counter));
    if (once)
      left = b.create<arith::MaxSIOp>(loc, left, constant(0));
    if (k.stride != 1) // not negative: the loop has begun an iteration
      left = b.create<arith::DivUIOp>(loc, b.create<arith::AddIOp>(loc, left, constant(k.stride - 1)),
                                      constant(k.stride));
    left = b.create<arith::MinSIOp>(loc, left, constant(steps));
    return b.create<arith::MulIOp>(loc, left, constant(k.depth));
  }

  // Carried scalars grow by what N iterations add.
  void advanceFurther() {
    Operation* yield = k.loop.getBody()->getTerminator();
    b.setInsertionPoint(yield);
    for (unsigned i : k.advanced) {
      Value argument = k.loop.getRegionIterArg(i), next = yield->getOperand(i);
      Type type = argument.getType();
      Value change = b.createOrFold<arith::SubIOp>(loc, next, argument);
      Value all = b.create<arith::MulIOp>(loc, change,
                                          b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, steps)));
      yield->setOperand(i, b.create<arith::AddIOp>(loc, argument, all));
    }
  }

  void widen(KOperand& operand, Value depth) {
    b.setInsertionPoint(operand.load);
    Value end = depth ? depth : constant(k.depth * steps);
    for (Value other : operand.ends)
      end = b.create<arith::MinSIOp>(loc, end, wide(other));
    if (operand.clamped || once)
      end = b.create<arith::MaxSIOp>(loc, end, constant(0));
    endsOf(operand.load)[operand.k].set(end);
    if (auto gather = dyn_cast<dl::GatherOp>(operand.load)) // its runs leave the end to the gather itself
      cast<dl::RunOp>(gather.getBody().front().back())
          .getHiMutable()[operand.k]
          .set(constant(k.depth * steps));
    RankedTensorType type = operand.type();
    SmallVector<int64_t> shape(type.getShape());
    shape[operand.k] *= steps;
    operand.load->getResult(0).setType(RankedTensorType::get(shape, type.getElementType()));
  }

  void deepen(dl::DotOp dot, Value depth) {
    dot.setKStep(uint64_t(kStep(dot)));
    if (!depth)
      return;
    dot.getDepthMutable().assign(depth);
    dot->setAttr("dl.depth_unit", b.getI64IntegerAttr(k.depth));
    if (once)
      dot->setAttr("dl.may_be_empty", b.getUnitAttr());
  }

  // K of an mmad: as much as leaves room for two slots in L0A and L0B; several whole steps, or a part of one.
  int64_t kStep(dl::DotOp dot) const {
    int64_t bits = cast<RankedTensorType>(dot.getA().getType()).getElementTypeBitWidth();
    int64_t unit = std::max<int64_t>(16, 256 / bits), n = dot.getN() / (halves ? 2 : 1);
    auto fit = [&](const ScopeMemory& memory, int64_t side) {
      return memory.bytes / (2 * int64_t(llvm::alignTo(uint64_t(side), 16)) * bits / 8);
    };
    int64_t most = std::min(fit(target.l0a, dot.getM()), fit(target.l0b, n)),
            together = std::min(most / k.depth, steps);
    while (together > 1 && steps % together != 0)
      --together;
    if (together > 0)
      return k.depth * together;
    int64_t part = most / unit * unit;
    while (part > unit && k.depth % part != 0)
      part -= unit;
    return std::max(part, unit);
  }

  KLoop& k;
  int64_t steps, slots;
  const TargetMemory& target;
  bool halves, once;
  Value end; // of the counter, as the loop was
  OpBuilder b;
  Location loc;
};

class PanelsPass : public PassWrapper<PanelsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PanelsPass)
  PanelsPass() = default;
  explicit PanelsPass(PanelOptions o) : options(std::move(o)) {
    steps = options.wish.text;
    slots = options.slots;
    halves = options.halves;
    ahead = options.ahead;
  }
  PanelsPass(const PanelsPass& o) : PassWrapper(o), options(o.options) {
    steps = std::string(o.steps);
    slots = int64_t(o.slots);
    halves = bool(o.halves);
    ahead = bool(o.ahead);
  }
  StringRef getArgument() const final { return "dl-panels"; }
  StringRef getDescription() const final {
    return "several steps of a K loop share one L1 tile of each operand";
  }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<dl::DlDialect, arith::ArithDialect>();
  }

  void runOnOperation() final {
    auto wish = PanelWish::parse(steps);
    if (!wish) {
      getOperation().emitError() << "steps '" << steps << "': not auto, off or 1 to " << mostPanelSteps;
      return signalPassFailure();
    }
    std::vector<KLoop> loops;
    getOperation().walk([&](scf::ForOp loop) {
      std::string reason;
      if (loop->hasAttr(panelAttribute) || loop.getOps<dl::DotOp>().empty())
        return;
      if (auto k = asKLoop(loop, reason))
        loops.push_back(std::move(*k));
      else
        remarkAt(loop) << "panels: each step of this loop keeps L1 tiles of its own: " << reason;
    });
    for (KLoop& k : loops) {
      int64_t available = availableFor(k), count = wish->steps.value_or(0);
      if (!wish->steps)
        count = automaticSteps(k, slots, available);
      // Short launches, which do not ask for an offset, have more of small code than of full pipelines. Where
      // other products share L1, their tiles would take turns with these.
      bool further = ahead && k.offset && available == options.target.l1.bytes;
      apply(k, count, further ? loadLargerAhead(k, count, slots, available) : slots);
    }
  }

private:
  // Bytes of L1 that operands of other products leave to a loop.
  int64_t availableFor(KLoop& k) {
    int64_t taken = 0;
    llvm::DenseSet<Value> seen;
    k.loop->getParentOfType<FunctionOpInterface>().walk([&](dl::DotOp dot) {
      if (!k.loop->isAncestor(dot) && !exclusiveBranch(k.loop, dot))
        for (Value tile : {dot.getA(), dot.getB()})
          if (seen.insert(tile).second)
            taken += slots * bytesInL1(cast<RankedTensorType>(tile.getType()));
    });
    return options.target.l1.bytes - taken;
  }

  void apply(KLoop& k, int64_t count, int64_t deepest) {
    std::optional<EarlyStore> early;
    if (halves)
      early = EarlyStore::after(k, options.target.l0c.bytes);
    if (count <= 1 && !early)
      return;
    Rewriter(k, count, deepest, options.target, early.has_value()).run();
    k.loop->setAttr(panelAttribute, OpBuilder(k.loop).getI64IntegerAttr(count));
    if (count > 1)
      remarkAt(k.loop) << "panels: " << count << " steps of K, " << count * k.depth
                       << " in all, share L1 tiles";
    if (!early)
      return;
    early->moveInto(k);
    remarkAt(k.loop)
        << "panels: the sum fills L0C, each half of its columns is stored while the other is computed";
  }

  PanelOptions options;
  Option<std::string> steps{*this, "steps", llvm::cl::desc("auto, off or a number"), llvm::cl::init("auto")};
  Option<int64_t> slots{*this, "slots", llvm::cl::desc("copies of an L1 tile"), llvm::cl::init(2)};
  Option<bool> halves{*this, "halves", llvm::cl::desc("sums that fill L0C in halves of their columns"),
                      llvm::cl::init(true)};
  Option<bool> ahead{*this, "ahead", llvm::cl::desc("larger operands are loaded first, with a slot more"),
                     llvm::cl::init(true)};
};

} // namespace

std::optional<PanelWish> PanelWish::parse(llvm::StringRef text) {
  PanelWish wish{text.str(), std::nullopt};
  if (text == "auto")
    return wish;
  int64_t count = 1;
  if (text != "off" && (text.getAsInteger(10, count) || count < 1 || count > mostPanelSteps))
    return std::nullopt;
  wish.steps = count;
  return wish;
}

std::unique_ptr<Pass> createPanelsPass(PanelOptions options) {
  return std::make_unique<PanelsPass>(std::move(options));
}
void registerPanelsPass() { PassRegistration<PanelsPass>(); }

} // namespace dlsim::codegen
