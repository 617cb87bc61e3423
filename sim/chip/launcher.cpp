#include "sim/chip/launcher.h"

#include <algorithm>
#include <stdexcept>

namespace dlsim::chip {

namespace {

constexpr uint64_t kPage = sim::GlobalMemory::kPage;

core::Abilities abilitiesOf(const sim::CoreKindSpec& kind) {
  core::Abilities can;
  can.kind = kind.name;
  can.units = 0;
  can.spaces = 0;
  for (unsigned u = 0; u < core::kUnits; ++u)
    can.units |= kind.hasUnit(core::unitText(static_cast<core::Unit>(u))) ? 1u << u : 0;
  can.units |= 1u << static_cast<unsigned>(core::Unit::S);
  for (unsigned s = 0; s < core::kSpaces; ++s)
    can.spaces |= kind.scope(core::spaceKey(static_cast<core::Space>(s))) ? 1u << s : 0;
  return can;
}

} // namespace

std::vector<Part> partsOf(const dlk::Kernel& kernel, const sim::ChipSpec& chip, unsigned limit) {
  std::vector<Part> parts;
  for (const isa::CoreKind isa_kind : {isa::CoreKind::AIC, isa::CoreKind::AIV}) {
    const std::optional<dlk::Text>& text = kernel.text(isa_kind);
    if (!text)
      continue;
    const std::string name(
        dlk::kindName(isa_kind == isa::CoreKind::AIC ? dlk::KernelKind::Aic : dlk::KernelKind::Aiv));
    Part part;
    part.kind = chip.kind(name);
    if (!part.kind)
      throw std::runtime_error("kernel '" + kernel.name + "' needs cores of kind " + name + ", chip " +
                               chip.name + " has none");
    part.kind_index = static_cast<unsigned>(part.kind - chip.kinds.data());
    part.text = &*text;
    part.isa_kind = isa_kind;
    part.program =
        std::make_unique<core::Program>(text->words.data(), text->words.size(), abilitiesOf(*part.kind));
    // A limit counts cores of the kernel's first kind; the others follow by cluster.
    const unsigned clusters =
        limit ? std::min(chip.clusters,
                         (limit + (parts.empty() ? part.kind->perCluster : parts[0].kind->perCluster) - 1) /
                             (parts.empty() ? part.kind->perCluster : parts[0].kind->perCluster))
              : chip.clusters;
    part.cores = clusters * part.kind->perCluster;
    if (limit && parts.empty())
      part.cores = std::min(part.cores, limit);
    parts.push_back(std::move(part));
  }
  return parts;
}

Launcher::Launcher(const dlk::Kernel& kernel, const sim::ChipSpec& chip, sim::Calendar& calendar,
                   std::vector<Part>& parts)
    : kernel_(kernel), chip_(chip), calendar_(calendar), parts_(parts) {}

uint64_t Launcher::stackBase(const core::CoreId& id, uint64_t stack_bytes) {
  const uint64_t pages = (stack_bytes + kPage - 1) / kPage + 1; // a guard page between two stacks
  return sim::GlobalMemory::kStackBase + id.dense * pages * kPage;
}

void Launcher::begin(const std::vector<core::Core*>& cores, uint64_t arguments, uint64_t stack_bytes,
                     Cycle start) {
  const sim::LaunchSpec& spec = chip_.launch;
  start_ = start;
  head_ = spec.headCycles + (parts_.size() > 1 ? spec.mixCycles : 0);
  running_ = static_cast<unsigned>(cores.size());
  for (core::Core* core : cores) {
    const core::CoreId& id = core->id();
    const Part& part =
        *std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.kind_index == id.kind; });
    core::SpecialRegisters registers;
    registers.value = {id.index, part.cores, id.subcore, arguments, 0, part.kind->perCluster, id.group};
    const uint64_t stack = stackBase(id, stack_bytes);
    const Cycle slot = parts_.size() > 1 ? id.group : id.index;
    core->begin(*part.program, static_cast<uint32_t>(part.text->entry * isa::kWordBytes), registers, stack,
                stack + stack_bytes, start + head_ + slot * spec.dispatchCycles + spec.coreInitCycles);
  }
}

void Launcher::fail(core::Fault fault) {
  if (fault_)
    return;
  fault_ = std::move(fault);
  calendar_.stop();
  if (stop)
    stop();
}

void Launcher::coreFinished(core::Core& core, Cycle now) {
  --running_;
  last_end_ = std::max(last_end_, core.sequencer().counts().end);
}

Cycle Launcher::end() const { return last_end_ + chip_.launch.tailCycles; }

std::string Launcher::sourceLine(unsigned kind, uint32_t pc) const {
  for (const Part& part : parts_)
    if (part.kind_index == kind)
      if (const auto line = kernel_.sourceLine(part.isa_kind, pc / isa::kWordBytes))
        return line->toString();
  return {};
}

// Every waiting core in the order of their numbers, the first few in full.
std::string Launcher::waits(const std::vector<core::Core*>& cores, unsigned most) const {
  std::string out;
  unsigned shown = 0, waiting = 0;
  for (const core::Core* core : cores) {
    const std::string text = core->describeWaits();
    if (text.empty() || !core->sequencer().running())
      continue;
    if (++waiting > most)
      continue;
    ++shown;
    out += "\n  " + text;
    for (size_t at = out.find('\n', out.size() - text.size()); at != std::string::npos && at + 1 < out.size();
         at = out.find('\n', at + 3))
      out.insert(at + 1, "  ");
    while (!out.empty() && out.back() == '\n')
      out.pop_back();
  }
  if (waiting > shown)
    out += "\n  and " + std::to_string(waiting - shown) + " more cores";
  return out;
}

core::Fault Launcher::deadlock(const std::vector<core::Core*>& cores) const {
  core::Fault fault;
  fault.kind = core::FaultKind::Deadlock;
  fault.cycle = calendar_.now();
  fault.detail = std::to_string(running_) + " of " + std::to_string(cores.size()) +
                 " cores have not ended and nothing can move:" + waits(cores, 4);
  return fault;
}

core::Fault Launcher::cycleLimit(const std::vector<core::Core*>& cores, Cycle limit) const {
  core::Fault fault;
  fault.kind = core::FaultKind::MaxCycles;
  fault.cycle = start_ + limit;
  fault.detail = std::to_string(running_) + " of " + std::to_string(cores.size()) +
                 " cores still run after " + std::to_string(limit) + " cycles";
  for (const core::Core* core : cores)
    if (core->sequencer().running()) {
      const std::string line = sourceLine(core->id().kind, core->sequencer().pc());
      fault.core = core->id();
      fault.core_name = core->name();
      fault.pc = core->sequencer().pc();
      fault.source = line;
      break;
    }
  return fault;
}

} // namespace dlsim::chip
