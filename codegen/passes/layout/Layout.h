// Pass dl-layout, after dl-access: tiles whose rows lie along the wrong dimension in memory are computed the
// other way round.
#pragma once
#include "mlir/Pass/Pass.h"

#include <memory>

namespace dlsim::codegen {

struct LayoutOptions {
  bool report = false;                 // one line for each access whose tile turns, on `stream`
  llvm::raw_ostream* stream = nullptr; // null: standard error
};
std::unique_ptr<mlir::Pass> createLayoutPass(LayoutOptions options = {});
void registerLayoutPass();

} // namespace dlsim::codegen
