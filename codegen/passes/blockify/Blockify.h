// Pass dl-blockify: a kernel written for a grid of programs becomes a function that every core runs, looping
// over its share of the grid (task = core; task < total; task += cores).
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace dlsim::blockify {
struct BlockifyOptions {
  std::string order;     // see parseTaskOrder; empty: rows
  std::string orderGrid; // "MxN": what the index of a one-dimensional grid means (row-major over M x N tiles)
  bool kOffset = false;  // core p starts its K loops at tile p mod nK and wraps round
};

// Attribute names on the result: the parallel loop, and on the function what was done.
inline constexpr llvm::StringLiteral kParallelAttr = "dl.parallel"; // unit, on the persistent scf.for
inline constexpr llvm::StringLiteral kLineAttr =
    "dl.line"; // i64, on it: the grid's dimension along which tasks are consecutive
inline constexpr llvm::StringLiteral kOrderAttr = "dl.order";        // string, on func.func
inline constexpr llvm::StringLiteral kGridRankAttr = "dl.grid_rank"; // i64, on func.func
inline constexpr llvm::StringLiteral kKOffsetAttr = "dl.k_offset";   // unit, on func.func

std::unique_ptr<mlir::Pass> createBlockifyPass(BlockifyOptions options = {});
void registerBlockifyPass();

// Starts the K loops (loops that carry a dot's accumulator) below `root` at tile `core` mod their tile count;
// true if one was changed. A loop that cannot be changed gets a warning that says why.
bool applyKOffset(mlir::Operation* root, mlir::Value core);
} // namespace dlsim::blockify
