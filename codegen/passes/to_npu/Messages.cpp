// tt.print and tt.assert: the scalar unit hands values to the host one by one, or traps.
#include "codegen/passes/to_npu/Lowering.h"

using namespace mlir;

namespace dlsim::codegen {

// The next number of the function's table of messages.
int64_t Lowering::addMessage(Operation* op, StringRef kind, StringRef text, bool hex, int64_t programs,
                             ArrayRef<Attribute> values) {
  auto function = llvm::cast<func::FuncOp>(entry->getParentOp());
  SmallVector<Attribute> all;
  if (auto before = function->getAttrOfType<ArrayAttr>(npu::kMessagesAttr))
    all.append(before.begin(), before.end());
  std::string line = sourceLine(op->getLoc());
  all.push_back(builder.getDictionaryAttr({
      builder.getNamedAttr("kind", builder.getStringAttr(kind)),
      builder.getNamedAttr("text", builder.getStringAttr(text)),
      builder.getNamedAttr("line", builder.getStringAttr(line == "?" ? "" : line)),
      builder.getNamedAttr("hex", builder.getBoolAttr(hex)),
      builder.getNamedAttr("programs", builder.getI64IntegerAttr(programs)),
      builder.getNamedAttr("values", builder.getArrayAttr(values)),
  }));
  function->setAttr(npu::kMessagesAttr, builder.getArrayAttr(all));
  return int64_t(all.size()) - 1;
}

LogicalResult Lowering::lowerPrint(tt::PrintOp op) {
  SmallVector<Attribute> values;
  for (auto [value, isSigned] : llvm::zip_equal(op.getArgs(), op.getIsSigned())) {
    Type type = value.getType(), element = getElementTypeOrSelf(type);
    if (cube && isTensor(value))
      return unsupported(op, "a tensor of the cube core cannot be printed; print it where it is stored");
    if (llvm::isa<tt::PointerType>(element))
      element = builder.getI64Type();
    if (element.getIntOrFloatBitWidth() > (element.isInteger() ? 64 : 32))
      return unsupported(op, "values of " + textOf(element) +
                                 " are not printed; integers of up to 64 bits and floats of up to 32 are");
    SmallVector<int64_t> shape;
    if (auto tensor = llvm::dyn_cast<RankedTensorType>(type))
      shape.append(tensor.getShape().begin(), tensor.getShape().end());
    bool integer = element.isInteger() && !element.isInteger(1);
    values.push_back(builder.getDictionaryAttr({
        builder.getNamedAttr("type", TypeAttr::get(element)),
        builder.getNamedAttr("unsigned", builder.getBoolAttr(integer && isSigned == 0)),
        builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr(shape)),
    }));
  }
  auto programs = op->getAttrOfType<IntegerAttr>(tt::kProgramsAttr);
  uint64_t number = uint64_t(
      addMessage(op, "print", op.getPrefix().trim(), op.getHex(), programs ? programs.getInt() : 0, values));
  auto hand = [&](Value scalar) { builder.create<npu::PrintOp>(loc, scalar, number); };
  for (Value value : op.getArgs()) {
    if (!isTensor(value)) {
      hand(scalarOf(value));
      continue;
    }
    nest(llvm::cast<RankedTensorType>(value.getType()).getShape(),
         [&](ArrayRef<Value> lanes) { hand(element(value, lanes)); });
  }
  return success();
}

LogicalResult Lowering::lowerAssert(tt::AssertOp op) {
  uint64_t number = uint64_t(addMessage(op, "trap", op.getMessage(), false, 0, {}));
  Value holds = scalarOf(op.getCondition());
  Value fails = builder.create<arith::XOrIOp>(loc, holds, constant(builder.getI1Type(), 1));
  auto branch = builder.create<scf::IfOp>(loc, fails, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  builder.create<npu::TrapOp>(loc, number);
  return success();
}

} // namespace dlsim::codegen
