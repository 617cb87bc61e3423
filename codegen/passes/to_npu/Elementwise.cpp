// Elementwise arithmetic on tiles. A tensor that is one scalar everywhere stays a scalar operand where the
// ISA has such a form.
#include "codegen/passes/to_npu/Lowering.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {

void Lowering::binary(npu::BinaryKind kind, Value dst, Value lhs, Value rhs) {
  builder.create<npu::VBinaryOp>(loc, kind, dst, lhs, rhs);
}
void Lowering::scalar(npu::ScalarKind kind, Value dst, Value src, Value value) {
  builder.create<npu::VScalarOp>(loc, kind, dst, src, value);
}
void Lowering::unary(npu::UnaryKind kind, Value dst, Value src) {
  builder.create<npu::VUnaryOp>(loc, kind, dst, src);
}
void Lowering::cast(npu::Round round, Value dst, Value src) {
  builder.create<npu::VCastOp>(loc, round, dst, src);
}

// One of the operands is a column that has no tile of its own.
void Lowering::columnwise(npu::BinaryKind kind, Value dst, Value lhs, Value rhs) {
  bool swapped = tileOf(rhs).blocks == nullptr;
  Value tmp, blocks = tileOf(swapped ? lhs : rhs).blocks;
  if (int64_t scratch = npu::columnScratch(typeOf(dst), kind))
    tmp = alloc(typeOf(dst).getElementType(), {scratch});
  builder.create<npu::VColumnOp>(loc, kind, dst, bufferOf(swapped ? rhs : lhs), blocks, swapped, tmp);
}

std::optional<BinaryForm> binaryForm(Operation* op) {
  using B = npu::BinaryKind;
  using S = npu::ScalarKind;
  if (llvm::isa<arith::AddFOp, arith::AddIOp>(op))
    return BinaryForm{B::add, S::adds, true};
  if (llvm::isa<arith::MulFOp, arith::MulIOp>(op))
    return BinaryForm{B::mul, S::muls, true};
  if (llvm::isa<arith::MaxNumFOp, arith::MaxSIOp>(op))
    return BinaryForm{B::max, S::maxs, true};
  if (llvm::isa<arith::MinNumFOp, arith::MinSIOp>(op))
    return BinaryForm{B::min, S::mins, true};
  if (llvm::isa<arith::SubFOp, arith::SubIOp>(op))
    return BinaryForm{B::sub, std::nullopt, false};
  if (llvm::isa<arith::DivFOp, tt::PreciseDivFOp>(op))
    return BinaryForm{B::div, std::nullopt, false};
  return std::nullopt;
}

namespace {

bool isArithmeticType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isInteger(16) || type.isInteger(32);
}

// Rounding to integral numbers is a conversion from f32 to f32.
std::optional<npu::Round> roundingOf(Operation* op) {
  using Result = std::optional<npu::Round>;
  return llvm::TypeSwitch<Operation*, Result>(op)
      .Case([](math::FloorOp) { return npu::Round::floor; })
      .Case([](math::CeilOp) { return npu::Round::ceil; })
      .Case([](math::TruncOp) { return npu::Round::trunc; })
      .Case([](math::RoundOp) { return npu::Round::away; })
      .Case([](math::RoundEvenOp) { return npu::Round::rint; })
      .Default([](Operation*) { return Result(); });
}

bool isUnary(Operation* op) {
  return llvm::isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
                   math::AbsFOp, arith::NegFOp, tt::PreciseSqrtOp>(op) ||
         roundingOf(op);
}

bool isCast(Operation* op) {
  return llvm::isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
                   arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, tt::FpToFpOp>(op);
}

bool hasUnit(Type element) {
  bool isInteger = element.isInteger(1) || element.isInteger(8) || element.isInteger(16) ||
                   element.isInteger(32) || element.isInteger(64);
  return isInteger || element.isF16() || element.isBF16() || element.isF32() ||
         llvm::isa<tt::PointerType>(element);
}

bool isBits(Operation* op) { return llvm::isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op); }
bool isShift(Operation* op) { return llvm::isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op); }

} // namespace

bool Lowering::isElementwise(Operation* op) {
  return op->getNumResults() == 1 && isTensor(op->getResult(0)) &&
         (binaryForm(op) || isUnary(op) || isCast(op) || isBits(op) || isShift(op) ||
          llvm::isa<arith::MaximumFOp, arith::MinimumFOp, math::FmaOp, arith::SelectOp>(op));
}

LogicalResult Lowering::lowerElementwise(Operation* op) {
  if (op->use_empty() && isMemoryEffectFree(op))
    return success();
  if (op->getNumResults() != 1)
    return unsupported(op, "operations with several results are not supported on tensors");
  if (llvm::isa<tt::PointerType>(elementOf(op->getResult(0))))
    return unsupported(op, "a tensor of pointers that access analysis could not turn into tile accesses");
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                            SmallVector<Type>(op->getResultTypes())))
    if (Type element = getElementTypeOrSelf(type); !hasUnit(element))
      return unsupported(op, "no unit computes with elements of " + textOf(element) +
                                 "; f16, bf16, f32, i1, i8, i16, i32 and i64 are supported");
  if (auto broadcastOp = llvm::dyn_cast<tt::BroadcastOp>(op))
    return lowerBroadcast(broadcastOp);
  if (auto range = llvm::dyn_cast<tt::MakeRangeOp>(op))
    return lowerRange(range);
  if (cube)
    return unsupported(op, "needs the vector unit: a mixed kernel needs dl-split first");
  // Everything the same everywhere: one scalar operation.
  bool splats = llvm::all_of(op->getOperands(), [&](Value v) { return !isTensor(v) || splatOf(v); });
  Type result = elementOf(op->getResult(0));
  if (splats && op->getDialect()->getNamespace() == "arith" && !result.isF16() && !result.isBF16()) {
    SmallVector<Value> operands;
    for (Value v : op->getOperands())
      operands.push_back(isTensor(v) ? splatOf(v) : scalarOf(v));
    OperationState state(loc, op->getName(), operands, {result}, op->getAttrs());
    tiles[op->getResult(0)].splat = builder.create(state)->getResult(0);
    return success();
  }
  if (auto compareOp = llvm::dyn_cast<arith::CmpFOp>(op))
    return lowerCompareF(compareOp);
  if (auto compareOp = llvm::dyn_cast<arith::CmpIOp>(op))
    return lowerCompareI(compareOp);
  if (auto select = llvm::dyn_cast<arith::SelectOp>(op))
    return lowerSelect(select);
  if (auto fma = llvm::dyn_cast<math::FmaOp>(op))
    return lowerFma(fma);
  if (llvm::isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return lowerMaximumMinimum(op, llvm::isa<arith::MaximumFOp>(op) ? npu::BinaryKind::max
                                                                    : npu::BinaryKind::min);
  if (binaryForm(op))
    return lowerArithmetic(op);
  if (isUnary(op))
    return lowerUnary(op);
  if (isCast(op))
    return lowerCast(op);
  if (isBits(op))
    return lowerBits(op);
  if (isShift(op))
    return lowerShift(op);
  bool isMath = llvm::isa<math::MathDialect>(op->getDialect()) && !llvm::isa<math::IPowIOp>(op);
  if (isMath || op->getDialect()->getNamespace() == "arith")
    return lowerElementLoop(op);
  if (auto call = llvm::dyn_cast<tt::ExternElementwiseOp>(op))
    return unknownFunction(call);
  return unsupported(op, "not supported on tensors; write it with other operations of tt, arith and math");
}

LogicalResult Lowering::unknownFunction(tt::ExternElementwiseOp call) {
  SmallVector<std::string> operands;
  for (Value source : call.getSrcs())
    operands.push_back(textOf(getElementTypeOrSelf(source.getType())));
  return unsupported(call,
                     "'" + call.getSymbol() + "' (" + llvm::join(operands, ", ") + ") -> " +
                         textOf(getElementTypeOrSelf(call.getType())) +
                         " is no function that is known here; those of libdevice in single precision are "
                         "(__nv_sinf, __nv_expf, __nv_sqrtf, __nv_powf ..), rounded to nearest (no _rz, _rd, "
                         "_ru), but for tgamma and the Bessel functions j and y");
}

LogicalResult Lowering::lowerArithmetic(Operation* op) {
  BinaryForm form = *binaryForm(op);
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Type element = elementOf(lhs), compute = computeType(element);
  if (!isArithmeticType(element))
    return lowerElementLoop(op);
  if (form.commutes && splatOf(lhs))
    std::swap(lhs, rhs);
  Value left = splatOf(lhs) ? computeScalar(splatOf(lhs)) : Value(),
        right = splatOf(rhs) ? computeScalar(splatOf(rhs)) : Value();
  bool isFloat = llvm::isa<FloatType>(compute);
  if (right && form.scalar) {
    Value src = computeBufferOf(lhs), dst = resultBuffer(op->getResult(0));
    scalar(*form.scalar, dst, src, right);
    return finish(op->getResult(0), dst);
  }
  if (right && form.kind == npu::BinaryKind::sub) { // x - s = x + (-s), exactly
    Value negated =
        isFloat ? Value(builder.createOrFold<arith::NegFOp>(loc, right)) : sub(constant(compute, 0), right);
    Value src = computeBufferOf(lhs), dst = resultBuffer(op->getResult(0));
    scalar(npu::ScalarKind::adds, dst, src, negated);
    return finish(op->getResult(0), dst);
  }
  if (left && form.kind == npu::BinaryKind::sub) { // s - x = x * -1 + s, exactly
    Value src = computeBufferOf(rhs), dst = resultBuffer(op->getResult(0));
    scalar(npu::ScalarKind::muls, dst, src, constant(compute, -1));
    scalar(npu::ScalarKind::adds, dst, dst, left);
    return finish(op->getResult(0), dst);
  }
  FloatAttr one;
  if (left && form.kind == npu::BinaryKind::div && matchPattern(left, m_Constant(&one)) &&
      one.getValueAsDouble() == 1.0) {
    Value src = computeBufferOf(rhs), dst = resultBuffer(op->getResult(0));
    unary(npu::UnaryKind::rec, dst, src);
    return finish(op->getResult(0), dst);
  }
  bool byColumn = (tileOf(lhs).blocks || tileOf(rhs).blocks) && compute == element;
  if (byColumn && !left && !right) {
    Value dst = resultBuffer(op->getResult(0));
    columnwise(form.kind, dst, lhs, rhs);
    return finish(op->getResult(0), dst);
  }
  Value a = computeBufferOf(lhs), b = computeBufferOf(rhs), dst = resultBuffer(op->getResult(0));
  binary(form.kind, dst, a, b);
  return finish(op->getResult(0), dst);
}

LogicalResult Lowering::lowerUnary(Operation* op) {
  Type compute = computeType(elementOf(op->getOperand(0)));
  Value src = computeBufferOf(op->getOperand(0)), dst = resultBuffer(op->getResult(0));
  if (auto rounding = roundingOf(op)) {
    cast(*rounding, dst, src);
  } else if (llvm::isa<math::ExpOp>(op)) {
    unary(npu::UnaryKind::exp, dst, src);
  } else if (llvm::isa<math::Exp2Op>(op)) {
    scalar(npu::ScalarKind::muls, dst, src, constant(compute, 0.693147180559945309417));
    unary(npu::UnaryKind::exp, dst, dst);
  } else if (llvm::isa<math::LogOp>(op)) {
    unary(npu::UnaryKind::ln, dst, src);
  } else if (llvm::isa<math::Log2Op>(op)) {
    unary(npu::UnaryKind::ln, dst, src);
    scalar(npu::ScalarKind::muls, dst, dst, constant(compute, 1.44269504088896340736));
  } else if (llvm::isa<arith::NegFOp>(op)) {
    scalar(npu::ScalarKind::muls, dst, src, constant(compute, -1));
  } else {
    bool rsqrt = llvm::isa<math::RsqrtOp>(op), abs = llvm::isa<math::AbsFOp>(op);
    unary(rsqrt ? npu::UnaryKind::rsqrt : abs ? npu::UnaryKind::abs : npu::UnaryKind::sqrt, dst, src);
  }
  return finish(op->getResult(0), dst);
}

// The unit's max and min skip a NaN; these propagate it.
LogicalResult Lowering::lowerMaximumMinimum(Operation* op, npu::BinaryKind kind) {
  Value a = computeBufferOf(op->getOperand(0)), b = computeBufferOf(op->getOperand(1));
  Type element = typeOf(a).getElementType();
  Value plain = allocLike(a, element), mask = allocLike(a, builder.getI1Type()), half = allocLike(a, element);
  binary(kind, plain, a, b);
  builder.create<npu::VCmpOp>(loc, npu::CmpKind::eq, mask, a, a);
  builder.create<npu::VSelOp>(loc, half, mask, plain, a);
  builder.create<npu::VCmpOp>(loc, npu::CmpKind::eq, mask, b, b);
  Value dst = resultBuffer(op->getResult(0));
  builder.create<npu::VSelOp>(loc, dst, mask, half, b);
  return finish(op->getResult(0), dst);
}

LogicalResult Lowering::lowerFma(math::FmaOp op) {
  Value a = computeBufferOf(op.getA()), b = computeBufferOf(op.getB()), c = computeBufferOf(op.getC());
  Value product = allocLike(a, typeOf(a).getElementType());
  binary(npu::BinaryKind::mul, product, a, b);
  Value dst = resultBuffer(op.getResult());
  binary(npu::BinaryKind::add, dst, product, c);
  return finish(op.getResult(), dst);
}

LogicalResult Lowering::lowerBits(Operation* op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), result = op->getResult(0);
  if (splatOf(lhs))
    std::swap(lhs, rhs);
  Value dst = destinations.lookup(result);
  if (!dst)
    dst = alloc(elementOf(result), tileShape(llvm::cast<RankedTensorType>(result.getType())));
  auto splat = splatOf(rhs) ? constantOf(splatOf(rhs)) : std::nullopt;
  bool allOnes = splat && (*splat == -1 || (elementOf(result).isInteger(1) && *splat != 0));
  if (llvm::isa<arith::XOrIOp>(op) && allOnes) {
    unary(npu::UnaryKind::not_, dst, bufferOf(lhs));
    return record(result, dst);
  }
  Value a = bufferOf(lhs), b = bufferOf(rhs);
  auto kind = llvm::isa<arith::AndIOp>(op)  ? npu::BinaryKind::and_
              : llvm::isa<arith::OrIOp>(op) ? npu::BinaryKind::or_
                                            : npu::BinaryKind::xor_;
  binary(kind, dst, a, b);
  return record(result, dst);
}

LogicalResult Lowering::lowerShift(Operation* op) {
  Value amount = splatOf(op->getOperand(1)), result = op->getResult(0);
  Type element = elementOf(result);
  if (!amount || !(element.isInteger(16) || element.isInteger(32)))
    return lowerElementLoop(op);
  Value src = bufferOf(op->getOperand(0)), dst = resultBuffer(result);
  bool left = llvm::isa<arith::ShLIOp>(op);
  builder.create<npu::VScalarOp>(loc, left ? npu::ScalarKind::shls : npu::ScalarKind::shrs, dst, src, amount,
                                 llvm::isa<arith::ShRUIOp>(op));
  return record(result, dst);
}

// Element types to go through from one to another, each step a conversion that the ISA has; empty if there is
// no way.
static SmallVector<Type> castPath(Operation* op, Type from, Type to) {
  MLIRContext* context = op->getContext();
  Type f32 = Float32Type::get(context), f16 = Float16Type::get(context), i32 = IntegerType::get(context, 32);
  auto isFloat16 = [](Type t) { return t.isF16() || t.isBF16(); };
  if (llvm::isa<arith::ExtFOp, arith::TruncFOp, tt::FpToFpOp>(op))
    return from.isF32() || to.isF32() ? SmallVector<Type>{to} : SmallVector<Type>{f32, to};
  if (llvm::isa<arith::SIToFPOp>(op)) {
    if (from.isInteger(8)) // every i8 is an f16
      return to.isF16()   ? SmallVector<Type>{to}
             : to.isF32() ? SmallVector<Type>{f16, f32}
                          : SmallVector<Type>{f16, f32, to};
    if (to.isF32() && (from.isInteger(16) || from.isInteger(32) || from.isInteger(64)))
      return {to};
    if (to.isF16() && (from.isInteger(16) || from.isInteger(32)))
      return {to};
    return isFloat16(to) && !from.isInteger(1) ? SmallVector<Type>{f32, to} : SmallVector<Type>{};
  }
  if (llvm::isa<arith::FPToSIOp>(op)) {
    if (from.isBF16())
      return to.isInteger(8) ? SmallVector<Type>{} : SmallVector<Type>{f32, to};
    bool direct = to.isInteger(16) || to.isInteger(32) || (to.isInteger(64) && from.isF32()) ||
                  (to.isInteger(8) && from.isF16());
    return direct ? SmallVector<Type>{to} : SmallVector<Type>{};
  }
  if (llvm::isa<arith::ExtSIOp>(op) && from.isInteger(8))
    return to.isInteger(64) ? SmallVector<Type>{f16, i32, to} : SmallVector<Type>{f16, to};
  if ((from.isInteger(16) && to.isInteger(64)) || (from.isInteger(64) && to.isInteger(16)))
    return llvm::isa<arith::ExtSIOp, arith::TruncIOp>(op) ? SmallVector<Type>{i32, to} : SmallVector<Type>{};
  if (llvm::isa<arith::ExtSIOp, arith::TruncIOp>(op) && (from.isInteger(32) || to.isInteger(32)) &&
      !from.isInteger(1) && !to.isInteger(1) && !to.isInteger(8))
    return {to};
  return {};
}

LogicalResult Lowering::lowerCast(Operation* op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  Type from = elementOf(operand), to = elementOf(result);
  auto shape = tileShape(llvm::cast<RankedTensorType>(result.getType()));
  auto destination = [&](Type type) {
    Value planned = type == to ? destinations.lookup(result) : Value();
    return planned ? planned : alloc(type, shape);
  };
  if (llvm::isa<arith::ExtUIOp, arith::UIToFPOp>(op) && from.isInteger(1) && isArithmeticType(to)) {
    Value ones = alloc(to, shape), mask = bufferOf(operand);
    fill(ones, constant(to, 1));
    Value dst = destination(to);
    builder.create<npu::VSelsOp>(loc, dst, mask, ones, constant(to, 0));
    return record(result, dst);
  }
  SmallVector<Type> path = castPath(op, from, to);
  auto fpToFp = llvm::dyn_cast<tt::FpToFpOp>(op);
  if (path.empty())
    return lowerElementLoop(op);
  if (fpToFp && fpToFp.getRounding() == tt::RoundingMode::RS)
    return unsupported(op, "stochastic rounding (rs) is not supported; rtne and rtz are");
  bool towardsZero =
      llvm::isa<arith::FPToSIOp>(op) || (fpToFp && fpToFp.getRounding() == tt::RoundingMode::RTZ);
  Value value = bufferOf(operand);
  for (Type type : path) {
    Value dst = destination(type);
    cast(towardsZero ? npu::Round::trunc : npu::Round::rint, dst, value);
    value = dst;
  }
  return record(result, value);
}

} // namespace dlsim::codegen
