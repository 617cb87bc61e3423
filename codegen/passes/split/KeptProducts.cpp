#include "codegen/passes/split/KeptProducts.h"

#include "codegen/passes/dot/Accumulator.h"
#include "codegen/passes/split/Channels.h"

using namespace mlir;

namespace dlsim::codegen {

KeptProducts keepProducts(func::FuncOp function) {
  llvm::SetVector<Value> accumulators;
  SmallVector<OpOperand*> operands;
  function.walk([&](tt::DotOp dot) {
    operands.append({&dot.getAMutable(), &dot.getBMutable()});
    if (accumulators.contains(dot.getD()))
      return;
    Accumulator group(dot.getD());
    group.grow();
    accumulators.insert(group.values.begin(), group.values.end());
  });
  KeptProducts kept;
  OpBuilder builder(function);
  llvm::DenseMap<Value, Value> loaded;
  for (OpOperand* operand : operands) {
    while (auto trans = operand->get().getDefiningOp<tt::TransOp>())
      operand = &trans.getSrcMutable();
    Value value = operand->get();
    if (!accumulators.contains(value))
      continue;
    Value& copy = loaded[value];
    if (!copy) {
      Location loc = value.getLoc();
      auto type = cast<RankedTensorType>(value.getType());
      afterDefinition(builder, value);
      // Like the places of channels: an argument of its own behind the kernel's.
      IntegerAttr number = builder.getI64IntegerAttr(int64_t(function.getNumArguments()) + kept.places++);
      Place place = placeAt(builder, loc, type, kept.bytes);
      kept.bytes += placeBytes(type);
      builder.create<dl::StoreOp>(loc, value, place.base, place.strides, place.lo, place.hi,
                                  dl::AtomicKind::none, number, DictionaryAttr());
      copy = builder.create<dl::LoadOp>(loc, type, place.base, place.strides, place.lo, place.hi, Value(),
                                        Value(), Value(), IntegerAttr(), number, DictionaryAttr());
    }
    operand->set(copy);
  }
  return kept;
}

} // namespace dlsim::codegen
