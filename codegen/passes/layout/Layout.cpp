#include "codegen/passes/layout/Layout.h"

#include "codegen/passes/layout/Component.h"
#include "codegen/support/SourceLine.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

RankedTensorType turned(Type type) {
  auto tile = cast<RankedTensorType>(type);
  return tile.clone({tile.getDimSize(1), tile.getDimSize(0)});
}

Value transposed(OpBuilder& b, Value tile) {
  if (auto trans = tile.getDefiningOp<tt::TransOp>())
    return trans.getSrc();
  return b.create<tt::TransOp>(tile.getLoc(), turned(tile.getType()), tile, b.getDenseI32ArrayAttr({1, 0}));
}

Value turnedUniform(Value tile) {
  OpBuilder b(tile.getContext());
  b.setInsertionPointAfterValue(tile);
  if (auto splat = tile.getDefiningOp<tt::SplatOp>())
    return b.create<tt::SplatOp>(tile.getLoc(), turned(tile.getType()), splat.getSrc());
  auto dense = cast<DenseElementsAttr>(tile.getDefiningOp<arith::ConstantOp>().getValue());
  return b.create<arith::ConstantOp>(tile.getLoc(), dense.resizeSplat(turned(tile.getType())));
}

void swapOperands(MutableOperandRange range) {
  Value first = range[0].get(), second = range[1].get();
  range[0].set(second);
  range[1].set(first);
}

void swapAxis(Operation* op) {
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  op->setAttr("axis", IntegerAttr::get(axis.getType(), 1 - axis.getInt()));
}

void turn(Operation* op) {
  if (auto load = dyn_cast<dl::LoadOp>(op)) {
    swapOperands(load.getStridesMutable());
    swapOperands(load.getLoMutable());
    swapOperands(load.getHiMutable());
    if (auto wrap = load.getWrapDim())
      load.setWrapDim(1 - *wrap);
  } else if (auto store = dyn_cast<dl::StoreOp>(op)) {
    swapOperands(store.getStridesMutable());
    swapOperands(store.getLoMutable());
    swapOperands(store.getHiMutable());
  } else if (auto mask = dyn_cast<dl::RangeMaskOp>(op)) {
    swapOperands(mask.getLoMutable());
    swapOperands(mask.getHiMutable());
  } else if (auto extract = dyn_cast<dl::ExtractOp>(op)) {
    swapOperands(extract.getLanesMutable());
  } else if (isa<tt::ExpandDimsOp, tt::ReduceOp, tt::ScanOp>(op)) {
    swapAxis(op);
  }
}

struct LayoutPass : PassWrapper<LayoutPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LayoutPass)
  explicit LayoutPass(LayoutOptions options) : options(options) {}
  StringRef getArgument() const final { return "dl-layout"; }
  StringRef getDescription() const final {
    return "tiles whose rows lie along the wrong dimension in memory are computed the other way round";
  }

  void runOnOperation() final {
    llvm::DenseSet<Value> seen;
    SmallVector<Value> seeds;
    getOperation().walk([&](Operation* op) {
      if (alongMemory(op) == 0)
        seeds.push_back(accessedTile(op));
    });
    for (Value tile : seeds) {
      if (seen.contains(tile))
        continue;
      Component component(tile);
      seen.insert(component.tiles.begin(), component.tiles.end());
      if (component.canTurn() && component.gain() > 0)
        apply(component);
    }
  }

private:
  void apply(Component& component) {
    // While everything has its old type.
    OpBuilder b(&getContext());
    DenseMap<Value, Value> other;
    for (OpOperand* use : component.inner) {
      Value tile = use->get();
      if (component.tiles.contains(tile))
        continue;
      Value& fresh = other[tile];
      b.setInsertionPointAfterValue(tile);
      if (!fresh)
        fresh = isUniform(tile) ? turnedUniform(tile) : transposed(b, tile);
      use->set(fresh);
    }
    for (Operation* op : component.operations)
      turn(op);
    for (Value tile : component.tiles)
      tile.setType(turned(tile.getType()));
    for (OpOperand* use : component.leaving) {
      b.setInsertionPoint(use->getOwner());
      if (auto trans = dyn_cast<tt::TransOp>(use->getOwner())) {
        trans.getResult().replaceAllUsesWith(use->get());
        trans.erase();
      } else {
        use->set(transposed(b, use->get()));
      }
    }
    if (options.report)
      report(component);
  }

  void report(const Component& component) {
    llvm::raw_ostream& stream = options.stream ? *options.stream : llvm::errs();
    getOperation().walk([&](Operation* op) {
      Value tile = accessedTile(op);
      if (!tile || !component.operations.contains(op))
        return;
      auto type = cast<RankedTensorType>(tile.getType());
      stream << llvm::formatv("{0}: {1} {2}x{3}x{4}: its tile is computed as {3}x{2}{5}\n",
                              sourceLine(op->getLoc()), isa<dl::LoadOp>(op) ? "load" : "store",
                              type.getDimSize(1), type.getDimSize(0), type.getElementType(),
                              alongMemory(op) == 1 ? ", as it lies in memory: no transpose" : "");
    });
  }

  LayoutOptions options;
};

} // namespace

std::unique_ptr<Pass> createLayoutPass(LayoutOptions options) {
  return std::make_unique<LayoutPass>(options);
}

void registerLayoutPass() {
  registerPass([] { return createLayoutPass(); });
}

} // namespace dlsim::codegen
