#include "codegen/passes/split/FirstCore.h"

#include "codegen/passes/split/Channels.h"

using namespace mlir;

namespace dlsim::codegen {

void leaveSubCoresUnbound(func::FuncOp vector) {
  OpBuilder builder(vector.getBody());
  Value sub = builder.create<npu::SubCoreOp>(vector.getLoc(), builder.getI64Type());
  for (Operation* effect : effects(vector))
    leaveToFirstCore(effect, sub);
}

std::vector<Operation*> effects(func::FuncOp vector) {
  std::vector<Operation*> found;
  vector.walk([&](Operation* op) {
    if (isa<dl::StoreOp, dl::StoreScalarOp, dl::ScatterOp, dl::AtomicOp, tt::PrintOp>(op))
      found.push_back(op);
  });
  return found;
}

void leaveToFirstCore(Operation* effect, Value sub) {
  OpBuilder builder(effect);
  Location loc = effect->getLoc();
  auto constant = [&](int64_t value) { return builder.create<arith::ConstantIntOp>(loc, value, 64); };
  if (auto store = dyn_cast<dl::StoreOp>(effect); store && !store.getHi().empty()) {
    // A store of no rows keeps its place in the order of the flags.
    Value rest = builder.create<arith::SubIOp>(loc, constant(1), sub);
    store.getHiMutable()[0].set(builder.create<arith::MulIOp>(loc, store.getHi()[0], rest));
    return;
  }
  Value first = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, sub, constant(0));
  auto branch = builder.create<scf::IfOp>(loc, first, /*withElseRegion=*/false);
  effect->moveBefore(branch.thenBlock()->getTerminator());
}

} // namespace dlsim::codegen
