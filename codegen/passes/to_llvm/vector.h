// V: whole-tile operations to 256-byte repeats. Commands cover up to 255 repeats; a short last repeat runs
// under a lane mask. The lane state is tracked through straight-line code, so that a mask is set only when it
// changes; every block begins and ends with all lanes on.
#pragma once
#include "codegen/dialects/npu/VectorForms.h"
#include "codegen/passes/to_llvm/emitter.h"

namespace dlsim::codegen {

class VectorLowering {
public:
  explicit VectorLowering(Emitter& emitter) : e(emitter) {}
  bool lower(mlir::Operation* op);
  // All lanes on again, before control leaves a block. Emits at the emitter's place.
  void endOfBlock() { lanes(repeatLanes, repeatLanes); }

private:
  static constexpr int64_t repeatBytes = 256, blockBytes = 32, mostRepeats = 255;
  static constexpr int64_t repeatLanes = 128;

  // One operand in UB of a command.
  struct Side {
    mlir::Value base;
    int64_t size;        // bytes of an element
    int64_t block = 1;   // strides in units of 32 bytes
    int64_t repeat = -1; // -1: repeats follow each other
    bool bits = false;   // a bit mask: one bit an element
  };
  using Sides = llvm::SmallVector<Side, 3>; // dst, src0, src1

  // Issues one command: bases of the sides, the strides word, elements before this command.
  using Issue =
      llvm::function_ref<void(llvm::ArrayRef<mlir::Value> bases, mlir::Value strides, int64_t first)>;
  // Runs over `count` elements, repeat by repeat on every side.
  void run(int64_t count, const Sides& sides, Issue issue);
  // The same in one command where the last repeat is short, in count mode.
  void runAtOnce(int64_t count, const Sides& sides, Issue issue);
  // `rows` repeats with the sides' own repeat strides, `width` lanes each.
  void runRows(int64_t rows, int64_t width, const Sides& sides, Issue issue);
  mlir::Value strides(const Sides& sides, int64_t elements, int64_t repeats);
  llvm::SmallVector<mlir::Value, 3> bases(const Sides& sides, int64_t bytesOfLargest, int64_t elements);

  void lanes(int64_t first, int64_t width); // `first` of `width` lanes
  void mask(uint64_t low, uint64_t high);
  void count(int64_t elements);
  void count(mlir::Value elements);

  // A tile as a run of elements that v.* can treat: type, size and number.
  struct Run {
    mlir::Type type;
    int64_t size;
    int64_t count;
  };
  Run runOf(mlir::Value buffer);
  Run bitsOf(mlir::Value buffer); // as 16-bit elements

  void binary(npu::VBinaryOp op);
  void scalar(npu::VScalarOp op);
  void unary(npu::VUnaryOp op);
  void cast(npu::VCastOp op);
  void compare(mlir::Operation* op, npu::CmpKind kind, mlir::Value dst, mlir::Value lhs, mlir::Value rhs);
  void select(mlir::Operation* op, mlir::Value dst, mlir::Value mask, mlir::Value lhs, mlir::Value rhs);
  void dup(npu::VDupOp op);
  void iota(npu::VIotaOp op);
  void reduce(npu::VReduceOp op);
  void reduceInStages(npu::VReduceOp op, llvm::ArrayRef<npu::ReduceStage> stages);
  void foldBlocks(npu::ReduceKind kind, mlir::Type type, mlir::Value dst, mlir::Value src, int64_t rows,
                  int64_t blocks);
  void reduceRepeats(llvm::StringRef mnemonic, mlir::Value dst, mlir::Value src, int64_t repeats,
                     int64_t width, int64_t blocks, mlir::Type type);
  void reduceAll(npu::VReduceOp op, llvm::StringRef mnemonic);
  void reduceRows(npu::VReduceOp op, llvm::StringRef mnemonic);
  void reduceColumns(npu::VReduceOp op);
  void fold(npu::ReduceKind kind, mlir::Type type, mlir::Value dst, mlir::Value lhs, mlir::Value rhs,
            int64_t count);
  void copy(mlir::Type type, mlir::Value dst, mlir::Value src, int64_t count);
  void offsets(npu::VOffsetsOp op);
  void gather(npu::VGatherOp op);
  void spread(npu::VSpreadOp op);
  void move(npu::VMoveOp op);
  void transpose(npu::VTransOp op);
  void blocks(npu::VBlocksOp op);
  void spreadBlocks(mlir::Type type, mlir::Value dst, mlir::Value src, int64_t elements);
  void column(npu::VColumnOp op);
  void broadcastRow(npu::VBrcOp op);
  void broadcastColumn(npu::VBrcOp op);

  // What the queue's lane state is at this point.
  struct Lanes {
    enum Kind { masked, counted } kind = masked;
    uint64_t low = ~0ull, high = ~0ull;
    int64_t count = 0;
  };
  Lanes state;
  Emitter& e;
};

} // namespace dlsim::codegen
