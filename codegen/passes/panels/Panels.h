// Pass dl-panels: several steps of a K loop share one L1 tile of each operand.
#pragma once
#include "codegen/passes/plan_memory/target.h"

#include "mlir/Pass/Pass.h"

#include <memory>
#include <optional>
#include <string>

namespace dlsim::codegen {

// K steps that share a tile. "auto": as many as make rows of `wideRowBytes`, as far as `slots` tiles of every
// operand fit L1; "off": one; "N": N (memory planning says whether that fits).
struct PanelWish {
  std::string text = "auto";
  std::optional<int64_t> steps; // nothing: automatic

  static std::optional<PanelWish> parse(llvm::StringRef text);
};
constexpr int64_t mostPanelSteps = 64;
// Bytes of a row from which on a copy of rows to L1 runs at its full rate (a line of the L2).
constexpr int64_t wideRowBytes = 512;

struct PanelOptions {
  PanelWish wish;
  int64_t slots = 2;  // copies of an L1 tile that rotate
  bool halves = true; // sums that fill L0C in halves of their columns
  bool ahead = true;  // larger operands are loaded first, with a slot more if there is room
  TargetMemory target;
};

std::unique_ptr<mlir::Pass> createPanelsPass(PanelOptions options = {});
void registerPanelsPass();

} // namespace dlsim::codegen
