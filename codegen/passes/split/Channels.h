// What crosses between the cube and the vector side of a kernel, and the places for it in the workspace.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dlsim::codegen {

constexpr int64_t workspaceAlign = 512; // bytes: places do not share a cache line

inline bool isTile(mlir::Value value) { return llvm::isa<mlir::RankedTensorType>(value.getType()); }

// One tensor that one side computes and the other reads, through a place of its own in the group's workspace.
struct Channel {
  mlir::Value value;
  bool toVector = false; // an accumulator that vector code reads; else a dot operand from vector code
  int64_t id = 0;        // of its cross-core flag: "full" one way, "free" the other way
  int64_t offset = 0;    // bytes in the workspace
};

struct Crossing {
  llvm::SmallVector<Channel> channels;
  llvm::SetVector<mlir::Value> accumulators; // live in L0C
  llvm::SetVector<mlir::Operation*> fused;   // casts and stores that the fixpipe does
  int64_t workspaceBytes = 0;
};

inline int64_t placeBytes(mlir::RankedTensorType type) {
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return int64_t(llvm::alignTo(uint64_t(bytes), workspaceAlign));
}

// A tensor's place in the group's workspace, as operands of dl.load and dl.store.
struct Place {
  mlir::Value base;
  llvm::SmallVector<mlir::Value, 2> strides, lo, hi;
};
Place placeAt(mlir::OpBuilder& builder, mlir::Location loc, mlir::RankedTensorType type, int64_t offset);

// Right behind where a value is computed or, if it is a block's argument, at the block's start.
void afterDefinition(mlir::OpBuilder& builder, mlir::Value value);

// Products whose accumulator comes from vector code start from zero, and the vector side adds it. Where a
// loop or a branch hands on either a product or something else, vector code does.
void separateAccumulators(mlir::func::FuncOp function);

// The first channel's number is the number of places in use before.
Crossing findCrossing(mlir::func::FuncOp function, int64_t placesBefore, int64_t bytesBefore);

// The tensor behind a dot operand, without transposes.
mlir::Value operandSource(mlir::Value operand);

} // namespace dlsim::codegen
