// Pass dl-cv-pipeline: lets the cube and the vector cores of a mixed kernel work on different iterations of a
// loop.
#pragma once
#include "mlir/Pass/Pass.h"

#include <memory>
#include <optional>

namespace dlsim::codegen {

constexpr int mostCvDepth = 4;

// depth: how many iterations are in flight at once, 1 (none overlaps) to mostCvDepth; nothing: as many as
// pay.
std::unique_ptr<mlir::Pass> createCvPipelinePass(std::optional<int> depth = std::nullopt);
void registerCvPipelinePass();

// "auto" or a number from 1 to mostCvDepth; false for other text.
bool parseCvDepth(llvm::StringRef text, std::optional<int>& depth);

} // namespace dlsim::codegen
