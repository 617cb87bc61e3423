#include "codegen/passes/to_llvm/emitter.h"

#include "codegen/passes/npu_analysis/accesses.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {

int64_t dtypeCode(Type type, bool isUnsigned) {
  if (type.isF16())
    return 0;
  if (type.isBF16())
    return 1;
  if (type.isF32())
    return 2;
  if (type.isInteger(8))
    return isUnsigned ? 7 : 3;
  if (type.isInteger(16))
    return isUnsigned ? 8 : 4;
  if (type.isInteger(32))
    return isUnsigned ? 9 : 5;
  if (type.isInteger(64))
    return isUnsigned ? 11 : 10;
  return -1;
}

Emitter::Emitter(ModuleOp module, func::FuncOp function)
    : module(module), b(function.getContext()),
      entry(&function.getBody().front(), function.getBody().front().begin()),
      loc(UnknownLoc::get(function.getContext())) {}

void Emitter::at(Operation* op) {
  b.setInsertionPoint(op);
  loc = op->getLoc();
}

Value Emitter::constant(int64_t value) {
  Value& cached = constants[value];
  if (!cached)
    cached = entry.create<arith::ConstantIntOp>(UnknownLoc::get(b.getContext()), value, 64);
  return cached;
}

std::optional<int64_t> Emitter::constantValue(Value value) {
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

Value Emitter::add(Value x, Value y) {
  auto cx = constantValue(x), cy = constantValue(y);
  if (cx && cy)
    return constant(*cx + *cy);
  if (cx == 0)
    return y;
  if (cy == 0)
    return x;
  return b.create<arith::AddIOp>(loc, x, y);
}

Value Emitter::multiply(Value x, int64_t y) {
  if (auto cx = constantValue(x))
    return constant(*cx * y);
  return y == 1 ? x : Value(b.create<arith::MulIOp>(loc, x, constant(y)));
}

Value Emitter::divide(Value x, int64_t y) {
  assert(llvm::isPowerOf2_64(y) && "only powers of two are divided by");
  if (auto cx = constantValue(x))
    return constant(*cx / y);
  return y == 1 ? x : Value(b.create<arith::ShRUIOp>(loc, x, constant(llvm::Log2_64(y))));
}

Value Emitter::remainder(Value x, int64_t y) {
  assert(llvm::isPowerOf2_64(y) && "only powers of two are divided by");
  if (auto cx = constantValue(x))
    return constant(*cx % y);
  return b.create<arith::AndIOp>(loc, x, constant(y - 1));
}

Value Emitter::word(llvm::ArrayRef<Field> fields) {
  uint64_t fixed = 0;
  Value rest;
  for (const Field& field : fields) {
    if (auto known = constantValue(field.value)) {
      fixed |= uint64_t(*known) << field.shift;
      continue;
    }
    Value part = field.shift ? b.create<arith::ShLIOp>(loc, field.value, constant(field.shift)) : field.value;
    rest = rest ? b.create<arith::OrIOp>(loc, rest, part) : part;
  }
  if (!rest)
    return constant(int64_t(fixed));
  return fixed ? Value(b.create<arith::OrIOp>(loc, rest, constant(int64_t(fixed)))) : rest;
}

Value Emitter::inRegister(Value scalar) {
  Type type = scalar.getType();
  Attribute known;
  if (matchPattern(scalar, m_Constant(&known))) {
    if (auto number = dyn_cast<FloatAttr>(known))
      return constant(int64_t(number.getValue().bitcastToAPInt().getZExtValue()));
    if (auto number = dyn_cast<IntegerAttr>(known))
      return constant(type.isInteger(1) ? int64_t(number.getValue().getZExtValue())
                                        : number.getValue().getSExtValue());
  }
  if (type.isInteger(64))
    return scalar;
  if (type.isIndex())
    return b.create<arith::IndexCastOp>(loc, b.getI64Type(), scalar);
  if (type.isInteger(1))
    return b.create<arith::ExtUIOp>(loc, b.getI64Type(), scalar);
  if (type.isInteger())
    return b.create<arith::ExtSIOp>(loc, b.getI64Type(), scalar);
  Value bits = b.create<arith::BitcastOp>(loc, b.getIntegerType(type.getIntOrFloatBitWidth()), scalar);
  return b.create<arith::ExtUIOp>(loc, b.getI64Type(), bits);
}

Value Emitter::fromRegister(Value bits, Type type) {
  if (type.isInteger(64))
    return bits;
  if (type.isIndex())
    return b.create<arith::IndexCastOp>(loc, type, bits);
  if (type.isInteger())
    return b.create<arith::TruncIOp>(loc, type, bits);
  Value narrow = b.create<arith::TruncIOp>(loc, b.getIntegerType(type.getIntOrFloatBitWidth()), bits);
  return b.create<arith::BitcastOp>(loc, type, narrow);
}

void Emitter::declare(llvm::StringRef name, Type result, size_t arguments) {
  if (!declared.insert(name).second || module.lookupSymbol(name)) // by the other function of a mixed kernel
    return;
  OpBuilder top = OpBuilder::atBlockEnd(module.getBody());
  llvm::SmallVector<Type> types(arguments, top.getI64Type());
  top.create<LLVM::LLVMFuncOp>(UnknownLoc::get(b.getContext()), name,
                               LLVM::LLVMFunctionType::get(result, types));
}

LLVM::CallOp Emitter::call(llvm::StringRef mnemonic, TypeRange results, llvm::ArrayRef<Value> registers,
                           llvm::ArrayRef<int64_t> immediates) {
  std::string name = ("dlnpu." + mnemonic).str();
  llvm::SmallVector<Value> operands(registers.begin(), registers.end());
  for (int64_t immediate : immediates)
    operands.push_back(constant(immediate));
  declare(name, results.empty() ? LLVM::LLVMVoidType::get(b.getContext()) : results.front(), operands.size());
  return b.create<LLVM::CallOp>(loc, results, name, operands);
}

void Emitter::command(llvm::StringRef mnemonic, llvm::ArrayRef<Value> registers,
                      llvm::ArrayRef<int64_t> immediates) {
  call(mnemonic, TypeRange(), registers, immediates);
}

Value Emitter::query(llvm::StringRef mnemonic, llvm::ArrayRef<Value> registers,
                     llvm::ArrayRef<int64_t> immediates) {
  return call(mnemonic, TypeRange(b.getI64Type()), registers, immediates).getResult();
}

Value Emitter::specialRegister(int64_t number) { return query("sreg", {}, {number}); }

Value Emitter::address(Value buffer) {
  Root root = rootOf(buffer);
  Value base = constant(root.alloc.getOffset().value_or(0) + root.part.value_or(0));
  if (!root.slot)
    return base;
  return add(multiply(root.slot, npu::slotBytes(cast<MemRefType>(root.alloc.getType()))), base);
}

Value Emitter::pointer(Value address, unsigned addressSpace) {
  return b.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b.getContext(), addressSpace), address);
}

} // namespace dlsim::codegen
