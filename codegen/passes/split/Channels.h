// What crosses between the cube and the vector side of a kernel.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/dialects/npu/NpuDialect.h"
#include "codegen/dialects/tt/TtDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dlsim::codegen {

constexpr size_t mostChannels = 11; // cross-core flags 0..10; the others belong to the launcher's protocols
constexpr int64_t workspaceAlign = 512; // bytes: places do not share a cache line

inline bool isTile(mlir::Value value) { return llvm::isa<mlir::RankedTensorType>(value.getType()); }

// One tensor that one side computes and the other reads, through a place of its own in the group's workspace.
struct Channel {
  mlir::Value value;
  bool toVector = false; // an accumulator that vector code reads; else a dot operand from vector code
  int64_t id = 0;        // cross-core flag: "full" one way, "free" the other way
  int64_t offset = 0;    // bytes in the workspace
};

struct Crossing {
  llvm::SmallVector<Channel> channels;
  llvm::SetVector<mlir::Value> accumulators; // live in L0C
  llvm::SetVector<mlir::Operation*> fused;   // casts and stores that the fixpipe does
  int64_t workspaceBytes = 0;
};

// Products whose accumulator comes from vector code start from zero, and the vector side adds it.
void separateAccumulators(mlir::func::FuncOp function);

// Fails with a message when there are more channels than cross-core flags.
mlir::FailureOr<Crossing> findCrossing(mlir::func::FuncOp function);

// The tensor behind a dot operand, without transposes.
mlir::Value operandSource(mlir::Value operand);

} // namespace dlsim::codegen
