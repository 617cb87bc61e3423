// What of a loop's body must wait for which crossing between cube and vector core.
#pragma once
#include "codegen/passes/split/Links.h"

#include <string>

namespace dlsim::codegen {

// Plain accesses to global memory.
bool isLoad(mlir::Operation* op);
bool isStore(mlir::Operation* op);
// Which argument of the kernel an access touches; nothing if it is not known.
std::optional<int64_t> argumentOf(mlir::Operation* op);

// One side's half of a loop that both functions have. A body is a chain of phases, numbered over both sides:
// what reads a channel is a phase later than what writes it. The phases of one side are its stages, 0 and
// perhaps 1.
//
// Bound operations have a stage: those that depend on what comes from the other side, and those with effects.
// All else (indices, loads, masks, products of loaded tiles) is free: each stage that needs it has its own
// copy.
struct StagedLoop {
  mlir::func::FuncOp function;
  mlir::scf::ForOp loop;
  llvm::SmallVector<Link> links;
  llvm::DenseMap<mlir::Operation*, unsigned> phaseOf; // of bound operations in the body
  llvm::DenseMap<unsigned, unsigned> carriedPhase;    // of bound loop-carried values, by number
  llvm::SmallVector<unsigned> phases;                 // of this side, ascending; a stage each

  mlir::Block* body() const { return mlir::scf::ForOp(loop).getBody(); }
  bool isBound(mlir::Operation* op) const { return phaseOf.contains(op); }
  unsigned stageOf(unsigned phase) const;
  // The phase of a value that is bound in this loop's body; nothing for other values.
  std::optional<unsigned> phase(mlir::Value value) const;
  // Values from the body or the loop's arguments that `op` reads, also within its regions.
  llvm::SmallVector<mlir::Value> reads(mlir::Operation* op) const;
};

// Finds the phases of two halves of one loop. An empty string if they can run skewed, else why not.
std::string findStages(StagedLoop& cube, StagedLoop& vector);

} // namespace dlsim::codegen
