// Pass dl-expand: operations without a command of their own become arithmetic that the units have.
#pragma once
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace dlsim::codegen {

std::unique_ptr<mlir::Pass> createExpandPass();
void registerExpandPass();

// dl-halve, before tiles become buffers: reductions without a command of their own combine halves of tiles.
// `ubBytes`: the size of UB, which has to hold what comes of them.
inline constexpr llvm::StringLiteral halved = "dl.halved"; // unit, on func.func: there were some
std::unique_ptr<mlir::Pass> createHalvePass(int64_t ubBytes);
void registerHalvePass();

// exp2 becomes exp where its factor ln 2 can go into scalars that scale its argument.
void scaleExponents(mlir::Operation* root);

// Each replaces `op` and succeeds, or leaves it alone and fails.
mlir::LogicalResult expandFunction(mlir::Operation* op, mlir::PatternRewriter& rewriter);
mlir::LogicalResult expandInteger(mlir::Operation* op, mlir::PatternRewriter& rewriter);
mlir::LogicalResult expandWideProduct(mlir::Operation* op, mlir::PatternRewriter& rewriter);
mlir::LogicalResult expandConversion(mlir::Operation* op, mlir::PatternRewriter& rewriter);
mlir::LogicalResult expandProduct(mlir::Operation* op, mlir::PatternRewriter& rewriter);
mlir::LogicalResult expandQuotient(mlir::Operation* op, mlir::PatternRewriter& rewriter);
mlir::LogicalResult expandWide(mlir::Operation* op, mlir::PatternRewriter& rewriter);
mlir::LogicalResult expandLibDevice(mlir::Operation* op, mlir::PatternRewriter& rewriter);

} // namespace dlsim::codegen
