#include "codegen/passes/to_llvm/lower.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

MemRefType typeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }
int64_t bytesOf(MemRefType type) { return npu::elementBits(type) / 8; }
int64_t blockElements(MemRefType type) { return 32 / bytesOf(type); } // C0

int64_t elementCode(Operation* op, Type type, bool hf32 = false) {
  if (hf32 && type.isF32())
    return 6;
  int64_t code = dtypeCode(type);
  if (code < 0)
    op->emitError() << "element type " << type
                    << " cannot be moved by this command; integers of 8 to 64 bits, f16, bf16 and "
                       "f32 can";
  return code;
}

// Element type and atomic operation of a store.
int64_t atomicCode(npu::CopyOutOp op) {
  constexpr int64_t max = 2, min = 3; // of the field `atomic`
  npu::Atomic atomic = op.getAtomic();
  Type element = typeOf(op.getSrc()).getElementType();
  if (atomic == npu::Atomic::umax || atomic == npu::Atomic::umin)
    return dtypeCode(element, /*isUnsigned=*/true) | (atomic == npu::Atomic::umax ? max : min) << 5;
  return elementCode(op, element) | int64_t(atomic) << 5;
}

} // namespace

bool TransferLowering::lower(Operation* op) {
  bool mine = true;
  llvm::TypeSwitch<Operation*>(op)
      .Case([&](npu::CopyInOp o) { copyIn(o); })
      .Case([&](npu::CopyOutOp o) { copyOut(o); })
      .Case([&](npu::Nd2NzOp o) { nd2nz(o); })
      .Case([&](npu::FillL1Op o) { fill(o); })
      .Case([&](npu::LoadL0AOp o) { loadL0(o); })
      .Case([&](npu::LoadL0BOp o) { loadL0(o); })
      .Case([&](npu::MmadOp o) { mmad(o); })
      .Case([&](npu::ClearAccOp o) { clearAcc(o); })
      .Case([&](npu::HandOverOp o) { handOver(o); })
      .Case([&](npu::FixpipeOp o) { fixpipe(o); })
      .Default([&](Operation*) { mine = false; });
  return mine;
}

// Element [row, column] of a tile with rows (UB).
Value TransferLowering::rowAddress(Value buffer, Value row, Value column) {
  MemRefType type = typeOf(buffer);
  Value offset =
      e.add(e.multiply(row, npu::ubRowElements(type) * bytesOf(type)), e.multiply(column, bytesOf(type)));
  return e.add(e.address(buffer), offset);
}

// Row `row` of the column block of an Nz tile that holds `column`.
Value TransferLowering::nzAddress(Value buffer, Value row, Value column) {
  MemRefType type = typeOf(buffer);
  Value block = e.multiply(e.divide(column, blockElements(type)), npu::nzBlockStride(type));
  return e.add(e.address(buffer), e.add(block, e.multiply(row, 32)));
}

Value TransferLowering::fractals(Value elements, int64_t step) {
  return e.divide(e.add(elements, step - 1), step);
}

void TransferLowering::copyIn(npu::CopyInOp op) {
  MemRefType type = typeOf(op.getDst());
  bool toL1 = npu::spaceOf(type) == npu::Space::L1;
  int64_t size = bytesOf(type), blockBytes = 32;
  int64_t rowBytes = toL1 ? blockBytes : int64_t(llvm::alignTo(npu::ubRowElements(type) * size, blockBytes));
  auto inBytes = [&](Value elements) { return elements ? e.multiply(elements, size) : e.constant(0); };
  Value left = inBytes(op.getLeft());
  // L1: the column block that holds the first column; `left` leads back to its beginning.
  Value to = toL1 ? nzAddress(op.getDst(), op.getRow(), op.getCol())
                  : rowAddress(op.getDst(), op.getRow(), op.getCol());
  if (op.getLeft() && !toL1) {
    auto known = Emitter::constantValue(left);
    to = known ? e.add(to, -*known) : Value(e.builder().create<arith::SubIOp>(e.location(), to, left));
  }
  Value pad = op.getPad() ? e.inRegister(op.getPad()) : e.constant(0);
  Value counts = e.word({{op.getRows(), 0}, {e.multiply(op.getCols(), size), 32}});
  Value pitch = op.getPitch() ? op.getPitch() : e.constant(rowBytes);
  Value target = e.word({{pitch, 0}, {left, 32}, {inBytes(op.getRight()), 48}});
  e.command(toL1 ? "mte2.copy.l1" : "mte2.copy.ub", {to, op.getSrc(), counts, op.getStride(), target, pad},
            {int64_t(llvm::Log2_64(size)) | int64_t(op.getBypass()) << 4});
}

void TransferLowering::copyOut(npu::CopyOutOp op) {
  MemRefType type = typeOf(op.getSrc());
  int64_t size = bytesOf(type), rowBytes = int64_t(llvm::alignTo(npu::ubRowElements(type) * size, 32));
  Value from = rowAddress(op.getSrc(), op.getRow(), op.getCol());
  Value counts = e.word({{op.getRows(), 0}, {e.multiply(op.getCols(), size), 32}});
  bool fromL1 = npu::spaceOf(type) == npu::Space::L1;
  e.command(fromL1 ? "mte3.copy.l1" : "mte3.copy.ub",
            {op.getDst(), from, counts, op.getStride(), op.getPitch() ? op.getPitch() : e.constant(rowBytes)},
            {atomicCode(op) | int64_t(op.getBypass()) << 4});
}

void TransferLowering::nd2nz(npu::Nd2NzOp op) {
  MemRefType type = typeOf(op.getDst());
  e.command("mte2.nd2nz.l1",
            {nzAddress(op.getDst(), op.getRow(), op.getCol()), op.getSrc(),
             e.word({{op.getRows(), 0}, {op.getCols(), 32}}), op.getStride(),
             e.constant(npu::nzBlockStride(type))},
            {elementCode(op, type.getElementType()) | int64_t(op.getBypass()) << 4});
}

void TransferLowering::fill(npu::FillL1Op op) {
  MemRefType type = typeOf(op.getDst());
  Value value = e.inRegister(op.getValue());
  int64_t bits = npu::elementBits(type);
  Value pattern = value;
  if (bits < 32) { // the element repeated over 32 bits
    Value masked = e.builder().create<arith::AndIOp>(e.location(), value, e.constant((1 << bits) - 1));
    if (auto known = Emitter::constantValue(value))
      masked = e.constant(*known & ((1 << bits) - 1));
    pattern = e.multiply(masked, bits == 16 ? 0x00010001 : 0x01010101);
  }
  e.command("mte2.fill.l1", {e.address(op.getDst()), pattern, e.constant(npu::slotBytes(type))}, {0});
}

template <class Load>
void TransferLowering::loadFractals(Load op, llvm::StringRef mnemonic, int64_t step0, int64_t step1) {
  MemRefType type = typeOf(op.getSrc());
  Value size = e.word({{fractals(op.getSize0(), step0), 0}, {fractals(op.getSize1(), step1), 16}});
  e.command(mnemonic,
            {e.address(op.getDst()), nzAddress(op.getSrc(), op.getRow(), op.getCol()), size,
             e.constant(npu::nzBlockStride(type))},
            {elementCode(op, type.getElementType()) | int64_t(op.getTranspose()) << 4});
}

void TransferLowering::loadL0(npu::LoadL0AOp op) {
  loadFractals(op, "mte1.load.l0a", 16, blockElements(typeOf(op.getSrc()))); // (m, k)
}
void TransferLowering::loadL0(npu::LoadL0BOp op) {
  loadFractals(op, "mte1.load.l0b", blockElements(typeOf(op.getSrc())), 16); // (k, n)
}

static int64_t mmadUnitFlag(npu::UnitFlag flag) { return int64_t(flag) << 5; }

void TransferLowering::mmad(npu::MmadOp op) {
  Type element = typeOf(op.getA()).getElementType();
  e.command("m.mmad",
            {e.address(op.getC()), e.address(op.getA()), e.address(op.getB()),
             e.word({{op.getM(), 0}, {op.getK(), 16}, {op.getN(), 32}}), e.inRegister(op.getInit()),
             e.constant(0)},
            {elementCode(op, element, op.getHf32()) | mmadUnitFlag(op.getUnitFlag())});
}

void TransferLowering::emptyProduct(Value c, Value m, Value n, bool init, npu::UnitFlag unitFlag) {
  bool integers = typeOf(c).getElementType().isInteger(32);
  Type factors = integers ? Type(e.builder().getI8Type()) : Type(e.builder().getF16Type());
  Value none = e.constant(0);
  e.command("m.mmad", {e.address(c), none, none, e.word({{m, 0}, {n, 32}}), e.constant(init), none},
            {dtypeCode(factors) | mmadUnitFlag(unitFlag)});
}

void TransferLowering::clearAcc(npu::ClearAccOp op) {
  emptyProduct(op.getC(), op.getM(), op.getN(), true, op.getUnitFlag());
}

void TransferLowering::handOver(npu::HandOverOp op) {
  emptyProduct(op.getC(), op.getM(), op.getN(), false, npu::UnitFlag::change);
}

void TransferLowering::fixpipe(npu::FixpipeOp op) {
  MemRefType type = typeOf(op.getSrc());
  constexpr int64_t columns = 16, rowBytes = 64; // of a block of C
  Value blockStride = e.multiply(fractals(op.getM(), 16), 16 * rowBytes);
  Value block = e.divide(op.getCol(), columns);
  Value offset = Emitter::constantValue(block) == 0
                     ? e.constant(0)
                     : Value(e.builder().create<arith::MulIOp>(e.location(), block, blockStride));
  Value from = e.add(e.address(op.getSrc()), e.add(offset, e.multiply(op.getRow(), rowBytes)));
  int64_t imm = elementCode(op, op.getElement()) | int64_t(op.getBypass()) << 4 |
                int64_t(op.getAtomic()) << 5 | int64_t(op.getRelu()) << 7 |
                int64_t(op.getScale() != nullptr) << 8 | int64_t(type.getElementType().isInteger(32)) << 9 |
                int64_t(op.getUnitFlag()) << 10;
  e.command("fix.copy.gm",
            {op.getDst(), from, e.word({{op.getRows(), 0}, {op.getCols(), 32}}), op.getStride(), blockStride,
             op.getScale() ? e.inRegister(op.getScale()) : e.constant(0)},
            {imm});
}

} // namespace dlsim::codegen
