// One side of a loop whose two stages run some iterations apart.
#pragma once
#include "codegen/passes/split/Stages.h"

namespace dlsim::codegen {

// Bytes of tiles that the first stage hands to the second; they are kept once an iteration of distance.
// Nothing if something is handed on that cannot be kept (pointers).
std::optional<int64_t> handedBytes(const StagedLoop& staged);

// On loops of a few iterations only: their buffers get no slots, which the loop that matters needs more.
inline constexpr llvm::StringLiteral briefLoop = "dl.brief";

// Runs stage 0 `distance` iterations ahead of stage 1: a loop that does only stage 0 for the first
// iterations, one that does stage 0 of iteration i + distance and stage 1 of iteration i, and one that does
// only stage 1 for the last ones. Right for every number of iterations, also for fewer than `distance` and
// none.
void skew(const StagedLoop& staged, int64_t distance);

// The same, and the last iterations of the loop run with the first ones in the next turn of the loop
// around, which takes one turn more (see whyTasksWait).
void skewAcross(const StagedLoop& staged, int64_t distance);

} // namespace dlsim::codegen
