#include "sim/observe/checks.h"

#include <algorithm>
#include <iterator>

namespace dlsim::observe {

namespace {

// Waits of a unit that commands in flight may still look back over.
constexpr size_t kVersions = 256;

bool obeysUnitFlag(const core::Command& c) {
  switch (c.op) {
  case isa::Opcode::MMAD:
    return isa::fields::MMAD::unitflag::get(c.imm) >= 2;
  case isa::Opcode::FIX_GM:
  case isa::Opcode::FIX_L1:
    return isa::fields::FIX_GM::unitflag::get(c.imm) >= 2;
  default:
    return false;
  }
}

} // namespace

Clock Checks::clockAt(const Core& core, Unit unit, Cycle at) {
  const std::deque<Version>& list = core.versions[static_cast<size_t>(unit)];
  for (auto version = list.rbegin(); version != list.rend(); ++version)
    if (version->begin <= at)
      return version->clock;
  return list.size() == kVersions ? list.front().clock : Clock{};
}

void Checks::learn(Core& core, Unit unit, Cycle at, const Clock& more) {
  std::deque<Version>& list = core.versions[static_cast<size_t>(unit)];
  Clock clock = list.empty() ? Clock{} : list.back().clock;
  merge(clock, more);
  if (list.size() == kVersions)
    list.pop_front();
  list.push_back({at, clock});
}

Checks::Memory& Checks::memory(Core& core, core::Space space, uint64_t end) {
  Memory& memory = core.memories[static_cast<size_t>(space)];
  if (memory.written.size() < end) {
    const uint64_t size = (end + 4095) / 4096 * 4096;
    memory.written.resize(size);
    memory.granules.resize(size / granuleBytes(space));
  }
  return memory;
}

template <class F> void Checks::eachRow(const core::Footprint& fp, F&& f) {
  for (uint32_t j = 0; j < fp.count1; ++j)
    for (uint32_t i = 0; i < fp.count0; ++i) {
      const uint64_t at = fp.address + static_cast<uint64_t>(fp.stride0 * i + fp.stride1 * j);
      f(at, at + fp.bytes);
    }
}

void Checks::report(const Finding& f) {
  const uint32_t earlier = f.kind == Finding::Kind::Race ? f.earlier.pc : ~uint32_t{0};
  if (findings_.size() < options_.most &&
      seen_.insert({f.core.kind, f.later.pc, earlier, static_cast<unsigned>(f.space)}).second)
    findings_.push_back(f);
}

void Checks::touch(Core& core, const CoreId& id, const core::Footprint& fp, Unit unit, const Mark& mine,
                   const Clock& clock) {
  Memory& m = memory(core, fp.space, fp.end());
  const unsigned granule = granuleBytes(fp.space);
  const auto unknown = [&](Unit other, const Mark& mark) {
    return other != unit && mark.number > clock[slotOf(id, other)] &&
           !(fp.space == core::Space::L0C && mark.unit_flag && mine.unit_flag);
  };
  eachRow(fp, [&](uint64_t begin, uint64_t end) {
    for (uint64_t g = begin / granule; g * granule < end; ++g) {
      Granule& it = m.granules[g];
      const auto race = [&](Unit other, const Mark& mark, bool wrote) {
        if (options_.race && unknown(other, mark))
          report({Finding::Kind::Race,
                  id,
                  fp.space,
                  std::max(begin, g * granule),
                  {unit, mine.pc, fp.write},
                  {other, mark.pc, wrote},
                  id});
      };
      race(it.writer, it.written, true);
      if (!fp.write) {
        it.read[static_cast<size_t>(unit)] = mine;
        continue;
      }
      for (unsigned u = 0; u < core::kUnits; ++u)
        race(static_cast<Unit>(u), it.read[u], false);
      it.written = mine;
      it.writer = unit;
    }
    if (fp.write)
      std::fill(m.written.begin() + static_cast<std::ptrdiff_t>(begin),
                m.written.begin() + static_cast<std::ptrdiff_t>(end), true);
  });
}

Checks::Group& Checks::groupOf(const CoreId& id) {
  return groups_.try_emplace(id.group, options_.together).first->second;
}

void Checks::touchGlobal(const CommandEffect& e, const core::Footprint& fp, const Mark& mark,
                         const Clock& clock) {
  if (!options_.race || options_.together.empty())
    return;
  if (fp.write)
    writers_.insert(e.core.dense);
  GroupMemory::Mark mine;
  mine.slot = slotOf(e.core, e.unit), mine.number = mark.number, mine.pc = mark.pc, mine.core = e.core;
  mine.unit = e.unit, mine.write = fp.write;
  mine.atomic = fp.write && isa::fields::MTE3_COPY_UB::atomic::get(e.command->imm) != 0;
  eachRow(fp, [&](uint64_t begin, uint64_t end) {
    if (const auto found = groupOf(e.core).memory.touch(begin, end, mine, clock))
      report({Finding::Kind::Race,
              e.core,
              core::Space::GM,
              found->address,
              {e.unit, mark.pc, fp.write},
              {found->earlier.unit, found->earlier.pc, found->earlier.write},
              found->earlier.core});
  });
}

void Checks::checkRead(Core& core, const CoreId& id, const core::Footprint& fp, Unit unit, uint32_t pc) {
  const Memory& m = memory(core, fp.space, fp.end());
  uint64_t missing = 0, first = 0;
  eachRow(fp, [&](uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end; ++at)
      if (!m.written[at] && !missing++)
        first = at;
  });
  const bool exact = unit == Unit::S || unit == Unit::MTE3 || unit == Unit::FIX;
  if (missing && (exact || missing == fp.totalBytes()))
    report({Finding::Kind::Uninitialised, id, fp.space, first, {unit, pc, false}, {}, id});
}

void Checks::command(const CommandEffect& e) {
  Core& core = cores_[e.core.dense];
  Clock clock = clockAt(core, e.unit, e.started);
  const Clock issuer = clockAt(core, Unit::S, e.issued);
  merge(clock, issuer);
  const Mark mark{++core.done[slotOf(e.core, e.unit)], e.command->pc, obeysUnitFlag(*e.command)};
  const auto visit = [&](const core::Footprint& fp) {
    if (fp.empty())
      return;
    if (fp.space == core::Space::GM)
      return touchGlobal(e, fp, mark, clock);
    if (options_.init && !fp.write)
      checkRead(core, e.core, fp, e.unit, e.command->pc);
    touch(core, e.core, fp, e.unit, mark, clock);
  };
  visit(e.picked);
  for (const bool write : {false, true}) // what it reads is older than what it writes
    for (const core::Footprint& fp : e.footprints)
      if (fp.write == write)
        visit(fp);
}

std::vector<Finding> Checks::findings() const {
  std::vector<Finding> found;
  std::copy_if(findings_.begin(), findings_.end(), std::back_inserter(found), [&](const Finding& f) {
    if (f.kind != Finding::Kind::Race || f.space != core::Space::GM || (f.later.write && f.earlier.write))
      return true;
    return writers_.count(f.later.write ? f.other.dense : f.core.dense) != 0;
  });
  return found;
}

void Checks::access(const ScalarAccess& a) {
  Core& core = cores_[a.core.dense];
  core::Footprint fp;
  fp.address = a.address, fp.bytes = a.bytes, fp.space = core::Space::UB, fp.write = a.write;
  const Clock clock = clockAt(core, Unit::S, a.at);
  const uint32_t number = ++core.done[slotOf(a.core, Unit::S)];
  if (options_.init && !a.write)
    checkRead(core, a.core, fp, Unit::S, a.pc);
  touch(core, a.core, fp, Unit::S, {number, a.pc, false}, clock);
  Clock own{};
  own[slotOf(a.core, Unit::S)] = number;
  learn(core, Unit::S, a.at, own);
}

void Checks::flag(const FlagRecord& r) {
  Core& core = cores_[r.core.dense];
  if (r.cross)
    return crossFlag(core, r);
  std::deque<Clock>& tokens = core.tokens[{r.source, r.target, r.id}];
  if (r.set) {
    Clock clock = clockAt(core, r.source, r.position);
    clock[slotOf(r.core, r.source)] = core.done[slotOf(r.core, r.source)];
    tokens.push_back(clock);
  } else if (!tokens.empty()) {
    learn(core, r.target, r.at, tokens.front());
    tokens.pop_front();
  }
}

// Within the waiting core a cross-core flag is taken to order everything: what comes back through other
// groups is not followed.
void Checks::crossFlag(Core& core, const FlagRecord& r) {
  if (r.set) {
    Clock clock = clockAt(core, r.source, r.position);
    merge(clock, clockAt(core, Unit::S, r.at));
    clock[slotOf(r.core, r.source)] = core.done[slotOf(r.core, r.source)];
    return groupOf(r.core).flags.set(r.core, r.mode, r.id, clock);
  }
  Clock clock = groupOf(r.core).flags.take(r.core, r.id);
  merge(clock, core.done);
  learn(core, r.target, r.at, clock);
}

void Checks::barrier(const BarrierRecord& r) {
  Core& core = cores_[r.core.dense];
  learn(core, Unit::S, r.at, core.done);
}

} // namespace dlsim::observe
