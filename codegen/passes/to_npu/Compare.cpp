// Comparisons into bit masks, and selection by them.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

// One comparison command into dst (a new mask if null), with a scalar right operand if there is one.
Value Lowering::compare(npu::CmpKind kind, Value lhs, Value rhs, Value rhsScalar, Value dst) {
  if (!dst)
    dst = allocLike(lhs, builder.getI1Type());
  if (rhsScalar)
    builder.create<npu::VCmpsOp>(loc, kind, dst, lhs, rhsScalar);
  else
    builder.create<npu::VCmpOp>(loc, kind, dst, lhs, rhs);
  return dst;
}

LogicalResult Lowering::lowerCompareF(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  using K = npu::CmpKind;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  Type element = computeType(elementOf(lhs));
  Value a = computeBufferOf(lhs), scalar = splatOf(rhs) ? computeScalar(splatOf(rhs)) : Value();
  Value b = scalar ? Value() : computeBufferOf(rhs);
  auto done = [&](Value mask, bool negate) {
    if (negate)
      unary(npu::UnaryKind::not_, mask, mask);
    return record(op.getResult(), mask);
  };
  auto ordered = [&] { // eq is false for a NaN
    Value mask = compare(K::eq, a, a, {}, {});
    if (!b) {
      b = allocLike(a, element);
      fill(b, scalar);
    }
    binary(npu::BinaryKind::and_, mask, mask, compare(K::eq, b, b, {}, {}));
    return mask;
  };
  auto lessOrGreater = [&] {
    Value mask = compare(K::lt, a, b, scalar, {});
    binary(npu::BinaryKind::or_, mask, mask, compare(K::gt, a, b, scalar, {}));
    return mask;
  };
  switch (op.getPredicate()) {
  case P::OEQ:
    return done(compare(K::eq, a, b, scalar, {}), false);
  case P::OGT:
    return done(compare(K::gt, a, b, scalar, {}), false);
  case P::OGE:
    return done(compare(K::ge, a, b, scalar, {}), false);
  case P::OLT:
    return done(compare(K::lt, a, b, scalar, {}), false);
  case P::OLE:
    return done(compare(K::le, a, b, scalar, {}), false);
  case P::UNE:
    return done(compare(K::ne, a, b, scalar, {}), false);
  // The unordered forms are the complements of the opposite ordered ones.
  case P::ULT:
    return done(compare(K::ge, a, b, scalar, {}), true);
  case P::ULE:
    return done(compare(K::gt, a, b, scalar, {}), true);
  case P::UGT:
    return done(compare(K::le, a, b, scalar, {}), true);
  case P::UGE:
    return done(compare(K::lt, a, b, scalar, {}), true);
  case P::ONE:
    return done(lessOrGreater(), false);
  case P::UEQ:
    return done(lessOrGreater(), true);
  case P::ORD:
    return done(ordered(), false);
  case P::UNO:
    return done(ordered(), true);
  case P::AlwaysTrue:
  case P::AlwaysFalse:
    tiles[op.getResult()].splat =
        builder.create<arith::ConstantIntOp>(loc, op.getPredicate() == P::AlwaysTrue, 1);
    return success();
  }
  llvm_unreachable("no such predicate");
}

// The unit compares i32 for equality only: x < y iff max(x, y) != x, x > y iff min(x, y) != x.
LogicalResult Lowering::lowerCompareI(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  P predicate = op.getPredicate();
  Type element = elementOf(lhs), i32 = builder.getI32Type();
  if (!element.isInteger(16) && element != i32)
    return lowerElementLoop(op);
  if (splatOf(lhs)) {
    std::swap(lhs, rhs);
    constexpr std::pair<P, P> mirrored[] = {
        {P::slt, P::sgt}, {P::sle, P::sge}, {P::ult, P::ugt}, {P::ule, P::uge}};
    for (auto [less, greater] : mirrored)
      if (predicate == less || predicate == greater) {
        predicate = predicate == less ? greater : less;
        break;
      }
  }
  bool isUnsigned = llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
  Value x = bufferOf(lhs), scalarY = splatOf(rhs), y = scalarY ? Value() : bufferOf(rhs);
  auto widen = [&](Value buffer) {
    if (!buffer || typeOf(buffer).getElementType() == i32)
      return buffer;
    Value wide = allocLike(buffer, i32);
    cast(npu::Round::rint, wide, buffer);
    return wide;
  };
  x = widen(x), y = widen(y);
  if (scalarY && scalarY.getType() != i32)
    scalarY = builder.createOrFold<arith::ExtSIOp>(loc, i32, scalarY);
  if (isUnsigned) { // shift the range: unsigned order becomes signed order
    Value bias = constant(i32, double(INT32_MIN));
    auto shift = [&](Value buffer) {
      Value shifted = allocLike(buffer, i32);
      scalar(npu::ScalarKind::adds, shifted, buffer, bias);
      return shifted;
    };
    x = shift(x);
    if (y)
      y = shift(y);
    else
      scalarY = add(scalarY, bias);
  }
  auto extreme = [&](npu::BinaryKind kind, npu::ScalarKind scalarKind) {
    Value dst = allocLike(x, i32);
    if (y)
      binary(kind, dst, x, y);
    else
      scalar(scalarKind, dst, x, scalarY);
    return dst;
  };
  bool usesMax = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate);
  bool negate = llvm::is_contained({P::ne, P::slt, P::sgt, P::ult, P::ugt}, predicate);
  Value mask;
  if (predicate == P::eq || predicate == P::ne)
    mask = compare(npu::CmpKind::eq, x, y, scalarY, {});
  else if (usesMax)
    mask = compare(npu::CmpKind::eq, extreme(npu::BinaryKind::max, npu::ScalarKind::maxs), x, {}, {});
  else
    mask = compare(npu::CmpKind::eq, extreme(npu::BinaryKind::min, npu::ScalarKind::mins), x, {}, {});
  if (negate)
    unary(npu::UnaryKind::not_, mask, mask);
  return record(op.getResult(), mask);
}

LogicalResult Lowering::lowerSelect(arith::SelectOp op) {
  Value result = op.getResult(), condition = op.getCondition();
  Type element = elementOf(result);
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits != 1 && bits != 16 && bits != 32)
    return lowerElementLoop(op);
  Value scalarCondition = isTensor(condition) ? splatOf(condition) : scalarOf(condition);
  Value a = bufferOf(op.getTrueValue());
  Value planned = destinations.lookup(result), dst = planned ? planned : allocLike(a, element);
  if (scalarCondition) {
    Value b = bufferOf(op.getFalseValue());
    auto branch = builder.create<scf::IfOp>(loc, scalarCondition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    unary(npu::UnaryKind::copy, dst, a);
    builder.setInsertionPointToStart(branch.elseBlock());
    unary(npu::UnaryKind::copy, dst, b);
  } else if (bits == 1) { // (mask & a) | (~mask & b)
    Value mask = bufferOf(condition), b = bufferOf(op.getFalseValue());
    Value kept = allocLike(a, element), inverse = allocLike(a, element);
    binary(npu::BinaryKind::and_, kept, mask, a);
    unary(npu::UnaryKind::not_, inverse, mask);
    binary(npu::BinaryKind::and_, inverse, inverse, b);
    binary(npu::BinaryKind::or_, dst, kept, inverse);
  } else if (Value scalar = splatOf(op.getFalseValue())) {
    builder.create<npu::VSelsOp>(loc, dst, bufferOf(condition), a, scalar);
  } else {
    builder.create<npu::VSelOp>(loc, dst, bufferOf(condition), a, bufferOf(op.getFalseValue()));
  }
  return record(result, dst);
}

} // namespace dlsim::codegen
