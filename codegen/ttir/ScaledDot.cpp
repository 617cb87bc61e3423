// Pass that writes tt.dot_scaled out: the operands times their scales, in bf16 (in f16 if one of them is
// f16), as Triton does where the matrix unit has no scales. Elements of 4 bits are unpacked, scales of 8 bits
// are powers of two (255: not a number) or f8E4M3FN.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/support/SourceLine.h"
#include "codegen/ttir/Ttir.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace dlsim::ttir {
namespace {

using Kind = tt::ScaleDotElemType;

struct Operand {
  Value value, scale;
  Kind kind;
  bool isLhs, packedAlongK;
};

// Everything happens with rows along K: the right operand is turned before and after.
class Builder {
public:
  Builder(tt::DotScaledOp op, FloatType compute) : op(op), b(op), loc(op.getLoc()), compute(compute) {}

  FailureOr<Value> scaled(const Operand& operand) {
    bool isPacked = operand.kind == Kind::E2M1;
    if (operand.kind == Kind::E2M3 || operand.kind == Kind::E3M2)
      return fail("elements of 6 bits");
    if (isPacked && !operand.packedAlongK)
      return fail("elements of 4 bits that are packed along another dimension than K");
    if (cast<RankedTensorType>(operand.value.getType()).getRank() != 2)
      return fail("operands of " + Twine(cast<RankedTensorType>(operand.value.getType()).getRank()) +
                  " dimensions");
    if (!isPacked && !operand.scale)
      return number(operand.value);
    Value rows = turned(operand, operand.value);
    rows = isPacked ? unpacked(rows) : number(rows);
    if (operand.scale) {
      auto factors = scales(operand.scale, rows);
      if (failed(factors))
        return failure();
      rows = b.create<arith::MulFOp>(loc, rows, *factors);
    }
    return turned(operand, rows);
  }

private:
  LogicalResult fail(const Twine& what) {
    return errorAt(op)
           << "tt.dot_scaled with " << what
           << ": f16, bf16, f8 and packed f4 (e2m1, along K) are supported in two dimensions, with a "
           << "scale for each group of elements along K; multiply by the scales before tl.dot";
  }

  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  Value constant(RankedTensorType type, Attribute value) {
    return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, value));
  }
  Value constant(RankedTensorType type, int64_t value) {
    return constant(type, b.getIntegerAttr(type.getElementType(), value));
  }
  template <class Op> Value with(Value x, int64_t value) {
    return b.create<Op>(loc, x, constant(typeOf(x), value));
  }
  Value turned(const Operand& operand, Value value) {
    if (operand.isLhs)
      return value;
    auto type = typeOf(value);
    auto result = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
    return b.create<tt::TransOp>(loc, result, value, b.getDenseI32ArrayAttr({1, 0}));
  }
  Value bits(Value value, Type element) {
    return b.create<tt::BitcastOp>(loc, typeOf(value).clone(element), value);
  }

  // The elements as numbers of the compute type.
  Value number(Value value) {
    Type from = typeOf(value).getElementType();
    RankedTensorType to = typeOf(value).clone(compute);
    if (from == compute)
      return value;
    if (from.getIntOrFloatBitWidth() == 8)
      return b.create<tt::FpToFpOp>(loc, to, value, tt::RoundingModeAttr());
    Value wide = b.create<arith::ExtFOp>(loc, typeOf(value).clone(b.getF32Type()), value);
    return b.create<arith::TruncFOp>(loc, to, wide);
  }

  // Two elements a byte, the first one in the low half.
  Value unpacked(Value bytes) {
    Value wide = b.create<arith::ExtUIOp>(loc, typeOf(bytes).clone(b.getI16Type()), bytes);
    auto decode = [&](Value half) {
      Value sign = with<arith::ShLIOp>(with<arith::AndIOp>(half, 8), 12);
      Value rest = with<arith::ShLIOp>(with<arith::AndIOp>(half, 7), 9);
      Value small = bits(b.create<arith::OrIOp>(loc, sign, rest), b.getF16Type());
      Value biases = constant(typeOf(small), b.getF16FloatAttr(16384.0f)); // 2 to their difference
      return Value(b.create<arith::MulFOp>(loc, small, biases));
    };
    Value low = decode(with<arith::AndIOp>(wide, 15)), high = decode(with<arith::ShRUIOp>(wide, 4));
    SmallVector<int64_t> shape(typeOf(bytes).getShape());
    auto pairs = RankedTensorType::get({shape[0], shape[1], 2}, b.getF16Type());
    Value joined = b.create<tt::JoinOp>(loc, pairs, low, high);
    auto rows = RankedTensorType::get({shape[0], shape[1] * 2}, b.getF16Type());
    return number(b.create<tt::ReshapeOp>(loc, rows, joined, false, false));
  }

  // A factor for each element of `rows`.
  FailureOr<Value> scales(Value groups, Value rows) {
    RankedTensorType type = typeOf(groups), all = typeOf(rows);
    if (type.getRank() != 2 || type.getDimSize(0) != all.getDimSize(0) ||
        all.getDimSize(1) % type.getDimSize(1) != 0)
      return fail(Twine("scales whose rows do not divide K"));
    Value factors = type.getElementType().isInteger(8) ? powers(groups) : number(groups);
    int64_t group = all.getDimSize(1) / type.getDimSize(1);
    auto one = RankedTensorType::get({type.getDimSize(0), type.getDimSize(1), 1}, compute);
    auto many = RankedTensorType::get({type.getDimSize(0), type.getDimSize(1), group}, compute);
    Value each = b.create<tt::ExpandDimsOp>(loc, one, factors, b.getI32IntegerAttr(2));
    each = b.create<tt::BroadcastOp>(loc, many, each);
    return Value(b.create<tt::ReshapeOp>(loc, all, each, false, false));
  }

  // 2^(exponent - 127)
  Value powers(Value exponents) {
    Value wide = b.create<arith::ExtUIOp>(loc, typeOf(exponents).clone(b.getI32Type()), exponents);
    Value power = bits(with<arith::ShLIOp>(wide, 23), b.getF32Type());
    if (!op.getFastMath()) {
      Value nan = constant(typeOf(power), b.getF32FloatAttr(std::numeric_limits<float>::quiet_NaN()));
      Value isNan = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, wide, constant(typeOf(wide), 255));
      power = b.create<arith::SelectOp>(loc, isNan, nan, power);
    }
    return b.create<arith::TruncFOp>(loc, typeOf(power).clone(compute), power);
  }

  tt::DotScaledOp op;
  OpBuilder b;
  Location loc;
  FloatType compute;
};

struct ScaledDotPass : PassWrapper<ScaledDotPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScaledDotPass)
  StringRef getArgument() const final { return "ttir-scaled-dot"; }
  StringRef getDescription() const final { return "products with scales to products of bf16 or f16"; }

  void runOnOperation() final {
    SmallVector<tt::DotScaledOp> products;
    getOperation().walk([&](tt::DotScaledOp op) { products.push_back(op); });
    for (tt::DotScaledOp op : products)
      if (failed(rewrite(op)))
        return signalPassFailure();
  }

private:
  static LogicalResult rewrite(tt::DotScaledOp op) {
    OpBuilder b(op);
    bool isHalf = op.getAElemType() == Kind::FP16 || op.getBElemType() == Kind::FP16;
    Builder build(op, isHalf ? b.getF16Type() : b.getBF16Type());
    auto lhs = build.scaled({op.getA(), op.getAScale(), op.getAElemType(), true, op.getLhsKPack()});
    if (failed(lhs))
      return failure();
    auto rhs = build.scaled({op.getB(), op.getBScale(), op.getBElemType(), false, op.getRhsKPack()});
    if (failed(rhs))
      return failure();
    Value product =
        b.create<tt::DotOp>(op.getLoc(), op.getType(), *lhs, *rhs, op.getC(), tt::InputPrecision::IEEE, 0);
    op.getResult().replaceAllUsesWith(product);
    op.erase();
    return success();
  }
};
} // namespace

std::unique_ptr<Pass> createScaledDotPass() { return std::make_unique<ScaledDotPass>(); }
} // namespace dlsim::ttir
