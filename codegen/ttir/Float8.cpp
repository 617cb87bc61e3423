// Pass that turns floats of eight bits into their bits: no unit computes with them. Casts become integer
// arithmetic, exact and rounded to nearest even as a GPU does them (values beyond the largest become the
// largest); products get operands in f16, which holds every value of both formats.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/support/SourceLine.h"
#include "codegen/ttir/Ttir.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace dlsim::ttir {
namespace {

bool isFloat8(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isFloat8E4M3FN() || element.isFloat8E5M2();
}

// The format's numbers, for arithmetic on the bits of f32.
struct Format {
  unsigned mantissa;
  int32_t bias, largest, leastNormal; // the last two as bits of f32
  float step;                         // whose last place in f32 is the least subnormal

  static Format of(Type type) {
    return getElementTypeOrSelf(type).isFloat8E5M2() ? Format{2, 15, 0x47600000, 0x38800000, 128.0f}
                                                     : Format{3, 7, 0x43e00000, 0x3c800000, 16384.0f};
  }
};

// Builds operations on scalars or tensors of one shape.
class Builder {
public:
  Builder(Operation* at, Type like) : b(at), loc(at->getLoc()), like(like) {}

  Type type(Type element) const {
    auto tensor = dyn_cast<RankedTensorType>(like);
    return tensor ? Type(tensor.clone(element)) : element;
  }
  Value constant(TypedAttr value) {
    auto tensor = dyn_cast<RankedTensorType>(like);
    return b.create<arith::ConstantOp>(
        loc,
        tensor ? TypedAttr(DenseElementsAttr::get(tensor.clone(value.getType()), Attribute(value))) : value);
  }
  Value integer(Value as, int64_t value) {
    return constant(b.getIntegerAttr(getElementTypeOrSelf(as.getType()), value));
  }
  template <class Op> Value with(Value x, int64_t value) { return b.create<Op>(loc, x, integer(x, value)); }
  Value bitcast(Value x, Type element) { return b.create<tt::BitcastOp>(loc, type(element), x); }
  Value compare(arith::CmpIPredicate predicate, Value x, int64_t value) {
    return b.create<arith::CmpIOp>(loc, predicate, x, integer(x, value));
  }
  Value choose(Value condition, Value yes, Value no) {
    return b.create<arith::SelectOp>(loc, condition, yes, no);
  }

  // f16 of the bits of a float of eight.
  Value decode(Value bits, Type format) {
    Value wide = b.create<arith::ExtUIOp>(loc, type(b.getI16Type()), bits);
    if (getElementTypeOrSelf(format).isFloat8E5M2())
      return bitcast(with<arith::ShLIOp>(wide, 8), b.getF16Type());
    Value sign = with<arith::ShLIOp>(with<arith::AndIOp>(wide, 0x80), 8);
    Value rest = with<arith::AndIOp>(wide, 0x7f);
    Value small = bitcast(b.create<arith::OrIOp>(loc, sign, with<arith::ShLIOp>(rest, 7)), b.getF16Type());
    Value value =
        b.create<arith::MulFOp>(loc, small, constant(b.getF16FloatAttr(256.0f))); // the biases' difference
    Value nan = constant(b.getFloatAttr(b.getF16Type(), APFloat::getNaN(APFloat::IEEEhalf())));
    return choose(compare(arith::CmpIPredicate::eq, rest, 0x7f), nan, value);
  }

  Value encode(Value value, Type target) {
    const Format format = Format::of(target);
    const unsigned dropped = 23 - format.mantissa;
    if (!getElementTypeOrSelf(value.getType()).isF32())
      value = b.create<arith::ExtFOp>(loc, type(b.getF32Type()), value);
    Value bits = bitcast(value, b.getI32Type());
    Value sign = with<arith::AndIOp>(with<arith::ShRUIOp>(bits, 24), 0x80);
    Value magnitude = with<arith::AndIOp>(bits, 0x7fffffff);
    Value nan = compare(arith::CmpIPredicate::sgt, magnitude, 0x7f800000);
    Value least = with<arith::MinSIOp>(magnitude, format.largest);
    Value odd = with<arith::AndIOp>(with<arith::ShRUIOp>(least, dropped), 1);
    Value rounded = b.create<arith::AddIOp>(loc, with<arith::AddIOp>(least, (1 << (dropped - 1)) - 1), odd);
    Value normal =
        with<arith::SubIOp>(with<arith::ShRUIOp>(rounded, dropped), (127 - format.bias) << format.mantissa);
    Value step = constant(b.getF32FloatAttr(format.step));
    Value shifted =
        b.create<arith::AddFOp>(loc, bitcast(least, b.getF32Type()), step); // rounds to the last place
    Value subnormal =
        b.create<arith::SubIOp>(loc, bitcast(shifted, b.getI32Type()), bitcast(step, b.getI32Type()));
    Value code = choose(compare(arith::CmpIPredicate::slt, least, format.leastNormal), subnormal, normal);
    code = choose(nan, integer(code, 0x7f), code);
    return b.create<arith::TruncIOp>(loc, type(b.getI8Type()), b.create<arith::OrIOp>(loc, code, sign));
  }

  // A float of more bits from f16.
  Value widen(Value half, Type to) {
    Type element = getElementTypeOrSelf(to);
    if (element.isF16())
      return half;
    Value single = b.create<arith::ExtFOp>(loc, type(b.getF32Type()), half);
    return element.isF32() ? single : Value(b.create<arith::TruncFOp>(loc, to, single));
  }

private:
  OpBuilder b;
  Location loc;
  Type like;
};

struct Float8Pass : PassWrapper<Float8Pass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Float8Pass)
  StringRef getArgument() const final { return "ttir-float8"; }
  StringRef getDescription() const final { return "floats of eight bits as their bits"; }

  void runOnOperation() final {
    SmallVector<std::pair<tt::FpToFpOp, std::pair<Type, Type>>> casts;
    SmallVector<std::pair<tt::DotOp, std::pair<Type, Type>>> dots;
    WalkResult result = getOperation().walk([&](Operation* op) {
      if (auto cast = dyn_cast<tt::FpToFpOp>(op)) {
        Type from = cast.getSrc().getType(), to = cast.getResult().getType();
        if (isFloat8(to) && cast.getRounding().value_or(tt::RoundingMode::RTNE) != tt::RoundingMode::RTNE)
          return fail(op, "rounds another way than to nearest even");
        if (isFloat8(from) || isFloat8(to))
          casts.push_back({cast, {from, to}});
      } else if (auto dot = dyn_cast<tt::DotOp>(op)) {
        if (isFloat8(dot.getA().getType()) || isFloat8(dot.getB().getType()))
          dots.push_back({dot, {dot.getA().getType(), dot.getB().getType()}});
      } else if (computes(op)) {
        return fail(op, "computes with them");
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    retype();
    for (auto& [op, types] : casts)
      rewrite(op, types.first, types.second);
    for (auto& [op, types] : dots) {
      widen(op, op.getAMutable(), types.first);
      widen(op, op.getBMutable(), types.second);
    }
    getOperation().walk([](tt::BitcastOp op) {
      if (op.getSrc().getType() != op.getType())
        return;
      op.getResult().replaceAllUsesWith(op.getSrc());
      op.erase();
    });
  }

private:
  static WalkResult fail(Operation* op, const char* what) {
    errorAt(op) << op->getName() << " " << what
                << ": floats of 8 bits can be loaded, stored, moved, cast to and from f16, "
                << "bf16 and f32 (rounded to nearest even), and multiplied by tl.dot; cast to f32 before";
    return WalkResult::interrupt();
  }

  // Whether `op` takes numbers of eight bits for more than bits.
  static bool computes(Operation* op) {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
      return false;
    return llvm::any_of(op->getOperandTypes(), isFloat8) || llvm::any_of(op->getResultTypes(), isFloat8);
  }

  void retype() {
    Type byte = IntegerType::get(&getContext(), 8);
    getOperation().walk([&](arith::ConstantOp op) {
      if (!isFloat8(op.getType()))
        return;
      if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
        op.setValueAttr(cast<TypedAttr>(Attribute(dense.bitcast(byte))));
      else
        op.setValueAttr(IntegerAttr::get(byte, cast<FloatAttr>(op.getValue()).getValue().bitcastToAPInt()));
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FloatType type) { return isFloat8(type) ? byte : Type(type); });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  static void rewrite(tt::FpToFpOp op, Type from, Type to) {
    Builder build(op, op.getResult().getType());
    Value value = op.getSrc();
    if (isFloat8(from))
      value = build.decode(value, from);
    value = isFloat8(to) ? build.encode(value, to) : build.widen(value, to);
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }

  static void widen(tt::DotOp op, OpOperand& operand, Type from) {
    if (isFloat8(from))
      operand.set(Builder(op, operand.get().getType()).decode(operand.get(), from));
  }
};
} // namespace

std::unique_ptr<Pass> createFloat8Pass() { return std::make_unique<Float8Pass>(); }
} // namespace dlsim::ttir
