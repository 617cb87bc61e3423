// Pass dl-pieces, before dl-dot: products whose tiles leave no room for the next ones are computed piece by
// piece.
#pragma once
#include "codegen/passes/plan_memory/target.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace dlsim::codegen {

// On a product (tt.dot, then dl.dot): its steps along K are no loop.
inline constexpr llvm::StringLiteral straightProduct = "dl.straight";

std::unique_ptr<mlir::Pass> createPiecesPass(TargetMemory target = {});
void registerPiecesPass();

} // namespace dlsim::codegen
