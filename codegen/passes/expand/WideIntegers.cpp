// Tensors of i64, which the vector unit does not compute with, as pairs of i32: dl.half takes them apart,
// dl.wide puts them together again. Small tensors stay as they are: element by element they are done before
// the vector unit has begun.
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/expand/Expand.h"
#include "codegen/passes/expand/Expression.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

using I = arith::CmpIPredicate;
constexpr int64_t fewElements = 32;
constexpr int64_t halfBits = 32;

bool isWide(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isInteger(64) && tensor.getNumElements() >= fewElements;
}

struct Pair {
  Expr low, high;
};

Expr half(Expr x, bool high) {
  return x.with(x.builder->create<dl::HalfOp>(x.loc, x.shaped(x.builder->getI32Type()), x.value, high));
}
Pair halves(Expr x) { return {half(x, false), half(x, true)}; }
Expr wide(Pair x) {
  Type i64 = x.low.shaped(x.low.builder->getI64Type());
  return x.low.with(x.low.builder->create<dl::WideOp>(x.low.loc, i64, x.low.value, x.high.value));
}
Expr signOf(Expr low) { return shiftRightSigned(low, halfBits - 1); }

// The i32 whose sign extension `x` is, if that is known.
std::optional<Expr> narrow(Expr x) {
  if (auto extension = x.value.getDefiningOp<arith::ExtSIOp>()) {
    Expr from = x.with(extension.getIn());
    if (from.element().isInteger(1))
      return std::nullopt;
    return from.element().isInteger(32) ? from : from.to<arith::ExtSIOp>(x.builder->getI32Type());
  }
  APInt number;
  if (matchPattern(x.value, m_ConstantInt(&number)) && number.isSignedIntN(halfBits))
    return half(x, false);
  return std::nullopt;
}

Expr compareHalves(I predicate, Pair a, Pair b) {
  if (predicate == I::eq)
    return compare(I::eq, a.low, b.low) & compare(I::eq, a.high, b.high);
  if (predicate == I::ne)
    return compare(I::ne, a.low, b.low) | compare(I::ne, a.high, b.high);
  static const std::map<I, std::pair<I, I>> parts{// of the high halves if they differ, of the low ones if not
                                                  {I::slt, {I::slt, I::ult}}, {I::sle, {I::slt, I::ule}},
                                                  {I::sgt, {I::sgt, I::ugt}}, {I::sge, {I::sgt, I::uge}},
                                                  {I::ult, {I::ult, I::ult}}, {I::ule, {I::ult, I::ule}},
                                                  {I::ugt, {I::ugt, I::ugt}}, {I::uge, {I::ugt, I::uge}}};
  auto [outer, inner] = parts.at(predicate);
  return compare(outer, a.high, b.high) | (compare(I::eq, a.high, b.high) & compare(inner, a.low, b.low));
}

Pair sum(Pair a, Pair b) {
  Expr low = a.low + b.low, carry = compare(I::ult, low, a.low);
  Expr high = a.high + b.high;
  return {low, select(carry, high + 1, high)};
}

Pair difference(Pair a, Pair b) {
  Expr borrow = compare(I::ult, a.low, b.low), high = a.high - b.high;
  return {a.low - b.low, select(borrow, high - 1, high)};
}

Pair product(Pair a, Pair b) {
  Expr carried = a.low.with(
      a.low.builder->create<tt::MulhiUIOp>(a.low.loc, a.low.value.getType(), a.low.value, b.low.value));
  return {a.low * b.low, carried + a.low * b.high + a.high * b.low};
}

Pair shifted(Operation* op, Pair x, int64_t by) {
  bool left = isa<arith::ShLIOp>(op), arithmetic = isa<arith::ShRSIOp>(op);
  Expr zero = x.low.constant(0), beyond = arithmetic ? signOf(x.high) : zero;
  auto right = [&](Expr e, int64_t n) { return arithmetic ? shiftRightSigned(e, n) : shiftRight(e, n); };
  if (by == 0)
    return x;
  if (by >= halfBits) {
    int64_t rest = by - halfBits;
    if (left)
      return {zero, rest ? shiftLeft(x.low, rest) : x.low};
    return {rest ? right(x.high, rest) : x.high, beyond};
  }
  if (left)
    return {shiftLeft(x.low, by), shiftLeft(x.high, by) | shiftRight(x.low, halfBits - by)};
  return {shiftRight(x.low, by) | shiftLeft(x.high, halfBits - by), right(x.high, by)};
}

template <class Op> Pair eachHalf(Expr a, Expr b) {
  return {half(a, false).apply<Op>(half(b, false).value), half(a, true).apply<Op>(half(b, true).value)};
}

// Of two operands; of values that fit into 32 bits where the result does.
std::optional<Expr> ofTwo(Operation* op, Expr a, Expr b) {
  using Result = std::optional<Expr>;
  auto ordered = [&](I predicate) { return select(compare(predicate, a, b), a, b); };
  APInt by;
  bool shifts = matchPattern(b.value, m_ConstantInt(&by)) && by.ult(2 * halfBits);
  return llvm::TypeSwitch<Operation*, Result>(op)
      .Case([&](arith::AddIOp) { return wide(sum(halves(a), halves(b))); })
      .Case([&](arith::SubIOp) { return wide(difference(halves(a), halves(b))); })
      .Case([&](arith::MulIOp) { return wide(product(halves(a), halves(b))); })
      .Case([&](arith::AndIOp) { return wide(eachHalf<arith::AndIOp>(a, b)); })
      .Case([&](arith::OrIOp) { return wide(eachHalf<arith::OrIOp>(a, b)); })
      .Case([&](arith::XOrIOp) { return wide(eachHalf<arith::XOrIOp>(a, b)); })
      .Case([&](arith::MaxSIOp) { return ordered(I::sgt); })
      .Case([&](arith::MinSIOp) { return ordered(I::slt); })
      .Case([&](arith::MaxUIOp) { return ordered(I::ugt); })
      .Case([&](arith::MinUIOp) { return ordered(I::ult); })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>([&](Operation* o) {
        return shifts ? Result(wide(shifted(o, halves(a), int64_t(by.getZExtValue())))) : Result();
      })
      .Default([](Operation*) { return Result(); });
}

std::optional<Expr> compared(arith::CmpIOp op, Expr a, Expr b) {
  auto x = narrow(a), y = narrow(b);
  return x && y ? compare(op.getPredicate(), *x, *y) : compareHalves(op.getPredicate(), halves(a), halves(b));
}

Expr selected(arith::SelectOp op, Expr condition) {
  Expr a = condition.with(op.getTrueValue()), b = condition.with(op.getFalseValue());
  auto x = narrow(a), y = narrow(b);
  if (x && y)
    return select(condition, *x, *y).to<arith::ExtSIOp>(a.element());
  return wide(
      {select(condition, half(a, false), half(b, false)), select(condition, half(a, true), half(b, true))});
}

std::optional<Expr> extended(Operation* op, Expr x) {
  Type i32 = x.builder->getI32Type(), i64 = x.builder->getI64Type();
  if (isa<arith::ExtUIOp>(op)) {
    if (x.element().isInteger(1))
      return x.to<arith::ExtUIOp>(i32).to<arith::ExtSIOp>(i64);
    Expr low = x.element() == i32 ? x : x.to<arith::ExtUIOp>(i32);
    return wide({low, low.constant(0)});
  }
  if (x.element().isInteger(1)) {
    Expr one = x.to<arith::ExtUIOp>(i32);
    return (one.constant(0) - one).to<arith::ExtSIOp>(i64);
  }
  return std::nullopt;
}

Expr truncated(Expr x, Type to) {
  Expr low = half(x, false);
  return to.isInteger(32) ? low : low.to<arith::TruncIOp>(to);
}

Value constantHalf(Expr x, DenseElementsAttr numbers, bool high) {
  auto part = [high](const APInt& number) { return number.lshr(high ? halfBits : 0).trunc(halfBits); };
  return x.builder->create<arith::ConstantOp>(x.loc, numbers.mapValues(x.builder->getI32Type(), part));
}

// A half of what is put together, extended or moved is there already.
Value knownHalf(dl::HalfOp op, PatternRewriter& rewriter) {
  Expr x{&rewriter, op.getLoc(), op.getSource()};
  Operation* source = op.getSource().getDefiningOp();
  bool high = op.getHigh();
  if (!source)
    return {};
  auto moved = [&](auto move) {
    using Move = decltype(move);
    Expr part = half(x.with(move.getSrc()), high);
    OperationState state(op.getLoc(), Move::getOperationName(), part.value, op.getType(), move->getAttrs());
    return rewriter.create(state)->getResult(0);
  };
  return llvm::TypeSwitch<Operation*, Value>(source)
      .Case([&](dl::WideOp pair) { return high ? pair.getHigh() : pair.getLow(); })
      .Case([&](arith::ExtSIOp) {
        auto low = narrow(x);
        return !low ? Value() : high ? signOf(*low).value : low->value;
      })
      .Case([&](arith::ConstantOp number) {
        auto numbers = dyn_cast<DenseElementsAttr>(number.getValue());
        return numbers ? constantHalf(x, numbers, high) : Value();
      })
      .Case([&](tt::SplatOp splat) {
        Expr scalar = x.with(splat.getSrc());
        Expr part = (high ? shiftRight(scalar, halfBits) : scalar).to<arith::TruncIOp>(rewriter.getI32Type());
        return Value(rewriter.create<tt::SplatOp>(op.getLoc(), op.getType(), part.value));
      })
      .Case([&](tt::BroadcastOp o) { return moved(o); })
      .Case([&](tt::ExpandDimsOp o) { return moved(o); })
      .Default([](Operation*) { return Value(); });
}

} // namespace

LogicalResult expandWide(Operation* op, PatternRewriter& rewriter) {
  if (auto part = dyn_cast<dl::HalfOp>(op)) {
    Value known = knownHalf(part, rewriter);
    if (known)
      rewriter.replaceOp(op, known);
    return success(bool(known));
  }
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumOperands() == 0)
    return failure();
  bool result = isWide(op->getResult(0).getType()), operand = isWide(op->getOperand(0).getType());
  Expr first{&rewriter, op->getLoc(), op->getOperand(0)};
  std::optional<Expr> expanded;
  if (auto compareOp = dyn_cast<arith::CmpIOp>(op); compareOp && operand)
    expanded = compared(compareOp, first, first.with(compareOp.getRhs()));
  else if (auto selectOp = dyn_cast<arith::SelectOp>(op);
           selectOp && result && !isa<IntegerType>(first.value.getType()))
    expanded = selected(selectOp, first);
  else if (isa<arith::ExtUIOp, arith::ExtSIOp>(op) && result)
    expanded = extended(op, first);
  else if (isa<arith::TruncIOp>(op) && operand)
    expanded = truncated(first, getElementTypeOrSelf(op->getResult(0).getType()));
  else if (result && op->getNumOperands() == 2)
    expanded = ofTwo(op, first, first.with(op->getOperand(1)));
  if (!expanded)
    return failure();
  rewriter.replaceOp(op, expanded->value);
  return success();
}

} // namespace dlsim::codegen
