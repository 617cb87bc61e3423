// Pass dl-coarsen, after dl-blockify: neighbouring programs of a launch become one program with larger tiles.
#pragma once
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace dlsim::codegen {

inline constexpr llvm::StringLiteral coarsened = "dl.coarsened"; // unit, on func.func: what was done

// `chip` names the chip file that says what products and loads cost.
std::unique_ptr<mlir::Pass> createCoarsenPass(std::string chip = "ascend910b1");
void registerCoarsenPass();

} // namespace dlsim::codegen
