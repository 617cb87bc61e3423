// Pass dl-halve, when rows and pieces have been dealt out: reductions that the vector unit has no command for
// (regions of their own, several tensors, wide or narrow integers) combine the halves of their tiles again
// and again. Reductions are associative and, as lanes of a GPU meet in any order, commutative.
#include "codegen/passes/expand/Expand.h"
#include "codegen/support/Combine.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t blockBits = 256;    // of UB
constexpr unsigned wordBits = 32;     // integers that the vector unit computes with
constexpr int64_t partsOfRoom = 3;    // tiles, transposed ones, and what a region computes of their halves
constexpr int64_t leastElements = 64; // the scalar unit is as fast with fewer

// Lane by lane, so that it combines tiles as well. (Tiles of bits have no halves.)
bool combinesLanes(tt::ReduceOp reduce) {
  for (Value tile : reduce.getSrcs())
    if (getElementTypeOrSelf(tile.getType()).isInteger(1))
      return false;
  Block& body = reduce.getCombineOp().front();
  auto here = [&](Value value) { return value.getParentBlock() == &body; };
  return llvm::all_of(body.without_terminator(), [&](Operation& op) {
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op) && llvm::all_of(op.getOperands(), here);
  });
}

// Whether any or all bits are set: the largest or the least of ones and zeros, which the vector unit has.
// False if nothing was done.
bool asNumbers(tt::ReduceOp reduce) {
  Operation* combine = combineOf(reduce);
  if (!isa_and_nonnull<arith::OrIOp, arith::AndIOp>(combine) || !combine->getResult(0).getType().isInteger(1))
    return false;
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  Type f16 = b.getF16Type();
  auto numbersOf = [&](double value, Type type) -> Value {
    TypedAttr number = b.getFloatAttr(f16, value);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      number = DenseElementsAttr::get(tensor.clone(f16), Attribute(number));
    return b.create<arith::ConstantOp>(loc, number);
  };
  Value bits = reduce.getSrcs()[0], result = reduce.getResults()[0];
  Value numbers =
      b.create<arith::SelectOp>(loc, bits, numbersOf(1, bits.getType()), numbersOf(0, bits.getType()));
  Type reduced = f16;
  if (auto tensor = dyn_cast<RankedTensorType>(result.getType()))
    reduced = tensor.clone(f16);
  auto extreme = b.create<tt::ReduceOp>(loc, TypeRange(reduced), numbers, reduce.getAxis());
  Block& body = extreme.getCombineOp().emplaceBlock();
  body.addArguments({f16, f16}, {loc, loc});
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  Value a = body.getArgument(0), c = body.getArgument(1);
  Value best = isa<arith::OrIOp>(combine) ? inside.create<arith::MaxNumFOp>(loc, a, c).getResult()
                                          : inside.create<arith::MinNumFOp>(loc, a, c).getResult();
  inside.create<tt::ReduceReturnOp>(loc, best);
  result.replaceAllUsesWith(b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ONE, extreme.getResults()[0],
                                                    numbersOf(0, result.getType())));
  reduce.erase();
  return true;
}

// The tiles of a reduction; those of i64 as their low and high words, which commands of the vector unit have.
class Halves {
public:
  explicit Halves(tt::ReduceOp reduce) : reduce(reduce), b(reduce), loc(reduce.getLoc()) {}

  // False if nothing was done: the tiles have no halves, or there is no room beside them for what comes of
  // them.
  bool run(int64_t ubBytes) {
    auto type = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
    int64_t axis = reduce.getAxis(), bytes = 0;
    for (Value tile : reduce.getSrcs())
      bytes += type.getNumElements() * getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth() / 8;
    shape.assign(type.getShape().begin(), type.getShape().end());
    if (axis == 1)
      std::swap(shape.front(), shape.back());
    if (shape.size() > 2 || type.getNumElements() < leastElements || bytes * partsOfRoom > ubBytes ||
        !combinesLanes(reduce) || !haveHalves())
      return false;
    for (Value tile : reduce.getSrcs())
      tiles.push_back(axis == 1 ? columnsFirst(tile) : wordsOf(tile));
    while (haveHalves())
      halve();
    finish();
    return true;
  }

private:
  using Words = SmallVector<Value, 2>;

  // Whether the first dimension has halves that are whole blocks; rows of two dimensions are padded to some.
  bool haveHalves() {
    bool rows = shape.size() == 2 && shape[1] > 1;
    return shape[0] % 2 == 0 && llvm::all_of(reduce.getSrcs(), [&](Value tile) {
             int64_t bits = std::min(getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth(), wordBits);
             return rows || shape[0] / 2 * bits % blockBits == 0;
           });
  }

  Words wordsOf(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (!type.getElementType().isInteger(2 * wordBits))
      return {tile};
    auto half = [&](bool high) -> Value {
      return b.create<dl::HalfOp>(loc, type.clone(b.getI32Type()), tile, high);
    };
    Value low = half(false);
    return {low, half(true)};
  }

  // Columns of a tile lie apart; rows of the transposed one do not.
  Words columnsFirst(Value tile) {
    auto turned = [](Value one) {
      auto type = cast<RankedTensorType>(one.getType());
      return type.clone({type.getDimSize(1), type.getDimSize(0)});
    };
    auto broadcast = tile.getDefiningOp<tt::BroadcastOp>();
    if (auto line = broadcast ? broadcast.getSrc().getDefiningOp<tt::ExpandDimsOp>() : tt::ExpandDimsOp()) {
      // The numbers of lanes, say.
      Value other = b.create<tt::ExpandDimsOp>(loc, turned(line), line.getSrc(), 1 - line.getAxis());
      return wordsOf(b.create<tt::BroadcastOp>(loc, turned(tile), other));
    }
    Words words = wordsOf(tile);
    for (Value& word : words)
      word = b.create<tt::TransOp>(loc, turned(word), word, b.getDenseI32ArrayAttr({1, 0}));
    return words;
  }

  // Words of each tile as one value again.
  Value joined(const Words& words) {
    if (words.size() == 1)
      return words.front();
    auto type = cast<RankedTensorType>(words.front().getType());
    return b.create<dl::WideOp>(loc, type.clone(b.getI64Type()), words[0], words[1]);
  }

  void halve() {
    SmallVector<Value> both;
    shape[0] /= 2;
    for (int64_t first : {int64_t(0), shape[0]})
      for (const Words& words : tiles)
        both.push_back(joined(rowsFrom(words, first)));
    Block& body = reduce.getCombineOp().front();
    IRMapping map;
    map.map(body.getArguments(), both);
    for (Operation& op : body.without_terminator())
      combine(op, map);
    for (auto [words, result] : llvm::zip_equal(tiles, body.getTerminator()->getOperands()))
      words = wordsOf(map.lookup(result));
  }

  Words rowsFrom(const Words& words, int64_t first) {
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)), sizes,
        ones(shape.size(), b.getIndexAttr(1));
    offsets[0] = b.getIndexAttr(first);
    for (int64_t size : shape)
      sizes.push_back(b.getIndexAttr(size));
    Words rows;
    for (Value word : words) {
      auto slice = b.create<tensor::ExtractSliceOp>(loc, word, offsets, sizes, ones);
      slice->setAttr(dl::inPlace, b.getUnitAttr());
      rows.push_back(slice);
    }
    return rows;
  }

  void combine(Operation& op, IRMapping& map) {
    Operation* made = b.clone(op, map);
    for (Value result : made->getResults())
      result.setType(RankedTensorType::get(shape, result.getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(made)) {
      auto number = Attribute(cast<arith::ConstantOp>(op).getValue());
      constant.setValueAttr(DenseElementsAttr::get(cast<ShapedType>(constant.getType()), number));
    }
  }

  // What is left: one row, or lanes of a block.
  void finish() {
    SmallVector<Value> left;
    for (const Words& words : tiles)
      left.push_back(joined(words));
    if (shape.size() == 2 && shape[0] == 1) {
      for (auto [result, tile] : llvm::zip_equal(reduce.getResults(), left))
        result.replaceAllUsesWith(b.create<tt::ReshapeOp>(loc, result.getType(), tile));
    } else {
      auto rest = cast<tt::ReduceOp>(b.clone(*reduce));
      rest->setOperands(left);
      rest.setAxis(0);
      reduce->replaceAllUsesWith(rest);
    }
    reduce.erase();
  }

  tt::ReduceOp reduce;
  OpBuilder b;
  Location loc;
  SmallVector<int64_t> shape; // of every tile now
  SmallVector<Words> tiles;
};

class HalvePass : public PassWrapper<HalvePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HalvePass)
  explicit HalvePass(int64_t ubBytes) : ubBytes(ubBytes) {}
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
    for (tt::ReduceOp reduce : reductions) {
      auto function = reduce->getParentOfType<func::FuncOp>();
      if (!asNumbers(reduce) && !Halves(reduce).run(ubBytes))
        continue;
      changed = true;
      function->setAttr(halved, UnitAttr::get(&getContext()));
    }
    OpPassManager arithmetic(ModuleOp::getOperationName()); // regions were scalar code before
    arithmetic.addPass(createExpandPass());
    if (changed && failed(runPipeline(arithmetic, getOperation())))
      signalPassFailure();
  }

private:
  int64_t ubBytes;
};

} // namespace

std::unique_ptr<Pass> createHalvePass(int64_t ubBytes) { return std::make_unique<HalvePass>(ubBytes); }
void registerHalvePass() {
  registerPass([] { return createHalvePass(192 << 10); });
}

} // namespace dlsim::codegen
