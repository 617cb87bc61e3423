// Folders and canonicalisations: constants move through shape operations, and shape operations on a splat
// become a splat. They keep the address analysis small; nothing relies on them for correctness.
#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dlsim::tt {
namespace {
// The constant of `value` re-shaped to `type` if it is a splat constant.
OpFoldResult foldSplat(Attribute value, Type type) {
  auto dense = dyn_cast_or_null<SplatElementsAttr>(value);
  if (!dense)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(type), dense.getSplatValue<Attribute>());
}

// shape-op(splat x) -> splat x.
template <typename Op> LogicalResult onSplat(Op op, PatternRewriter& rewriter) {
  auto splat = op.getSrc().template getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
  return success();
}
} // namespace

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getEnd() - getStart() != 1)
    return {};
  auto type = cast<ShapedType>(getType());
  return SplatElementsAttr::get(type, IntegerAttr::get(type.getElementType(), getStart()));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSrc()))
    return {};
  return SplatElementsAttr::get(getType(), adaptor.getSrc());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return foldSplat(adaptor.getSrc(), getType()); }
LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter& rewriter) {
  return onSplat(op, rewriter);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}
LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter& rewriter) {
  return onSplat(op, rewriter);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())))
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  auto isZero = [](Attribute value) {
    if (auto dense = dyn_cast_or_null<SplatElementsAttr>(value))
      value = dense.getSplatValue<Attribute>();
    auto integer = dyn_cast_or_null<IntegerAttr>(value);
    return integer && integer.getValue().isZero();
  };
  return isZero(adaptor.getOffset()) ? OpFoldResult(getPtr()) : OpFoldResult();
}
// dot(a, b, 0) + c -> dot(a, b, c): the accumulator then stays in one place over a loop.
LogicalResult DotOp::canonicalize(DotOp op, PatternRewriter& rewriter) {
  if (!(matchPattern(op.getC(), m_AnyZeroFloat()) || matchPattern(op.getC(), m_Zero())) || !op->hasOneUse())
    return failure();
  Operation* sum = *op->user_begin();
  if (!isa<arith::AddFOp, arith::AddIOp>(sum))
    return failure();
  Value addend = sum->getOperand(sum->getOperand(0) == op.getResult() ? 1 : 0);
  rewriter.setInsertionPoint(sum);
  rewriter.replaceOpWithNewOp<DotOp>(sum, op.getType(), op.getA(), op.getB(), addend, op.getInputPrecision(),
                                     op.getMaxNumImpreciseAcc());
  rewriter.eraseOp(op);
  return success();
}
} // namespace dlsim::tt
