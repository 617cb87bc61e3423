#include "codegen/passes/to_llvm/lower.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr unsigned globalSpace = 0, ubSpace = 6; // LLVM address spaces

constexpr int64_t subCoreCountRegister = 5, groupRegister = 6; // sreg
constexpr int64_t groupMode = 2; // of cross-core flags: a cube core and its vector cores

bool mixed(Operation* op) { return op->getParentOfType<func::FuncOp>()->hasAttr("npu.workspace_bytes"); }

int64_t sizeOf(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

} // namespace

Value loadArgumentSlot(Emitter& e, int64_t slot, Type type) {
  Value base =
      e.pointer(e.add(e.specialRegister(argumentBaseRegister), slot * argumentSlotBytes), globalSpace);
  Value bits =
      e.builder().create<LLVM::LoadOp>(e.location(), e.builder().getI64Type(), base, argumentSlotBytes);
  return e.fromRegister(bits, type);
}

bool ScalarLowering::lower(Operation* op) {
  bool mine = true;
  auto replace = [&](Operation* o, Value value) { o->getResult(0).replaceAllUsesWith(value); };
  auto special = [&](Operation* o, int64_t number) {
    replace(o, e.fromRegister(e.specialRegister(number), o->getResult(0).getType()));
  };
  llvm::TypeSwitch<Operation*>(op)
      .Case([&](npu::LoadScalarOp o) { loadScalar(o); })
      .Case([&](npu::StoreScalarOp o) { storeScalar(o); })
      .Case([&](npu::GmLoadOp o) {
        replace(o, e.builder().create<LLVM::LoadOp>(e.location(), o.getResult().getType(),
                                                    e.pointer(o.getSrc(), globalSpace), /*alignment=*/0,
                                                    o.getIsVolatile()));
      })
      .Case([&](npu::GmStoreOp o) {
        e.builder().create<LLVM::StoreOp>(e.location(), o.getValue(), e.pointer(o.getDst(), globalSpace));
      })
      .Case([&](npu::GmAtomicOp o) { update(o); })
      .Case([&](npu::PrintOp o) {
        e.command("print", {e.inRegister(o.getValue())}, {int64_t(o.getMessage())});
      })
      .Case([&](npu::TrapOp o) { e.command("trap", {}, {int64_t(o.getMessage())}); })
      .Case([&](npu::CoreIdOp o) { special(o, mixed(o) ? groupRegister : 0); })
      .Case([&](npu::CoreCountOp o) { coreCount(o); })
      .Case([&](npu::SubCoreOp o) { special(o, 2); })
      .Case([&](npu::WorkspaceOp o) { workspace(o); })
      .Case([&](npu::GridSizeOp o) {
        replace(o, loadArgumentSlot(e, int64_t(arguments) + int64_t(o.getAxis()), o.getResult().getType()));
      })
      .Case<npu::SetFlagOp, npu::WaitFlagOp, npu::BarrierOp, npu::CrossSetOp, npu::CrossWaitOp>(
          [&](Operation* o) { flags(o); })
      .Default([&](Operation*) { mine = false; });
  return mine;
}

// The cores of a mixed kernel are its groups: one cube core and its vector cores work on the same task.
void ScalarLowering::coreCount(npu::CoreCountOp op) {
  Value count = e.specialRegister(1);
  if (mixed(op))
    count = e.builder().create<arith::DivUIOp>(e.location(), count, e.specialRegister(subCoreCountRegister));
  op.getResult().replaceAllUsesWith(e.fromRegister(count, op.getResult().getType()));
}

// Behind the grid: workspace base, then the bytes of each group.
void ScalarLowering::workspace(npu::WorkspaceOp op) {
  Type type = e.builder().getI64Type();
  Value base = loadArgumentSlot(e, int64_t(arguments) + 3, type);
  Value stride = loadArgumentSlot(e, int64_t(arguments) + 4, type);
  Value offset = e.builder().create<arith::MulIOp>(e.location(), e.specialRegister(groupRegister), stride);
  op.getResult().replaceAllUsesWith(e.add(base, offset));
}

void ScalarLowering::update(npu::GmAtomicOp op) {
  npu::Update kind = op.getKind();
  bool isUnsigned = kind == npu::Update::umax || kind == npu::Update::umin;
  int64_t dtype = dtypeCode(op.getElement(), isUnsigned);
  if (dtype < 0) {
    op.emitError() << "there is no atomic update of elements of " << op.getElement();
    return;
  }
  if (isUnsigned)
    kind = kind == npu::Update::umax ? npu::Update::max : npu::Update::min;
  Value value = e.inRegister(op.getValue()), before;
  if (kind == npu::Update::cas)
    before = e.query("atom.cas", {op.getDst(), e.inRegister(op.getCmp()), value}, {dtype});
  else
    before = e.query("atom.rmw", {op.getDst(), value}, {dtype | int64_t(kind) << 4});
  op.getResult().replaceAllUsesWith(e.fromRegister(before, op.getResult().getType()));
}

// The byte that holds bit `index` of an i1 tile.
Value ScalarLowering::bitAddress(Value buffer, Value index) {
  return e.pointer(e.add(e.address(buffer), e.divide(index, 8)), ubSpace);
}

void ScalarLowering::loadScalar(npu::LoadScalarOp op) {
  OpBuilder& b = e.builder();
  Type type = op.getResult().getType();
  Value result;
  if (type.isInteger(1)) {
    Value byte = b.create<LLVM::LoadOp>(e.location(), b.getI8Type(), bitAddress(op.getSrc(), op.getIndex()));
    Value wide = b.create<arith::ExtUIOp>(e.location(), b.getI64Type(), byte);
    Value bit = b.create<arith::AndIOp>(e.location(), op.getIndex(), e.constant(7));
    result = b.create<arith::TruncIOp>(e.location(), type, b.create<arith::ShRUIOp>(e.location(), wide, bit));
  } else {
    Value from = e.add(e.address(op.getSrc()), e.multiply(op.getIndex(), sizeOf(type)));
    result = b.create<LLVM::LoadOp>(e.location(), type, e.pointer(from, ubSpace));
  }
  op.getResult().replaceAllUsesWith(result);
}

void ScalarLowering::storeScalar(npu::StoreScalarOp op) {
  OpBuilder& b = e.builder();
  Type type = op.getValue().getType();
  if (!type.isInteger(1)) {
    Value to = e.add(e.address(op.getDst()), e.multiply(op.getIndex(), sizeOf(type)));
    b.create<LLVM::StoreOp>(e.location(), op.getValue(), e.pointer(to, ubSpace));
    return;
  }
  Value pointer = bitAddress(op.getDst(), op.getIndex());
  Value old = b.create<arith::ExtUIOp>(e.location(), b.getI64Type(),
                                       b.create<LLVM::LoadOp>(e.location(), b.getI8Type(), pointer));
  Value bit = b.create<arith::AndIOp>(e.location(), op.getIndex(), e.constant(7));
  Value one = b.create<arith::ShLIOp>(e.location(), e.constant(1), bit);
  Value cleared =
      b.create<arith::AndIOp>(e.location(), old, b.create<arith::XOrIOp>(e.location(), one, e.constant(-1)));
  Value set = b.create<arith::ShLIOp>(e.location(), e.inRegister(op.getValue()), bit);
  Value byte = b.create<arith::TruncIOp>(e.location(), b.getI8Type(),
                                         b.create<arith::OrIOp>(e.location(), cleared, set));
  b.create<LLVM::StoreOp>(e.location(), byte, pointer);
}

void ScalarLowering::flags(Operation* op) {
  auto name = [](const char* what, npu::Unit unit) { return (what + npu::stringifyUnit(unit)).str(); };
  if (auto set = dyn_cast<npu::SetFlagOp>(op))
    e.command(name("set_flag.", set.getSrc()), {}, {int64_t(set.getDst()), int64_t(set.getId())});
  else if (auto wait = dyn_cast<npu::WaitFlagOp>(op))
    e.command(name("wait_flag.", wait.getDst()), {}, {int64_t(wait.getSrc()), int64_t(wait.getId())});
  else if (auto set = dyn_cast<npu::CrossSetOp>(op))
    e.command(name("xset.", set.getUnit()), {}, {int64_t(set.getId()) | groupMode << 4});
  else if (auto wait = dyn_cast<npu::CrossWaitOp>(op))
    e.command(name("xwait.", wait.getUnit()), {}, {int64_t(wait.getId()) | groupMode << 4});
  else if (auto unit = cast<npu::BarrierOp>(op).getUnit())
    e.command(name("barrier.", *unit), {}, {});
  else
    e.command("barrier.all", {}, {});
}

} // namespace dlsim::codegen
