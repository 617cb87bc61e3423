// What each npu command reads and writes, as a flat table that multibuffer, plan_memory and sync share.
#pragma once
#include "codegen/dialects/npu/NpuDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <vector>

namespace dlsim::codegen {

constexpr unsigned unitCount = 7;

// On-chip: one npu.alloc. Global memory: the tensor behind one function argument (contract: arguments do not
// alias), or `unknownArgument` for an address that was itself read from memory, which may be any of them.
struct Buffer {
  static constexpr int unknownArgument = -1;
  npu::AllocOp alloc; // null for global memory
  int argument = unknownArgument;
  int64_t slotBytes = 0; // of one slot, padded as the scope lays it out
  int64_t slots = 1;
  std::optional<int64_t> offset; // within its scope, once planned
  npu::Space space = npu::Space::UB;

  bool onChip() const { return alloc != nullptr; }
  int64_t totalBytes() const { return slotBytes * slots; }
};

struct Access {
  mlir::Operation* op = nullptr;
  npu::Unit unit = npu::Unit::S;
  unsigned buffer = 0; // index into AccessTable::buffers
  bool write = false;
  mlir::Value slot;      // rotation index, null for a buffer with one slot
  bool part = false;     // of the buffer's bytes, not all of them
  bool unitFlag = false; // heeds the unit flags of the blocks of L0C
};

struct AccessTable {
  std::vector<Buffer> buffers;
  std::vector<Access> accesses; // in program order

  static AccessTable build(mlir::func::FuncOp function);
  // Whether the two buffers can share bytes: the same one, overlapping planned ranges of one scope, or global
  // memory that may be the same tensor.
  bool mayOverlap(unsigned a, unsigned b) const;
};

// Whether a command heeds the unit flags of its blocks of L0C.
bool heedsUnitFlags(mlir::Operation* op);

// Whether unit flags alone keep a product into `second` from what a store still has to take from `first`: the
// values of a store move when it has read its last block, so the product must need all of them.
bool waitsForAllBlocks(const Buffer& first, const Buffer& second);
// The conditional that runs either one or the other; null if there is none.
mlir::scf::IfOp exclusiveBranch(mlir::Operation* a, mlir::Operation* b);

// The npu.alloc behind a memref operand, the rotation index on the way to it, and for a part of it the byte
// where that begins.
struct Root {
  npu::AllocOp alloc;
  mlir::Value slot;
  std::optional<int64_t> part;
};
Root rootOf(mlir::Value memref);

// Follows a rotation counter from its use up through the loops that carry it: the outermost loop whose
// iterations it counts through, or null when the value is not such a counter. `loop` is the loop that
// advances it.
mlir::Operation* rotationRoot(mlir::Value slot, mlir::Operation* loop);

// The ancestor of `op` that lies directly in `block` (op itself if it does); null if there is none.
mlir::Operation* ancestorIn(mlir::Block* block, mlir::Operation* op);
// The innermost block that holds (ancestors of) both.
mlir::Block* commonBlock(mlir::Operation* a, mlir::Operation* b);
// The innermost loop around the ops of `block`, null if there is none.
mlir::Operation* loopAround(mlir::Block* block);

// "a" from the alloc's name, else "buffer".
llvm::StringRef nameOf(npu::AllocOp alloc);

} // namespace dlsim::codegen
