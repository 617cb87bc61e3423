#include "sim/core/compute_units.h"

#include <algorithm>
#include <cmath>

namespace dlsim::core {

namespace f = isa::fields;
using isa::Opcode;

namespace {

// Width of a path in bytes a cycle; a kind without it cannot hold commands that need it.
double width(const Core& core, const char* unit, const char* from, const char* to) {
  const sim::PathSpec* path = core.kind().path(unit, from, to);
  return path ? path->bytesPerCycle : 0;
}

sim::Tick ticksFor(uint64_t amount, double rate) {
  return rate > 0 ? static_cast<sim::Tick>(std::ceil(static_cast<double>(amount) * 256.0 / rate - 1e-6)) : 0;
}

const char* cubeType(uint32_t dtype) {
  switch (static_cast<isa::DType>(dtype)) {
  case isa::DType::F16:
    return "f16";
  case isa::DType::BF16:
    return "bf16";
  case isa::DType::F32:
    return "f32";
  case isa::DType::HF32:
    return "hf32";
  case isa::DType::I8:
    return "i8";
  default:
    return nullptr;
  }
}

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

} // namespace

// ---- MTE1 -------------------------------------------------------------------------------------------------

Mte1Unit::Mte1Unit(Core& core, uint32_t depth)
    : UnitEngine(core, Unit::MTE1, depth), width_l0a_(width(core, "MTE1", "l1", "l0a")),
      width_l0b_(width(core, "MTE1", "l1", "l0b")), width_bt_(width(core, "MTE1", "l1", "bt")),
      width_fb_(width(core, "MTE1", "l1", "fb")) {}

UnitEngine::Started Mte1Unit::start(Flight& flight, sim::Tick from) {
  const sim::Mte1Spec& spec = core_.chip().mte1;
  const Command& c = flight.entry.command;
  Cycle startup = spec.load2dStartupCycles;
  double rate = width_l0a_;
  switch (c.op) {
  case Opcode::MTE1_LOAD_L0B:
    rate = width_l0b_;
    break;
  case Opcode::MTE1_LOAD_BT:
  case Opcode::MTE1_LOAD_FB:
    startup = spec.tableStartupCycles;
    rate = c.op == Opcode::MTE1_LOAD_BT ? width_bt_ : width_fb_;
    break;
  default:
    break;
  }
  uint64_t bytes = 0;
  for (const Footprint& fp : flight.entry.footprints)
    bytes += fp.write ? fp.totalBytes() : 0;
  const sim::Tick work = ticksFor(bytes, rate), end = from + sim::toTick(startup) + work;
  flight.work = static_cast<uint32_t>(sim::toCycle(work));
  const Cycle enter = spec.overlapStartup ? std::min<Cycle>(spec.chainedCycles, startup) : startup;
  return {from + sim::toTick(enter) + work, end};
}

// ---- M ----------------------------------------------------------------------------------------------------

CubeUnit::CubeUnit(Core& core, uint32_t depth) : UnitEngine(core, Unit::M, depth) {}

UnitEngine::Started CubeUnit::start(Flight& flight, sim::Tick from) {
  const sim::CubeSpec& spec = core_.chip().cube;
  const Command& c = flight.entry.command;
  const char* type = cubeType(f::MMAD::dtype::get(c.imm));
  const auto rate = type ? spec.types.find(type) : spec.types.end();
  if (rate == spec.types.end())
    throw FaultError(core_.fault(FaultKind::BadOperand, unit_, c.pc,
                                 "m.mmad: the cube of this chip does not multiply dtype code " +
                                     std::to_string(f::MMAD::dtype::get(c.imm))));
  const Cycle work = ceilDiv(f::MMAD::m::get(c.r), rate->second.m) *
                     ceilDiv(f::MMAD::n::get(c.r), rate->second.n) *
                     ceilDiv(f::MMAD::k::get(c.r), rate->second.k);
  flight.work = static_cast<uint32_t>(work);
  // The next mmad enters the array behind this one; results are out when the pipeline has drained.
  const Cycle enter =
      spec.overlapStartup ? std::min(spec.chainedCycles, spec.startupCycles) : spec.startupCycles;
  return {from + sim::toTick(enter + work), from + sim::toTick(spec.startupCycles + work)};
}

// ---- V ----------------------------------------------------------------------------------------------------

VectorUnit::VectorUnit(Core& core, uint32_t depth)
    : UnitEngine(core, Unit::V, depth), costs_(core.chip().vector, core.chip().ub) {}

namespace {

bool overlaps(const Footprint& a, const Footprint& b) {
  return a.space == b.space && a.lowest() < b.end() && b.lowest() < a.end();
}

// Whether a later command must see what an earlier one writes, or writes over it.
bool dependsOn(const Footprints& later, const Footprints& earlier) {
  for (const Footprint& e : earlier)
    if (e.write)
      for (const Footprint& l : later)
        if (overlaps(l, e))
          return true;
  return false;
}

} // namespace

// Commands stream through the pipeline. One that needs the result of another that is still in it follows so
// far behind that each of its repeats finds what it reads, taken to be in the order in which it was written.
Cycle VectorUnit::startable(const QueueEntry& entry, Cycle now) {
  Cycle from = now;
  for (const Flight& flight : flights())
    if (flight.entry.what == WordClass::Command && dependsOn(entry.footprints, flight.entry.footprints)) {
      const Cycle together = std::min(flight.work, costs_.cost(entry.command, lanes_).cycles);
      from = std::max(from, flight.completes - together);
    }
  return from;
}

UnitEngine::Started VectorUnit::start(Flight& flight, sim::Tick from) {
  const Command& c = flight.entry.command;
  const VectorCost& cost = costs_.cost(c, lanes_);
  if (c.op == Opcode::V_MASK) {
    lanes_.count_mode = false;
    lanes_.mask[0] = c.r[0];
    lanes_.mask[1] = c.r[1];
  } else if (c.op == Opcode::V_COUNT) {
    lanes_.count_mode = true;
    lanes_.count = c.r[0];
  }
  flight.bankgroup_conflicts = cost.bankgroup_conflicts;
  flight.bank_conflicts = cost.bank_conflicts;
  flight.work = cost.cycles;
  flight.repeats = cost.repeats;
  flight.elements = cost.elements;
  flight.lanes = cost.lanes;
  flight.read_conflict = cost.read_conflict;
  flight.write_conflict = cost.write_conflict;
  flight.mte_conflicts = mteConflicts(flight);
  flight.work += flight.mte_conflicts;
  const sim::Tick next = from + sim::toTick(cost.startup + flight.work);
  if (c.op != Opcode::V_MASK && c.op != Opcode::V_COUNT)
    return {next, next + sim::toTick(core_.chip().vector.isolatedCycles)};
  // Lane state goes no deeper into the pipeline, but retires in order.
  const Cycle before = flights().size() > 1 ? flights()[flights().size() - 2].completes : 0;
  return {next, std::max(next, sim::toTick(before))};
}

// A transfer that is moving data in a bank takes rows from the vector unit: of the cycles in which both are
// at work, the share of the bank groups that the transfer's port occupies.
uint32_t VectorUnit::mteConflicts(const Flight& flight) const {
  const sim::UbSpec& ub = core_.chip().ub;
  if (!ub.conflicts)
    return 0;
  const uint64_t bank_span = uint64_t{ub.bankBytes} * ub.groups;
  const auto banksOf = [&](const Footprints& fps, bool write) {
    uint32_t set = 0;
    for (const Footprint& fp : fps)
      if (fp.space == Space::UB && fp.write == write && !fp.empty())
        for (uint64_t b = fp.lowest() / bank_span; b <= (fp.end() - 1) / bank_span; ++b)
          set |= 1u << (b & 31);
    return set;
  };
  uint64_t lost = 0;
  for (const Unit unit : {Unit::MTE2, Unit::MTE3}) {
    UnitEngine* engine = core_.unit(unit);
    if (!engine || engine->flights().empty())
      continue;
    const bool writes = unit == Unit::MTE2;
    const uint32_t mine = banksOf(flight.entry.footprints, writes);
    const uint64_t port = writes ? ub.mteWriteBytes : ub.mteReadBytes;
    for (const Flight& other : engine->flights()) {
      if (other.entry.what != WordClass::Command || !(mine & banksOf(other.entry.footprints, writes)))
        continue;
      uint64_t bytes = 0;
      for (const Footprint& fp : other.entry.footprints)
        bytes += fp.space == Space::UB && fp.write == writes ? fp.totalBytes() : 0;
      const uint64_t beside = std::min<uint64_t>(flight.work, bytes / port - other.port_charged);
      other.port_charged += beside;
      lost += beside * port / (uint64_t{ub.rowBytes} * ub.groups);
    }
  }
  return static_cast<uint32_t>(lost);
}

} // namespace dlsim::core
