#include "sim/observe/pmu.h"

#include "sim/core/core.h"
#include "sim/memory/memory_system.h"

#include <algorithm>

namespace dlsim::observe {

namespace f = isa::fields;

const char* stallName(Stall stall) {
  static constexpr const char* kNames[kStalls] = {
      "none",         "queue full", "scalar latency", "instruction cache", "data cache",
      "taken branch", "flag",       "barrier",        "cross-core flag",   "UB busy"};
  return kNames[static_cast<size_t>(stall)];
}

const char* vectorKindName(VectorKind kind) {
  static constexpr const char* kNames[kVectorKinds] = {"fp32", "fp16", "int32", "int16", "misc"};
  return kNames[static_cast<size_t>(kind)];
}

void Pmu::begin(const sim::ChipSpec& chip, Cycle start) {
  chip_ = &chip;
  start_ = start;
  cores_.assign(chip.cores(), CoreCounters{});
  busy_end_.assign(chip.cores(), {});
  id_waits_.assign(chip.cores(), {});
  places_.assign(chip.kinds.size(), {});
}

void Pmu::command(const CommandEffect& effect) {
  CoreCounters& core = cores_[effect.core.dense];
  UnitCounters& unit = core.unit[static_cast<size_t>(effect.unit)];
  Cycle& busy_end = busy_end_[effect.core.dense][static_cast<size_t>(effect.unit)];
  ++unit.instructions;
  // Commands start and complete in order, so the union of their intervals grows at its end.
  unit.busy += effect.completed - std::max(std::min(busy_end, effect.completed), effect.started);
  busy_end = std::max(busy_end, effect.completed);
  unit.bytes_read += effect.bytes_read;
  unit.bytes_written += effect.bytes_written;
  for (const core::Footprint& fp : effect.footprints)
    (fp.write ? core.space_written : core.space_read)[static_cast<size_t>(fp.space)] += fp.totalBytes();
  if (effect.unit == Unit::M)
    countCube(core, effect);
  else if (effect.unit == Unit::V)
    countVector(core, effect);
  else if (effect.command->op == isa::Opcode::FIX_L1)
    core.fix_l1_bytes += effect.bytes_written;
}

void Pmu::countCube(CoreCounters& core, const CommandEffect& effect) {
  const core::Command& c = *effect.command;
  const auto dtype = static_cast<isa::DType>(f::MMAD::dtype::get(c.imm));
  const bool integer = dtype == isa::DType::I8;
  const uint64_t m = f::MMAD::m::get(c.r), n = f::MMAD::n::get(c.r), k = f::MMAD::k::get(c.r);
  ++(integer ? core.mmad_int : core.mmad_fp);
  (integer ? core.cube_int_cycles : core.cube_fp_cycles) += effect.work_cycles;
  core.macs += m * n * k;
  core.hf32 |= dtype == isa::DType::HF32;
  const auto rate = chip_->cube.types.find(std::string(isa::dtypeName(dtype)));
  if (rate == chip_->cube.types.end())
    return;
  const sim::CubeTypeSpec& step = rate->second;
  core.macs_charged += uint64_t{effect.work_cycles} * step.m * step.n * step.k;
  // A B fractal a step; an A fractal stays for some steps along n; C is read and written once per mmad.
  const uint64_t ms = (m + step.m - 1) / step.m, ns = (n + step.n - 1) / step.n,
                 ks = (k + step.k - 1) / step.k;
  core.l0b_reads += ms * ns * ks;
  core.l0a_reads += ms * ks * ((ns + chip_->cube.aHoldSteps - 1) / chip_->cube.aHoldSteps);
  core.l0c_writes += ms * ns;
  core.l0c_reads += f::MMAD::init::get(c.r) ? 0 : ms * ns;
}

void Pmu::countVector(CoreCounters& core, const CommandEffect& effect) {
  core.bankgroup_conflict += effect.bankgroup_conflicts;
  core.bank_conflict += effect.bank_conflicts;
  core.mte_conflict += effect.mte_conflicts;
  VectorKind kind = VectorKind::Misc;
  if (effect.command->op != isa::Opcode::V_CAST && !isa::info(effect.command->op).immFields.empty())
    switch (static_cast<isa::DType>(f::V_ADD::dtype::get(effect.command->imm))) {
    case isa::DType::F32:
      kind = VectorKind::Fp32;
      break;
    case isa::DType::F16:
    case isa::DType::BF16:
      kind = VectorKind::Fp16;
      break;
    case isa::DType::I32:
    case isa::DType::U32:
      kind = VectorKind::Int32;
      break;
    case isa::DType::I16:
    case isa::DType::U16:
      kind = VectorKind::Int16;
      break;
    default:
      break;
    }
  VectorWork& work = core.vec[static_cast<size_t>(kind)];
  work.cycles += effect.work_cycles;
  work.repeats += effect.repeats;
  work.elements += effect.elements;
}

SourceStall& Pmu::place(const CoreId& core, uint32_t pc) {
  std::vector<SourceStall>& list = places_[core.kind];
  const size_t word = pc / isa::kWordBytes;
  if (list.size() <= word)
    list.resize(word + 64);
  return list[word];
}

void Pmu::stall(const StallRecord& record) {
  CoreCounters& core = cores_[record.core.dense];
  const Cycle cycles = record.end - record.begin;
  core.stall[static_cast<size_t>(record.why)] += cycles;
  if (record.why == Stall::QueueFull)
    core.queue_full[static_cast<size_t>(record.unit)] += cycles;
  if (record.why == Stall::Flag) {
    core.scalar_flag_wait[static_cast<size_t>(record.unit)] += cycles;
    core.unit[static_cast<size_t>(Unit::S)].wait += cycles;
    id_waits_[record.core.dense][record.id & 15].add(record.begin, record.end);
  }
  place(record.core, record.pc).cycles[static_cast<size_t>(record.why)] += cycles;
}

void Pmu::wait(const WaitRecord& record) {
  CoreCounters& core = cores_[record.core.dense];
  const Cycle cycles = record.end - record.begin;
  core.unit[static_cast<size_t>(record.unit)].wait += cycles;
  if (!record.cross)
    id_waits_[record.core.dense][record.id & 15].add(record.begin, record.end);
}

void Pmu::bundle(const BundleRecord& record) {
  CoreCounters& core = cores_[record.core.dense];
  const unsigned scalars = record.slots & (isa::kSlotS0 | isa::kSlotS1);
  core.single_issue += scalars == isa::kSlotS0 || scalars == isa::kSlotS1;
  core.dual_issue += scalars == (isa::kSlotS0 | isa::kSlotS1);
  for (unsigned set = record.slots; set; set &= set - 1)
    ++core.slot_words[static_cast<size_t>(__builtin_ctz(set))];
  ++place(record.core, record.pc).issue;
}

void Pmu::addMemory(CoreCounters& to, const sim::MemorySystem& memory, unsigned core) const {
  const sim::CoreMemoryCounters& from = memory.counters(core);
  to.r0_hit = from.read[0].hitWords;
  to.r0_miss = from.read[0].missAllocateWords;
  to.r0_miss_no_allocate = from.read[0].missNoAllocateWords;
  to.r1_hit = from.read[1].hitWords;
  to.r1_miss = from.read[1].missAllocateWords;
  to.r1_miss_no_allocate = from.read[1].missNoAllocateWords;
  to.write_hit = from.writeHit;
  to.write_miss = from.writeMissAllocate;
  to.write_miss_no_allocate = from.writeMissNoAllocate;
  to.gm_read_bytes = (from.read[0].words + from.read[1].words) * chip_->dma.wordBytes;
  to.gm_write_bytes = from.writeWords * chip_->dma.wordBytes;
}

Counters Pmu::collect(const std::vector<core::Core*>& cores, const sim::MemorySystem& memory,
                      bool faulted) const {
  Counters out;
  for (core::Core* core : cores) {
    CoreCounters counters = cores_[core->id().dense];
    for (size_t id = 0; id < counters.wait_id.size(); ++id)
      counters.wait_id[id] = id_waits_[core->id().dense][id].total();
    const core::SequencerCounts& sequencer = core->sequencer().counts();
    counters.core = core->id();
    counters.used = sequencer.bundles > 0;
    counters.start = sequencer.start - start_;
    counters.end = (sequencer.end ? sequencer.end - start_ : counters.start);
    counters.bundles = sequencer.bundles;
    counters.words = sequencer.words;
    counters.scalar_instructions = sequencer.scalar_words;
    counters.ub_scalar_reads = sequencer.ub_reads;
    counters.ub_scalar_writes = sequencer.ub_writes;
    counters.icache_requests = core->sequencer().icacheCounts().requests;
    counters.icache_misses = core->sequencer().icacheCounts().misses;
    counters.dcache_requests = core->sequencer().dcacheCounts().requests;
    counters.dcache_misses = core->sequencer().dcacheCounts().misses;
    const auto stalled = [&](Stall s) { return counters.stall[static_cast<size_t>(s)]; };
    counters.scalar_busy = counters.single_issue + counters.dual_issue + stalled(Stall::ScalarLatency) +
                           stalled(Stall::Branch) + stalled(Stall::DCache) + stalled(Stall::UbBusy);
    counters.unit[static_cast<size_t>(Unit::S)].instructions = counters.scalar_instructions;
    counters.unit[static_cast<size_t>(Unit::S)].busy = counters.scalar_busy;
    addMemory(counters, memory, core->id().dense);
    out.cores.push_back(counters);
  }
  const sim::MemoryTotals totals = memory.totals();
  for (const auto& channel : totals.cores.read) {
    out.memory.l2_read_hit += channel.hitWords;
    out.memory.l2_read_miss += channel.missAllocateWords + channel.missNoAllocateWords;
  }
  out.memory.l2_write_hit = totals.cores.writeHit;
  out.memory.l2_write_miss = totals.cores.writeMissAllocate + totals.cores.writeMissNoAllocate;
  out.memory.hbm_read_bytes = totals.hbm.readBytes;
  out.memory.hbm_write_bytes = totals.hbm.writeBytes;
  out.memory.hbm_row_hits = totals.hbm.rowHits;
  out.memory.hbm_row_misses = totals.hbm.rowMisses;
  out.memory.same_line_max = totals.slices.largestSharers;
  out.memory.same_line_mean = totals.slices.requests ? static_cast<double>(totals.slices.sharersSum) /
                                                           static_cast<double>(totals.slices.requests)
                                                     : 0;
  out.memory.same_line_wait = totals.slices.sameLineTicks >> sim::kTickShift;
  out.memory.same_line_sharers.assign(totals.slices.sharers.begin(), totals.slices.sharers.end());
  for (size_t kind = 0; kind < places_.size(); ++kind)
    for (size_t word = 0; word < places_[kind].size(); ++word) {
      const SourceStall& place = places_[kind][word];
      if (place.issue ||
          std::any_of(place.cycles.begin(), place.cycles.end(), [](Cycle c) { return c != 0; }))
        out.by_pc[uint64_t{kind} << 32 | word * isa::kWordBytes] = place;
    }
  return out;
}

} // namespace dlsim::observe
