// Pass dl-panels. A loop along K that loads a tile of A and of B and multiplies them in each iteration is
// strip-mined in place: its counter steps N times as far, each load fetches the tiles of N iterations as one
// (rows N times as long, or N times as many), and the dot runs over as many of them as the loop has left.
#include "codegen/passes/panels/Panels.h"

#include "codegen/passes/panels/KLoop.h"
#include "codegen/support/SourceLine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MathExtras.h"

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
  Rewriter(KLoop& k, int64_t steps) : k(k), steps(steps), b(k.loop), loc(k.loop.getLoc()) {}

  void run() {
    advanceFurther();
    b.setInsertionPoint(k.loop);
    Type type = k.loop.getInductionVar().getType();
    b.setInsertionPointToStart(k.loop.getBody());
    Value depth = depthLeft();
    b.setInsertionPoint(k.loop);
    k.loop.setStep(b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, k.stride * steps)));
    for (KOperand& operand : k.operands)
      widen(operand, depth);
    for (dl::DotOp dot : k.dots)
      if (depth)
        dot.getDepthMutable().assign(depth);
  }

private:
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
    Value left = b.create<arith::SubIOp>(loc, wide(k.loop.getUpperBound()), wide(k.loop.getInductionVar()));
    if (k.stride != 1) // positive: the loop has begun an iteration
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
    dl::LoadOp load = operand.load;
    b.setInsertionPoint(load);
    Value end = depth ? depth : constant(k.depth * steps);
    for (Value other : operand.ends)
      end = b.create<arith::MinSIOp>(loc, end, wide(other));
    if (operand.clamped)
      end = b.create<arith::MaxSIOp>(loc, end, constant(0));
    load.getHiMutable()[operand.k].set(end);
    auto type = cast<RankedTensorType>(load.getResult().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[operand.k] *= steps;
    load.getResult().setType(RankedTensorType::get(shape, type.getElementType()));
  }

  KLoop& k;
  int64_t steps;
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
  }
  PanelsPass(const PanelsPass& o) : PassWrapper(o), options(o.options) {
    steps = std::string(o.steps);
    slots = int64_t(o.slots);
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
    if (wish->steps == 1)
      return;
    SmallVector<KLoop> loops;
    getOperation().walk([&](scf::ForOp loop) {
      std::string reason;
      if (loop->hasAttr(panelAttribute) || loop.getOps<dl::DotOp>().empty())
        return;
      if (auto k = asKLoop(loop, reason))
        loops.push_back(std::move(*k));
      else
        remarkAt(loop) << "panels: each step of this loop keeps L1 tiles of its own: " << reason;
    });
    for (KLoop& k : loops)
      apply(k, wish->steps ? *wish->steps : automaticSteps(k, slots, availableFor(k)));
  }

private:
  // Bytes of L1 that operands of other products leave to a loop.
  int64_t availableFor(KLoop& k) {
    int64_t taken = 0;
    llvm::DenseSet<Value> seen;
    k.loop->getParentOfType<FunctionOpInterface>().walk([&](dl::DotOp dot) {
      if (!k.loop->isAncestor(dot))
        for (Value tile : {dot.getA(), dot.getB()})
          if (seen.insert(tile).second)
            taken += slots * bytesInL1(cast<RankedTensorType>(tile.getType()));
    });
    return options.target.l1.bytes - taken;
  }

  void apply(KLoop& k, int64_t count) {
    if (count <= 1)
      return;
    Rewriter(k, count).run();
    k.loop->setAttr(panelAttribute, OpBuilder(k.loop).getI64IntegerAttr(count));
    remarkAt(k.loop) << "panels: " << count << " steps of K, " << count * k.depth
                     << " in all, share L1 tiles";
  }

  PanelOptions options;
  Option<std::string> steps{*this, "steps", llvm::cl::desc("auto, off or a number"), llvm::cl::init("auto")};
  Option<int64_t> slots{*this, "slots", llvm::cl::desc("copies of an L1 tile"), llvm::cl::init(2)};
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
