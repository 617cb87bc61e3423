// The value semantics of every command: what isa/isa/DLNPU{Transfer,Cube,Vector}.td says in words.
// The result has the same bits on every host and for every build of this library.
#pragma once

#include "sim/core/command.h"
#include "sim/core/core_state.h"
#include "sim/values/value_fault.h"

namespace dlsim::sim {
class GlobalMemory;
}

namespace dlsim::values {

// Reads the command's sources and writes its destinations, all at once. Throws ValueFault for an access
// outside a memory or a field outside what the command allows, std::logic_error for an opcode that is not a
// value command (flags, barriers and scalars belong to the core).
void execute(const core::Command& command, core::CoreState& state, sim::GlobalMemory& gm);

} // namespace dlsim::values
