// Lowering of npu operations, one class a group of units. Each returns true if the operation was one of its
// own and has been emitted (the caller erases it), and reports an error on the operation when the ISA cannot
// express it.
#pragma once
#include "codegen/passes/to_llvm/emitter.h"

namespace dlsim::codegen {

// MTE1, MTE2, MTE3, M, FIX.
class TransferLowering {
public:
  explicit TransferLowering(Emitter& emitter) : e(emitter) {}
  bool lower(mlir::Operation* op);

private:
  void copyIn(npu::CopyInOp op);
  void copyOut(npu::CopyOutOp op);
  void nd2nz(npu::Nd2NzOp op);
  void fill(npu::FillL1Op op);
  void loadL0(npu::LoadL0AOp op);
  void loadL0(npu::LoadL0BOp op);
  template <class Load> void loadFractals(Load op, llvm::StringRef mnemonic, int64_t step0, int64_t step1);
  void mmad(npu::MmadOp op);
  void clearAcc(npu::ClearAccOp op);
  void handOver(npu::HandOverOp op);
  void emptyProduct(mlir::Value c, mlir::Value m, mlir::Value n, bool init, npu::UnitFlag unitFlag);
  void fixpipe(npu::FixpipeOp op);
  mlir::Value rowAddress(mlir::Value buffer, mlir::Value row, mlir::Value column);
  mlir::Value nzAddress(mlir::Value buffer, mlir::Value row, mlir::Value column);
  mlir::Value fractals(mlir::Value elements, int64_t step);

  Emitter& e;
};

// Scalar unit, special registers, flags.
class ScalarLowering {
public:
  ScalarLowering(Emitter& emitter, unsigned arguments) : e(emitter), arguments(arguments) {}
  bool lower(mlir::Operation* op);

private:
  void loadScalar(npu::LoadScalarOp op);
  void storeScalar(npu::StoreScalarOp op);
  void update(npu::GmAtomicOp op);
  void flags(mlir::Operation* op);
  void coreCount(npu::CoreCountOp op);
  void workspace(npu::WorkspaceOp op);
  mlir::Value bitAddress(mlir::Value buffer, mlir::Value index);

  Emitter& e;
  unsigned arguments; // of the kernel: the grid follows them in the argument block
};

// Bytes of one slot of the argument block; the order of slots is the contract's ABI.
constexpr int64_t argumentSlotBytes = 8;
constexpr int64_t argumentBaseRegister = 3; // sreg
mlir::Value loadArgumentSlot(Emitter& emitter, int64_t slot, mlir::Type type);

} // namespace dlsim::codegen
