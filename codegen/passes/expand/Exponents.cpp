// exp2 of what is linear in scaled scores: the vector unit has e^x only, and exp2(y) = e^(y ln 2) would cost
// a pass over the tile. Where y comes from products with a scalar through differences and maxima only
// (attention: scores times a scale, less their running maximum), the factor goes into the scalar, and all
// that lies between is counted in units of 1 / ln 2.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/support/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr double ln2 = 0.693147180559945309417;

int64_t sizeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getNumElements() : 0; // scalars cost nothing next to tiles
}

bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

// A reduction that commutes with a positive factor.
bool isLinearReduce(Operation* op) {
  auto reduce = dyn_cast<tt::ReduceOp>(op);
  return reduce && isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp, arith::MinimumFOp,
                                   arith::AddFOp>(combineOf(reduce));
}

bool isLinear(Operation* op) {
  return isa<arith::SubFOp, arith::AddFOp, arith::NegFOp, arith::MaxNumFOp, arith::MaximumFOp,
             arith::MinNumFOp, arith::MinimumFOp, tt::BroadcastOp, tt::ExpandDimsOp>(op) ||
         isLinearReduce(op);
}

// One number everywhere.
bool isRepeated(Value value) {
  return matchPattern(value, m_Constant()) || isa_and_nonnull<tt::SplatOp>(value.getDefiningOp());
}

// The factor of a product with one number everywhere, or null.
OpOperand* factorOf(Operation* op) {
  if (!isa_and_nonnull<arith::MulFOp>(op))
    return nullptr;
  for (OpOperand& operand : op->getOpOperands())
    if (isRepeated(operand.get()))
      return &operand;
  return nullptr;
}

// All values that must be scaled along with the argument of one exp2.
class Exponents {
public:
  explicit Exponents(math::Exp2Op op) { add(op.getOperand()); }

  // False if one of them is wanted as it is, or nothing is gained.
  bool close() {
    for (size_t next = 0; next < values.size(); ++next) { // grows while it runs
      Value value = values[next];
      if (!isF32(value))
        return false;
      follow(value);
      if (isRepeated(value)) // each use can have its own
        continue;
      for (OpOperand& use : value.getUses())
        if (!follow(use))
          return false;
    }
    return saved > spent;
  }

  void scale() {
    for (Value leaf : leaves)
      scaleLeaf(leaf);
    for (math::Exp2Op op : ends) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(builder.create<math::ExpOp>(op.getLoc(), op.getOperand()).getResult());
      op.erase();
    }
  }

  llvm::SetVector<math::Exp2Op> ends;

private:
  void add(Value value) { values.insert(value); }

  void carry(scf::ForOp loop, unsigned i) {
    add(loop.getInitArgs()[i]);
    add(loop.getRegionIterArg(i));
    add(loop.getYieldedValues()[i]);
    add(loop.getResult(i));
  }

  // To what a value is made from.
  void follow(Value value) {
    Operation* op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument.getArgNumber() > 0)
        return carry(loop, argument.getArgNumber() - 1);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      return carry(loop, cast<OpResult>(value).getResultNumber());
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      add(select.getTrueValue());
      return add(select.getFalseValue());
    } else if (isLinear(op)) {
      for (Value operand : op->getOperands())
        add(operand);
      return;
    }
    leaves.push_back(value);
    if (!factorOf(op) && !isRepeated(value))
      spent += sizeOf(value);
  }

  // To what is made from it; false if that is not scaled along.
  bool follow(OpOperand& use) {
    Operation* user = use.getOwner();
    if (auto end = dyn_cast<math::Exp2Op>(user)) {
      if (ends.insert(end))
        saved += sizeOf(end.getOperand());
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (use.getOperandNumber() < loop.getNumControlOperands())
        return false;
      carry(loop, use.getOperandNumber() - loop.getNumControlOperands());
      return true;
    }
    if (isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp())) {
      carry(cast<scf::ForOp>(user->getParentOp()), use.getOperandNumber());
      return true;
    }
    if (auto select = dyn_cast<arith::SelectOp>(user); select && use.getOperandNumber() > 0) {
      add(select.getResult());
      return true;
    }
    if (!isLinear(user))
      return false;
    add(user->getResult(0));
    return true;
  }

  void scaleLeaf(Value leaf) {
    OpBuilder builder(leaf.getContext());
    builder.setInsertionPointAfterValue(leaf);
    Location loc = leaf.getLoc();
    Value scaled;
    if (OpOperand* factor = factorOf(leaf.getDefiningOp())) {
      Operation* product = leaf.getDefiningOp();
      unsigned other = 1 - factor->getOperandNumber();
      scaled =
          builder.create<arith::MulFOp>(loc, product->getOperand(other), times(builder, loc, factor->get()));
    } else {
      scaled = times(builder, loc, leaf);
    }
    leaf.replaceUsesWithIf(scaled, [&](OpOperand& use) {
      Operation* user = use.getOwner();
      bool within =
          isa<math::Exp2Op, scf::ForOp, scf::YieldOp>(user) || isLinear(user) || isa<arith::SelectOp>(user);
      bool leads = llvm::any_of(user->getResults(), [&](Value result) { return values.contains(result); }) ||
                   isa<math::Exp2Op, scf::YieldOp>(user);
      return within && leads && user != scaled.getDefiningOp() && carriesExponent(use);
    });
  }

  // Of loops and their ends, only the carried values that are scaled.
  bool carriesExponent(OpOperand& use) const {
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
      return use.getOperandNumber() >= loop.getNumControlOperands() &&
             values.contains(loop.getResult(use.getOperandNumber() - loop.getNumControlOperands()));
    if (isa<scf::YieldOp>(use.getOwner()))
      return values.contains(use.getOwner()->getParentOp()->getResult(use.getOperandNumber()));
    if (auto end = dyn_cast<math::Exp2Op>(use.getOwner()))
      return ends.contains(end);
    return true;
  }

  static Value times(OpBuilder& builder, Location loc, Value value) {
    FloatAttr number;
    DenseElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
      auto type = cast<RankedTensorType>(value.getType());
      double old = elements.getSplatValue<APFloat>().convertToDouble();
      auto scaled = builder.getF32FloatAttr(float(old * ln2));
      return builder.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, Attribute(scaled)));
    }
    if (auto splat = value.getDefiningOp<tt::SplatOp>())
      return builder.create<tt::SplatOp>(loc, value.getType(), times(builder, loc, splat.getSrc()));
    Attribute factor = builder.getF32FloatAttr(float(ln2));
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      factor = DenseElementsAttr::get(tensor, factor);
    return builder.create<arith::MulFOp>(loc, value,
                                         builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(factor)));
  }

  llvm::SetVector<Value> values;
  SmallVector<Value> leaves;
  int64_t saved = 0, spent = 0; // elements of tiles that are multiplied less, or more
};

} // namespace

void scaleExponents(Operation* root) {
  SmallVector<math::Exp2Op> open;
  root->walk([&](math::Exp2Op op) { open.push_back(op); });
  llvm::DenseSet<Operation*> done; // erased by now: compared, not looked at
  for (math::Exp2Op op : open) {
    if (done.contains(op))
      continue;
    Exponents exponents(op);
    if (!exponents.close())
      continue;
    for (math::Exp2Op end : exponents.ends)
      done.insert(end);
    exponents.scale();
  }
}

} // namespace dlsim::codegen
