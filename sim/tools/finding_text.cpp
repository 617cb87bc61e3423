#include "sim/tools/finding_text.h"

#include "sim/config/chip_spec.h"
#include "sim/tools/source_view.h"

#include "isa/tables/hex.h"
#include "isa/tables/tables.h"

namespace dlsim::tools {

namespace {

std::string where(const sim::ChipSpec& chip, const dlk::Kernel& kernel, const core::CoreId& core,
                  const observe::Finding::Access& access) {
  const std::string source = sourceText(chip, kernel, core.kind, access.pc);
  return core::unitText(access.unit) + " at pc " + isa::hex(access.pc) +
         (source.empty() ? "" : " (" + source + ")");
}

// "UB 0x40 (buffer x)".
std::string place(const dlk::Kernel& kernel, const observe::Finding& f) {
  const std::string scope = core::spaceName(f.space);
  for (const dlk::Buffer& b : kernel.buffers)
    if (core::spaceKey(f.space) == isa::scopeName(b.scope) && f.address >= b.offset &&
        f.address < b.offset + b.bytes * b.slots && !b.name.empty())
      return scope + " " + isa::hex(f.address) + " (buffer " + b.name + ")";
  return scope + " " + isa::hex(f.address);
}

} // namespace

std::string findingText(const sim::ChipSpec& chip, const dlk::Kernel& kernel, const observe::Finding& f) {
  const std::string core = coreName(chip, f.core);
  if (f.kind == observe::Finding::Kind::Uninitialised)
    return "check init: " + core + ": " + where(chip, kernel, f.core, f.later) + " reads " +
           place(kernel, f) + ", which nothing has written";
  const std::string other = f.other.dense == f.core.dense ? "" : coreName(chip, f.other) + ": ";
  return "check race: " + core + ": " + where(chip, kernel, f.core, f.later) +
         (f.later.write ? " writes " : " reads ") + place(kernel, f) + ", which " + other +
         where(chip, kernel, f.other, f.earlier) + (f.earlier.write ? " writes" : " reads") +
         "; no flag orders them";
}

} // namespace dlsim::tools
