// npu-bound: remarks with the least cycles that an iteration of each loop takes on each unit, from the chip
// file.
//
// What is counted: the data of each command at its unit's rate and the vector unit's start-ups; copies at the
// core's share of L2 when all cores copy; bytes that are read and written at its share of HBM, if nothing of
// them is in L2. Sizes that the launch decides count as those of the whole tile. Loops of a known number of
// turns are part of the loop around them; of an if the longer branch counts.
#pragma once
#include "mlir/Pass/Pass.h"

#include <string>

namespace dlsim::codegen {

std::unique_ptr<mlir::Pass> createBoundPass(std::string chip = "ascend910b1");
void registerBoundPass();

} // namespace dlsim::codegen
