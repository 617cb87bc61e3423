// Pass dl-pieces. A product that starts from zero and whose operands are loaded for it alone becomes a loop:
//   - over columns of B and of the result, where two results do not fit L0C: while the fixpipe stores one
//     piece, the cube is at the next;
//   - over K, where two tiles of each operand fill more than half of L1: the next piece comes while the
//     cube is at this one.
// The loads, and the store of a result in columns, move into the loop. Flags of the workspace stay around it.
// Sums keep their order.
#include "codegen/passes/dot/Pieces.h"

#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/dot/Accumulator.h"
#include "codegen/passes/dot/Scale.h"
#include "codegen/support/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t leastPiece = 64; // columns, or terms of a sum: less is lost in the start of commands
constexpr int64_t mostPieces = 8;

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) / 8;
}

// An operand's load and the transposes behind it, each with no other user.
struct Operand {
  dl::LoadOp load;
  SmallVector<Operation*> transposes;
  unsigned dimension = 0; // of the load, that is cut

  // `dimension` is the dot's. Nothing if the load cannot be cut along it.
  static std::optional<Operand> of(Value value, unsigned dimension) {
    Operand found;
    found.dimension = dimension;
    while (auto trans = value.getDefiningOp<tt::TransOp>()) {
      if (!value.hasOneUse())
        return std::nullopt;
      found.transposes.push_back(trans);
      found.dimension = 1 - found.dimension;
      value = trans.getSrc();
    }
    found.load = value.getDefiningOp<dl::LoadOp>();
    if (!found.load || !value.hasOneUse() || !dl::cubeLoads(found.load) || found.load.getWrapDim() ||
        (found.load.getOther() && isa<RankedTensorType>(found.load.getOther().getType())) ||
        getConstantIntValue(found.load.getLo()[found.dimension]) != 0)
      return std::nullopt;
    return found;
  }
  RankedTensorType type() { return cast<RankedTensorType>(load.getType()); }
};

// What reads the product: a store, behind a scale and a cast that the fixpipe does too.
struct Result {
  SmallVector<Operation*> between;
  dl::StoreOp store;

  static std::optional<Result> of(tt::DotOp dot) {
    Result found;
    Value value = dot.getD();
    while (value.hasOneUse()) {
      Operation* user = *value.user_begin();
      if (user->getBlock() != dot->getBlock())
        return std::nullopt;
      found.store = dyn_cast<dl::StoreOp>(user);
      if (found.store)
        return dl::fixpipeStores(found.store) && getConstantIntValue(found.store.getLo()[1]) == 0
                   ? std::optional(found)
                   : std::nullopt;
      if (!isa<arith::TruncFOp, tt::FpToFpOp>(user) && !isScaled(user, value))
        return std::nullopt;
      found.between.push_back(user);
      value = user->getResult(0);
    }
    return std::nullopt;
  }
};

// Where loads may go down to: flags that free what they read have to follow.
class Sinking {
public:
  Sinking(ArrayRef<Operand> operands, Operation* to) : to(to) {
    for (const Operand& operand : operands) {
      dl::LoadOp load = operand.load;
      if (load->getBlock() != to->getBlock())
        possible = false;
      else
        follow(load);
    }
  }

  bool possible = true;

  void moveFlagsBehind(Operation* last) {
    for (Operation* set : flags) {
      set->moveAfter(last);
      last = set;
    }
  }

private:
  void follow(dl::LoadOp load) {
    for (Operation* op = load->getNextNode(); op && op != to && possible; op = op->getNextNode()) {
      auto store = dyn_cast<dl::StoreOp>(op);
      auto set = dyn_cast<npu::CrossSetOp>(op);
      auto wait = dyn_cast<npu::CrossWaitOp>(op);
      if (set && set.getUnit() == npu::Unit::MTE2)
        flags.insert(op);
      else if (store)
        possible &= store.getArg() && load.getArg() && store.getArg() != load.getArg();
      else if (wait) // never behind a flag that this one's writer may wait for
        possible &= wait.getUnit() != npu::Unit::MTE2 || flags.empty();
      else
        possible &= set || isMemoryEffectFree(op) || isa<dl::LoadOp, dl::LoadScalarOp>(op);
    }
  }

  Operation* to;
  llvm::SetVector<Operation*> flags;
};

class Cutter {
public:
  Cutter(tt::DotOp dot, int64_t size, Operation* at) : dot(dot), size(size), builder(at), loc(dot.getLoc()) {}

  void columns(Operand& b, Result& result, Sinking& sinking) {
    int64_t extent = dot.getType().getDimSize(1);
    for (at = 0; at < extent; at += size)
      column(b, result);
    sinking.moveFlagsBehind(lastLoad);
    result.store.erase();
    for (Operation* op : llvm::reverse(result.between))
      op->erase();
    erase({b});
  }

  void terms(Operand& a, Operand& b, Sinking& sinking) {
    int64_t extent = cast<RankedTensorType>(dot.getA().getType()).getDimSize(1);
    Value sum = dot.getC();
    for (at = 0; at < extent; at += size) {
      IRMapping map;
      map.map(dot.getA(), load(a));
      map.map(dot.getB(), load(b));
      map.map(dot.getC(), sum);
      Operation* product = builder.clone(*dot, map);
      product->setAttr(straightProduct, builder.getUnitAttr());
      sum = product->getResult(0);
    }
    sinking.moveFlagsBehind(lastLoad);
    dot.getD().replaceAllUsesWith(sum);
    erase({a, b});
  }

private:
  void column(Operand& b, Result& result) {
    IRMapping map;
    map.map(dot.getB(), load(b));
    map.map(dot.getC(), builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(cut(dot.getType(), 1))));
    Operation* product = retyped(dot, map);
    product->setAttr(straightProduct, builder.getUnitAttr());
    for (Operation* op : result.between) {
      for (Value operand : op->getOperands())
        if (!map.contains(operand))
          map.map(operand, cutNumber(operand));
      retyped(op, map);
    }
    dl::StoreOp store = result.store;
    auto made = cast<dl::StoreOp>(builder.clone(*store, map));
    builder.setInsertionPoint(made);
    auto type = cast<RankedTensorType>(store.getValue().getType());
    made.getBaseMutable().set(advanced(store.getBase(), store.getStrides()[1], type));
    made.getHiMutable()[1].set(bound(store.getHi()[1], dot.getType().getDimSize(1)));
    builder.setInsertionPointAfter(made);
  }

  Value constant(int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); }
  RankedTensorType cut(Type type, unsigned dimension) const {
    SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
    shape[dimension] = size;
    return RankedTensorType::get(shape, cast<RankedTensorType>(type).getElementType());
  }

  Value advanced(Value base, Value stride, RankedTensorType type) {
    return baseOfPart(builder, loc, base, constant(at), stride, type.getElementType());
  }

  // An upper bound, counted from the piece's beginning.
  Value bound(Value whole, int64_t extent) {
    return boundOfPart(builder, loc, whole, extent, constant(at), size);
  }

  Value load(Operand& operand) {
    dl::LoadOp old = operand.load;
    RankedTensorType type = operand.type();
    unsigned d = operand.dimension;
    auto made = cast<dl::LoadOp>(builder.clone(*old));
    builder.setInsertionPoint(made);
    made.getBaseMutable().set(advanced(old.getBase(), old.getStrides()[d], type));
    made.getHiMutable()[d].set(bound(old.getHi()[d], type.getDimSize(d)));
    made.getResult().setType(cut(type, d));
    lastLoad = made;
    builder.setInsertionPointAfter(made);
    Value value = made.getResult();
    for (Operation* trans : llvm::reverse(operand.transposes)) {
      d = 1 - d;
      Operation* turned = builder.clone(*trans);
      turned->setOperand(0, value);
      turned->getResult(0).setType(cut(trans->getResult(0).getType(), d));
      value = turned->getResult(0);
    }
    return value;
  }

  // The operation in fewer columns; `map` has its result then.
  Operation* retyped(Operation* op, IRMapping& map) {
    Operation* made = builder.clone(*op, map);
    made->getResult(0).setType(cut(op->getResult(0).getType(), 1));
    return made;
  }

  // One number everywhere, in fewer columns.
  Value cutNumber(Value tensor) {
    if (auto splat = tensor.getDefiningOp<tt::SplatOp>())
      return builder.create<tt::SplatOp>(loc, cut(tensor.getType(), 1), splat.getSrc());
    DenseElementsAttr elements;
    matchPattern(tensor, m_Constant(&elements));
    return builder.create<arith::ConstantOp>(loc, elements.resizeSplat(cut(tensor.getType(), 1)));
  }

  void erase(ArrayRef<Operand> operands) {
    dot.erase();
    for (const Operand& operand : operands) {
      for (Operation* trans : operand.transposes)
        trans->erase();
      dl::LoadOp(operand.load).erase();
    }
  }

  tt::DotOp dot;
  int64_t size, at = 0; // of a piece; where it begins
  OpBuilder builder;
  Location loc;
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
    for (tt::DotOp dot : dots)
      if (!cutColumns(dot))
        cutTerms(dot);
  }

private:
  // Halves until `fits`; the whole if pieces would be too many, too small or uneven.
  static int64_t pieceOf(int64_t extent, llvm::function_ref<bool(int64_t)> fits) {
    for (int64_t pieces = 1; pieces <= mostPieces; pieces *= 2)
      if (int64_t piece = extent / pieces; fits(piece))
        return extent % (16 * pieces) == 0 && piece >= leastPiece ? piece : extent;
    return extent;
  }

  bool cutColumns(tt::DotOp dot) const {
    int64_t rows = int64_t(llvm::alignTo(dot.getType().getDimSize(0), 16)),
            columns = dot.getType().getDimSize(1);
    int64_t piece = pieceOf(columns, [&](int64_t n) { return 2 * rows * n * 4 <= target.l0c.bytes; });
    if (piece == columns)
      return false;
    std::optional<Operand> b = Operand::of(dot.getB(), 1);
    std::optional<Result> result = Result::of(dot);
    if (!b || !result)
      return false;
    Sinking sinking({*b}, result->store);
    if (!sinking.possible)
      return false;
    Cutter(dot, piece, result->store).columns(*b, *result, sinking);
    return true;
  }

  void cutTerms(tt::DotOp dot) const {
    auto typeA = cast<RankedTensorType>(dot.getA().getType()),
         typeB = cast<RankedTensorType>(dot.getB().getType());
    int64_t extent = typeA.getDimSize(1), bytes = (bytesOf(typeA) + bytesOf(typeB)) / extent; // of a term
    int64_t piece = pieceOf(extent, [&](int64_t k) { return 4 * bytes * k <= target.l1.bytes; });
    if (piece == extent || !isa<scf::ForOp>(dot->getParentOp()))
      return;
    std::optional<Operand> a = Operand::of(dot.getA(), 1), b = Operand::of(dot.getB(), 0);
    if (!a || !b)
      return;
    Sinking sinking({*a, *b}, dot);
    if (sinking.possible)
      Cutter(dot, piece, dot).terms(*a, *b, sinking);
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
