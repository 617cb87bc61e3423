// Pass dl-pieces. A product that starts from zero and whose operands are loaded for it alone becomes several:
//   - over rows of A and columns of B and of the result, where two results do not fit L0C: while the fixpipe
//     stores one piece, the cube is at the next. The longer side is cut first: such pieces read each
//     operand's tile least often, and their rows in memory stay long.
//   - over K, where two tiles of each operand fill more than half of L1: the next piece comes while the
//     cube is at this one.
// The loads, and the store of a result, move there. Each part of an operand is loaded once, by the first
// piece that needs it; terms of B that several rows need come first, before the wait for an A of the
// workspace: they may be on their way while that is computed. Flags of the workspace stay around all of them.
// Sums keep their order.
#include "codegen/passes/dot/Pieces.h"

#include "codegen/passes/dot/Accumulator.h"
#include "codegen/passes/dot/PieceParts.h"
#include "codegen/support/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t leastPiece = 64; // rows, columns, or terms of a sum: less is lost in the start of commands
constexpr int64_t mostPieces = 8;

int64_t bytesOf(Type element) { return std::max(8u, element.getIntOrFloatBitWidth()) / 8; }

// Lanes of one dimension.
struct Span {
  int64_t at = 0, size = 0;
};

// Rows and columns of a product, terms of its sums.
struct Sizes {
  int64_t rows = 0, columns = 0, terms = 0;

  static Sizes of(tt::DotOp dot) {
    return {dot.getType().getDimSize(0), dot.getType().getDimSize(1),
            cast<RankedTensorType>(dot.getA().getType()).getDimSize(1)};
  }
};

// Parts of operands by load and place. Products in several loops share those of a load outside.
using LoadedParts = std::map<std::tuple<Operation*, int64_t, int64_t>, Value>;

class Cutter {
public:
  Cutter(tt::DotOp dot, Sizes pieces, Operation* at, LoadedParts& loaded)
      : dot(dot), whole(Sizes::of(dot)), pieces(pieces), builder(at), loc(dot.getLoc()), loaded(loaded) {}

  std::optional<Operand> a, b;  // those that are cut
  std::optional<Result> result; // if rows or columns are

  void run(const Sinking& sinking) {
    Value sum;
    if (pieces.rows != whole.rows && pieces.terms != whole.terms)
      loadBFirst();
    for (int64_t column = 0; column < whole.columns; column += pieces.columns)
      for (int64_t row = 0; row < whole.rows; row += pieces.rows) {
        sum = sumOf({row, pieces.rows}, {column, pieces.columns});
        if (result)
          store(sum, {row, pieces.rows}, {column, pieces.columns});
      }
    if (lastLoad)
      sinking.moveFlagsBehind(lastLoad);
    if (!result)
      dot.getD().replaceAllUsesWith(sum);
    erase();
  }

private:
  void loadBFirst() {
    Operation* wait = waitOfA();
    for (int64_t term = 0; term < whole.terms; term += pieces.terms)
      part(b, dot.getB(), {term, pieces.terms}, {0, whole.columns});
    Value first = part(a, dot.getA(), {0, pieces.rows}, {0, pieces.terms});
    while (auto trans = first.getDefiningOp<tt::TransOp>())
      first = trans.getSrc();
    if (wait && isReadOnly(b->load))
      wait->moveBefore(first.getDefiningOp());
  }

  // For A alone: nothing else is loaded or stored between.
  Operation* waitOfA() const {
    for (Operation* op = dl::LoadOp(a->load)->getPrevNode(); op; op = op->getPrevNode()) {
      auto wait = dyn_cast<npu::CrossWaitOp>(op);
      if (wait && wait.getUnit() == npu::Unit::MTE2)
        return wait;
      if (!wait && !isMemoryEffectFree(op))
        return nullptr;
    }
    return nullptr;
  }

  // Whether no core of the kernel writes what is loaded, so that no flag orders the load.
  static bool isReadOnly(dl::LoadOp load) {
    if (!load.getArg())
      return false;
    auto result = load->getParentOfType<ModuleOp>().walk([&](Operation* op) {
      bool writes =
          !isa<dl::LoadOp, npu::CrossSetOp, npu::CrossWaitOp>(op) && hasEffect<MemoryEffects::Write>(op);
      auto argument = op->getAttrOfType<IntegerAttr>("arg");
      bool elsewhere = !writes || (argument && argument.getInt() != int64_t(*load.getArg()));
      return elsewhere ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !result.wasInterrupted();
  }

  Value sumOf(Span rows, Span columns) {
    Value sum = result ? cutNumber(dot.getC(), rows, columns) : dot.getC();
    for (int64_t term = 0; term < whole.terms; term += pieces.terms) {
      IRMapping map;
      map.map(dot.getA(), part(a, dot.getA(), rows, {term, pieces.terms}));
      map.map(dot.getB(), part(b, dot.getB(), {term, pieces.terms}, columns));
      map.map(dot.getC(), sum);
      Operation* product = retyped(dot, map, rows, columns);
      product->setAttr(straightProduct, builder.getUnitAttr());
      sum = product->getResult(0);
    }
    return sum;
  }

  void store(Value sum, Span rows, Span columns) {
    IRMapping map;
    map.map(dot.getD(), sum);
    for (Operation* op : result->between) {
      for (Value operand : op->getOperands())
        if (!map.contains(operand))
          map.map(operand, cutNumber(operand, rows, columns));
      retyped(op, map, rows, columns);
    }
    dl::StoreOp store = result->store;
    auto made = cast<dl::StoreOp>(builder.clone(*store, map));
    builder.setInsertionPoint(made);
    auto type = cast<RankedTensorType>(store.getValue().getType());
    const std::array<Span, 2> spans{rows, columns};
    for (auto [d, span] : llvm::enumerate(spans)) {
      made.getBaseMutable().set(advanced(made.getBase(), store.getStrides()[d], span, type));
      made.getHiMutable()[d].set(bound(store.getHi()[d], type.getDimSize(d), span));
    }
    builder.setInsertionPointAfter(made);
  }

  static RankedTensorType cut(Type type, Span first, Span second) {
    return RankedTensorType::get({first.size, second.size}, cast<RankedTensorType>(type).getElementType());
  }
  Value constant(int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); }
  Value advanced(Value base, Value stride, Span span, RankedTensorType type) {
    return span.at == 0 ? base
                        : baseOfPart(builder, loc, base, constant(span.at), stride, type.getElementType());
  }
  // An upper bound, counted from the piece's beginning.
  Value bound(Value all, int64_t extent, Span span) {
    return boundOfPart(builder, loc, all, extent, constant(span.at), span.size);
  }

  // Of an operand, in the product's dimensions.
  Value part(const std::optional<Operand>& operand, Value all, Span first, Span second) {
    if (!operand)
      return all;
    Value& known = loaded[{dl::LoadOp(operand->load), first.at, second.at}];
    if (!known)
      known = load(*operand, first, second);
    return known;
  }

  Value load(const Operand& operand, Span first, Span second) {
    dl::LoadOp old = operand.load;
    OpBuilder::InsertionGuard guard(builder);
    if (old->getBlock() != dot->getBlock())
      builder.setInsertionPoint(old);
    std::array<Span, 2> spans{first, second};
    if (operand.dimensionOf[0] == 1)
      std::swap(spans[0], spans[1]);
    Value base = old.getBase();
    SmallVector<Value> hi;
    for (auto [d, span] : llvm::enumerate(spans)) {
      base = advanced(base, old.getStrides()[d], span, operand.type());
      hi.push_back(bound(old.getHi()[d], operand.type().getDimSize(d), span));
    }
    auto made = cast<dl::LoadOp>(builder.clone(*old));
    made.getBaseMutable().set(base);
    made.getHiMutable().assign(hi);
    made.getResult().setType(cut(operand.type(), spans[0], spans[1]));
    if (old->getBlock() == dot->getBlock())
      lastLoad = made;
    Value value = made.getResult();
    for (Operation* trans : llvm::reverse(operand.transposes)) {
      std::swap(spans[0], spans[1]);
      Operation* turned = builder.clone(*trans);
      turned->setOperand(0, value);
      turned->getResult(0).setType(cut(trans->getResult(0).getType(), spans[0], spans[1]));
      value = turned->getResult(0);
    }
    return value;
  }

  // The operation in fewer rows and columns; `map` has its result then.
  Operation* retyped(Operation* op, IRMapping& map, Span rows, Span columns) {
    Operation* made = builder.clone(*op, map);
    made->getResult(0).setType(cut(op->getResult(0).getType(), rows, columns));
    return made;
  }

  // One number everywhere, in fewer rows and columns.
  Value cutNumber(Value tensor, Span rows, Span columns) {
    RankedTensorType type = cut(tensor.getType(), rows, columns);
    if (auto splat = tensor.getDefiningOp<tt::SplatOp>())
      return builder.create<tt::SplatOp>(loc, type, splat.getSrc());
    DenseElementsAttr elements;
    matchPattern(tensor, m_Constant(&elements));
    return builder.create<arith::ConstantOp>(loc, elements.resizeSplat(type));
  }

  void erase() {
    if (result) {
      result->store.erase();
      for (Operation* op : llvm::reverse(result->between))
        op->erase();
    }
    dot.erase();
    for (const std::optional<Operand>& operand : {a, b}) {
      if (!operand)
        continue;
      for (Operation* trans : operand->transposes)
        trans->erase();
    }
  }

  tt::DotOp dot;
  Sizes whole, pieces;
  OpBuilder builder;
  Location loc;
  LoadedParts& loaded;
  Operation* lastLoad = nullptr;
};

class PiecesPass : public PassWrapper<PiecesPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PiecesPass)
  explicit PiecesPass(TargetMemory target) : target(std::move(target)) {}
  StringRef getArgument() const final { return "dl-pieces"; }
  StringRef getDescription() const final { return "Matrix products of large tiles piece by piece"; }
  void getDependentDialects(DialectRegistry& registry) const final {
    registry.insert<dl::DlDialect, arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) {
      if (dot.getType().getRank() == 2 && isZero(dot.getC()) && dot.getC().getDefiningOp())
        dots.push_back(dot);
    });
    LoadedParts loaded;
    for (tt::DotOp dot : dots)
      cut(dot, loaded);
    llvm::SetVector<Operation*> whole;
    for (auto& [part, value] : loaded)
      whole.insert(std::get<0>(part));
    for (Operation* load : whole)
      if (load->use_empty())
        load->erase();
  }

private:
  struct Choice {
    Sizes pieces;
    std::optional<Operand> a, b;
    std::optional<Result> result;
  };

  // Halves of an extent are as many as `pieces` already, one size and not too small.
  static bool mayHalve(int64_t extent, int64_t piece) {
    int64_t pieces = 2 * extent / piece;
    return pieces <= mostPieces && extent % (16 * pieces) == 0 && piece / 2 >= leastPiece;
  }

  // Rows and columns by halves, the longer side first, until two results fit; nothing if they never do.
  bool chooseSides(tt::DotOp dot, Choice& choice) const {
    Sizes whole = Sizes::of(dot), pieces = whole;
    bool rows = choice.result && choice.a && choice.a->mayCut(0) && choice.result->mayCut(0);
    bool columns = choice.result && choice.b && choice.b->mayCut(1) && choice.result->mayCut(1);
    auto fits = [&] {
      return 2 * int64_t(llvm::alignTo(pieces.rows, 16)) * pieces.columns * 4 <= target.l0c.bytes;
    };
    while (!fits()) {
      bool moreRows = rows && mayHalve(whole.rows, pieces.rows);
      bool moreColumns = columns && mayHalve(whole.columns, pieces.columns);
      if (moreRows && (!moreColumns || pieces.rows >= pieces.columns))
        pieces.rows /= 2;
      else if (moreColumns)
        pieces.columns /= 2;
      else
        return false;
    }
    choice.pieces = pieces;
    return true;
  }

  void chooseTerms(tt::DotOp dot, Choice& choice) const {
    Sizes whole = Sizes::of(dot);
    Sizes& pieces = choice.pieces;
    if (pieces.columns != whole.columns || !isa<scf::ForOp>(dot->getParentOp()) || !choice.a || !choice.b ||
        !choice.a->mayCut(1) || !choice.b->mayCut(0))
      return;
    int64_t bytes = pieces.rows * bytesOf(dot.getA().getType().getElementType()) +
                    pieces.columns * bytesOf(dot.getB().getType().getElementType()); // of a term
    while (4 * bytes * pieces.terms > target.l1.bytes) {
      if (!mayHalve(whole.terms, pieces.terms)) {
        pieces.terms = whole.terms;
        return;
      }
      pieces.terms /= 2;
    }
  }

  void cut(tt::DotOp dot, LoadedParts& loaded) const {
    Sizes whole = Sizes::of(dot);
    Choice choice{whole, Operand::of(dot, dot.getA()), Operand::of(dot, dot.getB()), Result::of(dot)};
    chooseSides(dot, choice);
    chooseTerms(dot, choice);
    Sizes pieces = choice.pieces;
    bool rows = pieces.rows != whole.rows, columns = pieces.columns != whole.columns,
         terms = pieces.terms != whole.terms;
    if (!rows && !columns && !terms)
      return;
    if (!rows && !terms)
      choice.a.reset();
    if (!columns && !terms)
      choice.b.reset();
    if (!rows && !columns)
      choice.result.reset();
    SmallVector<Operand> moved;
    for (const std::optional<Operand>& operand : {choice.a, choice.b})
      if (operand)
        moved.push_back(*operand);
    Operation* at = choice.result ? choice.result->store.getOperation() : dot.getOperation();
    Sinking sinking(moved, at);
    if (!sinking.possible)
      return;
    Cutter cutter(dot, pieces, at, loaded);
    cutter.a = choice.a;
    cutter.b = choice.b;
    cutter.result = choice.result;
    cutter.run(sinking);
  }

  TargetMemory target;
};

} // namespace

std::unique_ptr<Pass> createPiecesPass(TargetMemory target) {
  return std::make_unique<PiecesPass>(std::move(target));
}
void registerPiecesPass() {
  PassRegistration<PiecesPass>([] { return createPiecesPass(); });
}

} // namespace dlsim::codegen
