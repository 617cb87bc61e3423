#include "sim/tools/machine_counts.h"

#include "isa/tables/isa_gen.h"
#include "isa/tables/tables.h"

namespace dlsim::tools {

void MachineCounts::command(const observe::CommandEffect& effect) {
  ++commands_;
  if (effect.command->op != isa::Opcode::MMAD)
    return;
  using F = isa::fields::MMAD;
  const core::Command& c = *effect.command;
  uint64_t macs = F::m::get(c.r) * F::k::get(c.r) * F::n::get(c.r);
  macs_ += macs;
  auto dtype = static_cast<isa::DType>(F::dtype::get(c.imm));
  auto type = chip_.cube.types.find(std::string(isa::dtypeName(dtype)));
  if (type != chip_.cube.types.end())
    idealCycles_ +=
        static_cast<double>(macs) / (static_cast<double>(type->second.m) * type->second.n * type->second.k);
}

} // namespace dlsim::tools
