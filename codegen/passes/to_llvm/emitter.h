// Builds calls of dlnpu.* functions and the scalar arithmetic of their operands. Everything is i64;
// arithmetic on constants is folded on the spot, so that most operands are constants by the time LLVM sees
// them.
#pragma once
#include "codegen/dialects/npu/NpuDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace dlsim::codegen {

// A field of a configuration word: value << shift.
struct Field {
  mlir::Value value;
  unsigned shift;
};

class Emitter {
public:
  Emitter(mlir::ModuleOp module, mlir::func::FuncOp function);

  // Where and for which source position the next instructions are built.
  void at(mlir::Operation* op);
  mlir::OpBuilder& builder() { return b; }
  mlir::Location location() const { return loc; }

  mlir::Value constant(int64_t value);
  static std::optional<int64_t> constantValue(mlir::Value value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return add(x, constant(y)); }
  mlir::Value multiply(mlir::Value x, int64_t y);
  // For x >= 0 and y a power of two.
  mlir::Value divide(mlir::Value x, int64_t y);
  mlir::Value remainder(mlir::Value x, int64_t y);
  mlir::Value word(llvm::ArrayRef<Field> fields);

  // The register that holds a scalar: integers sign-extended (i1 zero-extended), floats as their bits.
  mlir::Value inRegister(mlir::Value scalar);
  // A scalar of `type` from the register it is held in.
  mlir::Value fromRegister(mlir::Value bits, mlir::Type type);

  // dlnpu.<mnemonic>(registers.., immediates..)
  void command(llvm::StringRef mnemonic, llvm::ArrayRef<mlir::Value> registers,
               llvm::ArrayRef<int64_t> immediates);
  // The same, with a result: an i64.
  mlir::Value query(llvm::StringRef mnemonic, llvm::ArrayRef<mlir::Value> registers,
                    llvm::ArrayRef<int64_t> immediates);
  mlir::Value specialRegister(int64_t number);

  // Byte address of a buffer (slot) within its memory.
  mlir::Value address(mlir::Value buffer);
  mlir::Value pointer(mlir::Value address, unsigned addressSpace);

private:
  void declare(llvm::StringRef name, mlir::Type result, size_t arguments);
  mlir::LLVM::CallOp call(llvm::StringRef mnemonic, mlir::TypeRange results,
                          llvm::ArrayRef<mlir::Value> registers, llvm::ArrayRef<int64_t> immediates);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::OpBuilder entry; // where constants live
  mlir::Location loc;
  std::map<int64_t, mlir::Value> constants; // a DenseMap keeps two keys for itself
  llvm::StringSet<> declared;
};

// The ISA's code of an element type, -1 if it has none. `isUnsigned` picks the unsigned code of an integer.
int64_t dtypeCode(mlir::Type type, bool isUnsigned = false);

} // namespace dlsim::codegen
