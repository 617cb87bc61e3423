// The npu dialect (see NpuOps.td) and the layout of tiles.
//
// A tile is a memref of rank 1 or 2 with a static shape and memory space #npu.space<..>. Sizes in bytes, S =
// element size. UB: rank 1 contiguous. Rank 2: row stride = cols rounded up to 16 elements (32 for 8-bit
// types), the same number of
//   elements for every type, so that elementwise commands and casts run over the whole tile as one run.
//   Tensor dimensions of size 1 are dropped before. i1: one bit an element in the same order, rank 2 with the
//   same row stride.
// L1: Nz of (rows, cols), C0 = 32 / S: element (r, c) at (c / C0) * W + r * 32 + (c % C0) * S, W =
// nzBlockStride(type).
//   Both dimensions are padded to max(16, C0), so that either fractal orientation can be read.
// L0A, L0B, L0C: the ISA's fractal layouts of the whole tile: (m, k), (k, n), (m, n).
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "codegen/dialects/npu/NpuOpsDialect.h.inc"
#include "codegen/dialects/npu/NpuOpsEnums.h.inc"

namespace dlsim::npu {

// On a function: what its npu.print and npu.trap say, an array of dictionaries (text, line, kind, hex,
// programs, values).
inline constexpr llvm::StringLiteral kMessagesAttr = "npu.messages";

// Effects on global memory; effects on buffers use the default resource.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "global memory"; }
};

struct GmAccess {
  std::optional<int64_t> arg; // function argument the address points into; absent: any
  mlir::Value address;
  bool write;
};

// What an operation declares to read or write, over memref operands.
llvm::SmallVector<mlir::Value> bufferAccesses(mlir::Operation* op, bool writes);
std::optional<GmAccess> gmAccessOf(mlir::Operation* op);

} // namespace dlsim::npu

#include "codegen/dialects/npu/NpuOpsInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "codegen/dialects/npu/NpuOpsAttrs.h.inc"
#define GET_OP_CLASSES
#include "codegen/dialects/npu/NpuOps.h.inc"

namespace dlsim::npu {

Space spaceOf(mlir::MemRefType type);
int64_t elementBits(mlir::MemRefType type);
// Bytes of one slot, rounded up to 32 (512 in L0A, L0B, L0C).
int64_t slotBytes(mlir::MemRefType type);
// UB: elements from one row to the next (the size itself for rank 1), and all elements, row padding included.
int64_t ubRowElements(mlir::MemRefType type);
int64_t ubElements(mlir::MemRefType type);
// L1: W of the Nz layout, bytes.
int64_t nzBlockStride(mlir::MemRefType type);
// The buffer behind slots and other views.
mlir::Value bufferRoot(mlir::Value buffer);

} // namespace dlsim::npu
