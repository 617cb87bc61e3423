#include "sim/tools/machine_counts.h"

#include "isa/tables/isa_gen.h"
#include "isa/tables/tables.h"

#include <algorithm>

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
  if (type == chip_.cube.types.end())
    return;
  const double cycles =
      static_cast<double>(macs) / (static_cast<double>(type->second.m) * type->second.n * type->second.k);
  idealCycles_ += cycles;
  if (byCore_.size() <= effect.core.dense)
    byCore_.resize(effect.core.dense + 1u);
  byCore_[effect.core.dense] += cycles;
}

double MachineCounts::busiestCycles() const {
  return byCore_.empty() ? 0 : *std::max_element(byCore_.begin(), byCore_.end());
}

} // namespace dlsim::tools
