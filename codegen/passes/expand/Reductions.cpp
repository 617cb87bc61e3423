// Pass dl-halve, when rows and pieces have been dealt out: reductions that the vector unit has no command for
// (regions of their own, several tensors, wide or narrow integers) combine the halves of their tiles again
// and again. Reductions are associative and, as lanes of a GPU meet in any order, commutative.
#include "codegen/passes/expand/Expand.h"
#include "codegen/support/Combine.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t blockBits = 256;    // of UB
constexpr int64_t leastElements = 64; // the scalar unit is as fast with fewer

// Lane by lane, so that it combines tiles as well.
bool combinesLanes(tt::ReduceOp reduce) {
  Block& body = reduce.getCombineOp().front();
  auto here = [&](Value value) { return value.getParentBlock() == &body; };
  return llvm::all_of(body.without_terminator(), [&](Operation& op) {
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op) && llvm::all_of(op.getOperands(), here);
  });
}

class Halves {
public:
  explicit Halves(tt::ReduceOp reduce) : reduce(reduce), b(reduce), loc(reduce.getLoc()) {}

  // False if nothing was done.
  bool run() {
    tiles.assign(reduce.getSrcs().begin(), reduce.getSrcs().end());
    RankedTensorType type = typeOf(0);
    int64_t axis = reduce.getAxis();
    if (type.getRank() > 2 || type.getNumElements() < leastElements || !combinesLanes(reduce) ||
        !halves(axis == 1 && type.getDimSize(0) > 1, type.getDimSize(axis)))
      return false;
    if (axis == 1) // columns lie apart: rows of the transposed tiles do not
      for (Value& tile : tiles)
        tile = transposed(tile);
    while (halves(typeOf(0).getRank() == 2 && typeOf(0).getDimSize(1) > 1, typeOf(0).getDimSize(0)))
      halve();
    finish();
    return true;
  }

private:
  RankedTensorType typeOf(unsigned i) const { return cast<RankedTensorType>(tiles[i].getType()); }

  // Whether `size` lanes have halves that are whole blocks; each of `rows` is padded to some.
  bool halves(bool rows, int64_t size) {
    return size % 2 == 0 && llvm::all_of(reduce.getSrcs(), [&](Value tile) {
             return rows ||
                    size / 2 * getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth() % blockBits == 0;
           });
  }

  Value transposed(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto turned = type.clone({type.getDimSize(1), type.getDimSize(0)});
    auto broadcast = tile.getDefiningOp<tt::BroadcastOp>();
    auto line = broadcast ? broadcast.getSrc().getDefiningOp<tt::ExpandDimsOp>() : tt::ExpandDimsOp();
    if (line) { // the numbers of lanes, say
      auto from = cast<RankedTensorType>(line.getResult().getType());
      Value other = b.create<tt::ExpandDimsOp>(loc, turned.clone({from.getDimSize(1), from.getDimSize(0)}),
                                               line.getSrc(), 1 - line.getAxis());
      return b.create<tt::BroadcastOp>(loc, turned, other);
    }
    if (type.getElementType().isInteger(64)) {
      Type word = b.getI32Type();
      auto half = [&](bool high) {
        return transposed(b.create<dl::HalfOp>(loc, type.clone(word), tile, high));
      };
      Value low = half(false), high = half(true);
      return b.create<dl::WideOp>(loc, turned, low, high);
    }
    return b.create<tt::TransOp>(loc, turned, tile, b.getDenseI32ArrayAttr({1, 0}));
  }

  void halve() {
    SmallVector<Value> all;
    SmallVector<int64_t> shape(typeOf(0).getShape());
    shape[0] /= 2;
    for (int64_t first : {int64_t(0), shape[0]})
      for (unsigned i = 0; i < tiles.size(); ++i)
        all.push_back(rowsFrom(tiles[i], first, shape));
    Block& body = reduce.getCombineOp().front();
    IRMapping map;
    map.map(body.getArguments(), all);
    for (Operation& op : body.without_terminator())
      combine(op, shape, map);
    for (auto [tile, result] : llvm::zip_equal(tiles, body.getTerminator()->getOperands()))
      tile = map.lookup(result);
  }

  Value rowsFrom(Value tile, int64_t first, ArrayRef<int64_t> shape) {
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)), sizes,
        ones(shape.size(), b.getIndexAttr(1));
    offsets[0] = b.getIndexAttr(first);
    for (int64_t size : shape)
      sizes.push_back(b.getIndexAttr(size));
    return b.create<tensor::ExtractSliceOp>(loc, tile, offsets, sizes, ones);
  }

  void combine(Operation& op, ArrayRef<int64_t> shape, IRMapping& map) {
    Operation* made = b.clone(op, map);
    for (Value result : made->getResults())
      result.setType(RankedTensorType::get(shape, result.getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(made))
      constant.setValueAttr(DenseElementsAttr::get(cast<ShapedType>(constant.getType()),
                                                   Attribute(cast<arith::ConstantOp>(op).getValue())));
  }

  // What is left: one row, or lanes of a block.
  void finish() {
    if (typeOf(0).getDimSize(0) == 1 && typeOf(0).getRank() == 2) {
      for (auto [result, tile] : llvm::zip_equal(reduce.getResults(), tiles))
        result.replaceAllUsesWith(b.create<tt::ReshapeOp>(loc, result.getType(), tile));
    } else {
      auto rest = cast<tt::ReduceOp>(b.clone(*reduce));
      rest->setOperands(tiles);
      rest.setAxis(0);
      reduce->replaceAllUsesWith(rest);
    }
    reduce.erase();
  }

  tt::ReduceOp reduce;
  OpBuilder b;
  Location loc;
  SmallVector<Value> tiles;
};

class HalvePass : public PassWrapper<HalvePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HalvePass)
  StringRef getArgument() const final { return "dl-halve"; }
  StringRef getDescription() const final { return "Reductions without a command of their own to halves"; }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<arith::ArithDialect, dl::DlDialect, tensor::TensorDialect, tt::TtDialect>();
  }
  void runOnOperation() final {
    SmallVector<tt::ReduceOp> reductions;
    getOperation().walk([&](tt::ReduceOp reduce) {
      if (!reducesInVectors(reduce))
        reductions.push_back(reduce);
    });
    bool changed = false;
    for (tt::ReduceOp reduce : reductions)
      changed |= Halves(reduce).run();
    OpPassManager arithmetic(ModuleOp::getOperationName()); // regions were scalar code before
    arithmetic.addPass(createExpandPass());
    if (changed && failed(runPipeline(arithmetic, getOperation())))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createHalvePass() { return std::make_unique<HalvePass>(); }
void registerHalvePass() { PassRegistration<HalvePass>(); }

} // namespace dlsim::codegen
