#include "codegen/dialects/tt/TtDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "codegen/dialects/tt/TtOpsDialect.cpp.inc"
#include "codegen/dialects/tt/TtOpsEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "codegen/dialects/tt/TtOpsTypes.cpp.inc"

namespace dlsim::tt {
namespace {
// Everything may be inlined: device functions have no frame of their own.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation*, Operation*, bool) const final { return true; }
  bool isLegalToInline(Region*, Region*, bool, IRMapping&) const final { return true; }
  bool isLegalToInline(Operation*, Region*, bool, IRMapping&) const final { return true; }
  void handleTerminator(Operation* op, Block* next) const final {
    OpBuilder builder(op);
    builder.create<cf::BranchOp>(op->getLoc(), next, op->getOperands());
    op->erase();
  }
  void handleTerminator(Operation* op, ValueRange results) const final {
    for (auto [result, operand] : llvm::zip_equal(results, op->getOperands()))
      result.replaceAllUsesWith(operand);
  }
};
} // namespace

void TtDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "codegen/dialects/tt/TtOpsTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "codegen/dialects/tt/TtOps.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

Operation* TtDialect::materializeConstant(OpBuilder& builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

Type PointerType::parse(AsmParser& parser) {
  Type pointee;
  int space = 1;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(space))
    return {};
  if (parser.parseGreater())
    return {};
  return PointerType::get(pointee, space);
}

void PointerType::print(AsmPrinter& printer) const {
  printer << '<' << getPointee();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << '>';
}

Type pointeeOf(Type type) {
  if (auto pointer = dyn_cast<PointerType>(type))
    return pointer.getPointee();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (auto pointer = dyn_cast<PointerType>(tensor.getElementType()))
      return tensor.clone(pointer.getPointee());
  return type;
}

Type maskTypeOf(Type type) {
  Type value = pointeeOf(type);
  Type i1 = IntegerType::get(type.getContext(), 1);
  if (auto tensor = dyn_cast<RankedTensorType>(value))
    return tensor.clone(i1);
  return i1;
}

Type pointeeElementType(Type type) { return getElementTypeOrSelf(pointeeOf(type)); }

Type elementPointerOf(Type type) {
  return PointerType::get(pointeeElementType(type), cast<PointerType>(type).getAddressSpace());
}
} // namespace dlsim::tt
