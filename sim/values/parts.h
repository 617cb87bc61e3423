// One function per command family; execute.cpp dispatches to them.
#pragma once

#include "sim/core/core_state.h"
#include "sim/values/access.h"
#include "sim/values/number.h"

namespace dlsim::values {

// transfer.cpp
void copyIn(const core::Command& c, core::Space target, core::CoreState& state, GlobalMemory& gm);
void copyOut(const core::Command& c, core::Space source, core::CoreState& state, GlobalMemory& gm);
void nd2nz(const core::Command& c, core::CoreState& state, GlobalMemory& gm);
void fillL1(const core::Command& c, core::CoreState& state);
void gatherRows(const core::Command& c, core::CoreState& state, GlobalMemory& gm);
void loadTable(const core::Command& c, core::Space target, core::CoreState& state);
// Stores or combines `bytes` bytes of dtype elements; atomic: 0 store, 1 add, 2 max, 3 min.
void combine(uint8_t* target, const uint8_t* source, uint64_t bytes, DType dtype, unsigned atomic);

// fractal.cpp
void loadL0A(const core::Command& c, core::CoreState& state);
void img2ColL0A(const core::Command& c, core::CoreState& state);
void loadL0B(const core::Command& c, core::CoreState& state);

// mmad.cpp, fixpipe.cpp
void mmad(const core::Command& c, core::CoreState& state);
void fixToGm(const core::Command& c, core::CoreState& state, GlobalMemory& gm);
void fixToL1(const core::Command& c, core::CoreState& state);

// vector_*.cpp; all return false for an opcode that is not theirs
bool vectorElementwise(const core::Command& c, core::CoreState& state);
bool vectorCast(const core::Command& c, core::CoreState& state);
bool vectorMove(const core::Command& c, core::CoreState& state);
bool vectorReduce(const core::Command& c, core::CoreState& state);

} // namespace dlsim::values
