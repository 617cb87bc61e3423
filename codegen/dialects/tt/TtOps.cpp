// Verifiers, custom parsers and effects of the tt operations.
#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "codegen/dialects/tt/TtOps.cpp.inc"

namespace dlsim::tt {
ParseResult FuncOp::parse(OpAsmParser& parser, OperationState& result) {
  auto buildType = [](Builder& builder, ArrayRef<Type> args, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string&) { return builder.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter& printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult ReturnOp::verify() {
  auto expected = cast<FuncOp>((*this)->getParentOp()).getResultTypes();
  if (!llvm::equal(expected, getOperandTypes()))
    return emitOpError("returns ") << getOperandTypes() << " but the function's type says "
                                   << TypeRange(expected);
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection& symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError("calls '") << getCallee() << "', which is no tt.func of this module";
  if (!llvm::equal(function.getArgumentTypes(), getOperandTypes()) ||
      !llvm::equal(function.getResultTypes(), getResultTypes()))
    return emitOpError("does not match the type of '") << getCallee() << "': " << function.getFunctionType();
  return success();
}

LogicalResult MakeRangeOp::verify() {
  int64_t size = cast<RankedTensorType>(getType()).getShape()[0];
  if (int64_t(getEnd()) - int64_t(getStart()) != size)
    return emitOpError("[") << getStart() << ", " << getEnd() << ") does not have the " << size
                            << " elements of its result";
  return success();
}

LogicalResult UnsplatOp::verify() {
  auto source = getSrc().getType();
  if (source.getNumElements() != 1 || source.getElementType() != getType())
    return emitOpError("needs a tensor of one element of the result's type");
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  auto source = getSrc().getType();
  auto shape = llvm::to_vector(source.getShape());
  if (getAxis() > shape.size())
    return emitOpError("axis ") << getAxis() << " is out of range for rank " << shape.size();
  shape.insert(shape.begin() + getAxis(), 1);
  if (ArrayRef<int64_t>(shape) != getType().getShape())
    return emitOpError("result must have the operand's shape with a 1 inserted at axis ") << getAxis();
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto from = getSrc().getType().getShape(), to = getType().getShape();
  if (from.size() != to.size())
    return emitOpError("cannot change the rank from ") << from.size() << " to " << to.size();
  for (auto [dim, pair] : llvm::enumerate(llvm::zip(from, to)))
    if (std::get<0>(pair) != std::get<1>(pair) && std::get<0>(pair) != 1)
      return emitOpError("dimension ")
             << dim << " has size " << std::get<0>(pair) << ", only 1 can become " << std::get<1>(pair);
  return success();
}

LogicalResult ReshapeOp::verify() {
  if (getSrc().getType().getNumElements() != getType().getNumElements())
    return emitOpError("must keep the number of elements");
  return success();
}

LogicalResult TransOp::verify() {
  auto from = getSrc().getType().getShape(), to = getType().getShape();
  SmallVector<bool> seen(from.size());
  if (getOrder().size() != from.size() || to.size() != from.size())
    return emitOpError("order must list every dimension once");
  for (auto [dim, source] : llvm::enumerate(getOrder())) {
    if (source < 0 || source >= int64_t(from.size()) || seen[source])
      return emitOpError("order must list every dimension once");
    seen[source] = true;
    if (to[dim] != from[source])
      return emitOpError("result dimension ") << dim << " must be " << from[source];
  }
  return success();
}

LogicalResult MakeTensorPtrOp::verify() {
  auto tile = cast<RankedTensorType>(getType().getPointee());
  if (tile.getRank() != int64_t(getShape().size()))
    return emitOpError("tile has rank ")
           << tile.getRank() << " but " << getShape().size() << " sizes are given";
  return success();
}

LogicalResult MakeTensorDescOp::verify() {
  size_t rank = size_t(getType().getBlock().getRank());
  if (getShape().size() != rank || getStrides().size() != rank)
    return emitOpError("blocks have rank ") << rank << " but " << getShape().size() << " sizes and "
                                            << getStrides().size() << " strides are given";
  if (APInt last; rank > 0 && matchPattern(getStrides().back(), m_ConstantInt(&last)) && !last.isOne())
    return emitOpError("has a last stride of ") << last.getSExtValue() << "; it must be 1";
  return success();
}

LogicalResult DotOp::verify() {
  auto a = getA().getType(), b = getB().getType(), d = getType();
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || d.getRank() != rank)
    return emitOpError("operands and result must all have rank 2 or 3");
  auto sa = a.getShape(), sb = b.getShape(), sd = d.getShape();
  if (sa[rank - 1] != sb[rank - 2])
    return emitOpError("inner sizes differ: a is ") << a << ", b is " << b;
  if (sd[rank - 2] != sa[rank - 2] || sd[rank - 1] != sb[rank - 1] ||
      (rank == 3 && (sa[0] != sb[0] || sa[0] != sd[0])))
    return emitOpError("result ") << d << " does not have the outer sizes of " << a << " and " << b;
  return success();
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>& effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>& effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}
} // namespace dlsim::tt
