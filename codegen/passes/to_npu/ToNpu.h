// Pass dl-to-npu (bufferisation): tensors become tiles in on-chip memories, operations on them commands.
// Pass npu-inplace: an elementwise result takes over the buffer of an operand that ends there.
// Pass npu-join-pieces: small commands of several pieces of rows become one.
#pragma once
#include "mlir/Pass/Pass.h"

#include "codegen/support/Coalesce.h"
#include <memory>

namespace dlsim::codegen {

std::unique_ptr<mlir::Pass> createDlToNpuPass(Coalesce coalesce = Coalesce::full);
std::unique_ptr<mlir::Pass> createNpuInplacePass();
std::unique_ptr<mlir::Pass> createNpuJoinPiecesPass();
void registerDlToNpuPasses();

} // namespace dlsim::codegen
