// Casts of tensors of pointers move to the scalars that the tensors are made of, so that the analysis meets
// plain pointers. Triton casts the tensor of pointers of every i1 access to i8, for one.
#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dlsim::access {
namespace {
int64_t bytesOf(Type pointer) {
  Type pointee = cast<tt::PointerType>(pointer).getPointee();
  return isa<tt::PointerType>(pointee) ? 8 : std::max<int64_t>(1, pointee.getIntOrFloatBitWidth() / 8);
}

bool isPointerTensor(Type type) {
  return isa<RankedTensorType>(type) && isa<tt::PointerType>(getElementTypeOrSelf(type));
}

// `source` with elements of another pointer type; null where it is not made of scalars.
Value castPointers(OpBuilder& b, Value source, Type element) {
  auto type = cast<RankedTensorType>(source.getType());
  Operation* op = source.getDefiningOp();
  if (!op)
    return {};
  b.setInsertionPointAfter(op);
  if (auto splat = dyn_cast<tt::SplatOp>(op)) {
    if (isa<RankedTensorType>(splat.getSrc().getType()))
      return {};
    Value scalar = isa<tt::PointerType>(splat.getSrc().getType())
                       ? b.create<tt::BitcastOp>(op->getLoc(), element, splat.getSrc()).getResult()
                       : b.create<tt::IntToPtrOp>(op->getLoc(), element, splat.getSrc()).getResult();
    return b.create<tt::SplatOp>(op->getLoc(), type.clone(element), scalar);
  }
  if (!isa<tt::AddPtrOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp>(op))
    return {};
  if (isa<tt::AddPtrOp>(op) && bytesOf(getElementTypeOrSelf(source.getType())) != bytesOf(element))
    return {};
  Value inner = castPointers(b, op->getOperand(0), element);
  if (!inner)
    return {};
  b.setInsertionPointAfter(op);
  IRMapping mapping;
  mapping.map(op->getOperand(0), inner);
  Operation* made = b.clone(*op, mapping);
  made->getResult(0).setType(type.clone(element));
  return made->getResult(0);
}
} // namespace

void hoistPointerCasts(func::FuncOp function) {
  SmallVector<Operation*> casts;
  function.walk([&](Operation* op) {
    if (isa<tt::BitcastOp, tt::IntToPtrOp>(op) && isPointerTensor(op->getResult(0).getType()))
      casts.push_back(op);
  });
  OpBuilder b(function.getContext());
  for (Operation* op : casts)
    if (Value made = castPointers(b, op->getOperand(0), getElementTypeOrSelf(op->getResult(0).getType())))
      op->getResult(0).replaceAllUsesWith(made);
}
} // namespace dlsim::access
