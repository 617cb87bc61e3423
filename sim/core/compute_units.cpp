#include "sim/core/compute_units.h"

#include "sim/core/fix_unit.h"
#include "sim/core/img2col.h"

#include <algorithm>

namespace dlsim::core {

namespace f = isa::fields;
using isa::Opcode;

namespace {

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

} // namespace

// ---- MTE1 -------------------------------------------------------------------------------------------------

Mte1Unit::Mte1Unit(Core& core, uint32_t depth)
    : UnitEngine(core, Unit::MTE1, depth), width_l0a_(pathRate(core, "MTE1", "l1", "l0a")),
      width_l0b_(pathRate(core, "MTE1", "l1", "l0b")), width_bt_(pathRate(core, "MTE1", "l1", "bt")),
      width_fb_(pathRate(core, "MTE1", "l1", "fb")) {}

namespace {

// Cycles of an img2col load (asc-devkit docs): a fractal of 16 output positions takes 2 cycles; over n rows
// of the image n + 2; with strides of 2, 4 or 8 along x twice the stride, and n more over n rows; never more
// than 16, which other strides always take.
Cycle img2colCycles(const Img2Col& g) {
  constexpr uint64_t kMost = 16;
  const bool steps = g.stride_x == 2 || g.stride_x == 4 || g.stride_x == 8;
  uint64_t cycles = 0;
  for (uint64_t m = 0; m < g.m_fractals; ++m) {
    const uint64_t rows = g.outputRows(g.m_start + 16 * m);
    uint64_t fractal = kMost;
    if (g.stride_x == 1)
      fractal = rows == 1 ? 2 : rows + 2;
    else if (steps)
      fractal = 2 * g.stride_x + (rows == 1 ? 0 : rows);
    cycles += std::min(fractal, kMost) * g.k_fractals;
  }
  return cycles;
}

} // namespace

Mte1Unit::Cost Mte1Unit::costOf(const QueueEntry& entry) const {
  const sim::Mte1Spec& spec = core_.chip().mte1;
  uint64_t bytes = 0;
  for (const Footprint& fp : entry.footprints)
    bytes += fp.write ? fp.totalBytes() : 0;
  switch (entry.command.op) {
  case Opcode::MTE1_LOAD_L0B:
    return {spec.load2dStartupCycles, ticksFor(bytes, width_l0b_)};
  case Opcode::MTE1_LOAD_BT:
    return {spec.tableStartupCycles, ticksFor(bytes, width_bt_)};
  case Opcode::MTE1_LOAD_FB:
    return {spec.tableStartupCycles, ticksFor(bytes, width_fb_)};
  case Opcode::MTE1_IMG2COL_L0A:
    return {spec.load3dStartupCycles, sim::toTick(img2colCycles(Img2Col(entry.command)))};
  default:
    return {spec.load2dStartupCycles, ticksFor(bytes, width_l0a_)};
  }
}

UnitEngine::Started Mte1Unit::start(Flight& flight, sim::Tick from) {
  const sim::Mte1Spec& spec = core_.chip().mte1;
  const Cost cost = costOf(flight.entry);
  const sim::Tick work = cost.work + lostToWrites();
  flight.work = static_cast<uint32_t>(sim::toCycle(work));
  // The next load enters as early behind one with a longer pipeline as behind any other.
  const Cycle enter = spec.overlapStartup ? std::min<Cycle>(spec.chainedCycles, cost.startup) : cost.startup;
  return {from + sim::toTick(enter) + work, from + sim::toTick(cost.startup) + work};
}

// L1's banks serve one read or one write: of the rows that transfers wrote while the load before was reading,
// every `banks`-th met it. The loss is known only then, so the next load has it.
sim::Tick Mte1Unit::lostToWrites() {
  const sim::Mte1Spec& spec = core_.chip().mte1;
  if (!spec.l1Banks)
    return 0;
  const sim::Tick lost = ticksFor(written_beside_, spec.l1WriteBytes * spec.l1Banks);
  written_beside_ = 0;
  if (flights().size() == 1) // it begins after an idle time
    written_before_ = core_.bytesArrived(Unit::MTE2);
  return lost;
}

void Mte1Unit::completed(const Flight& flight) {
  if (flight.entry.what != WordClass::Command)
    return;
  const uint64_t written = core_.bytesArrived(Unit::MTE2);
  written_beside_ += written - written_before_;
  written_before_ = written;
}

// ---- M ----------------------------------------------------------------------------------------------------

CubeUnit::CubeUnit(Core& core, uint32_t depth) : UnitEngine(core, Unit::M, depth) {}

CubeUnit::Steps CubeUnit::stepsOf(const Command& c) const {
  const sim::CubeSpec& spec = core_.chip().cube;
  const char* type = cubeType(f::MMAD::dtype::get(c.imm));
  const auto rate = type ? spec.types.find(type) : spec.types.end();
  if (rate == spec.types.end())
    throw FaultError(core_.fault(FaultKind::BadOperand, unit_, c.pc,
                                 "m.mmad: the cube of this chip does not multiply dtype code " +
                                     std::to_string(f::MMAD::dtype::get(c.imm))));
  return {ceilDiv(f::MMAD::m::get(c.r), rate->second.m), ceilDiv(f::MMAD::n::get(c.r), rate->second.n),
          ceilDiv(f::MMAD::k::get(c.r), rate->second.k)};
}

namespace {

UnitFlagMode modeOf(const Command& c) { return unitFlagMode(f::MMAD::unitflag::get(c.imm)); }

// Where an mmad writes: 16 x 16 fractals of 1 KB, a column block behind the other.
L0CTile tileOf(const Command& c) {
  const uint64_t down = ceilDiv(f::MMAD::m::get(c.r), 16), across = ceilDiv(f::MMAD::n::get(c.r), 16);
  return {c.r[f::MMAD::kDst], down, across, down * UnitFlags::kFractalBytes};
}

} // namespace

// With the unit flag an mmad begins when it will find every block clear on reaching it.
Cycle CubeUnit::startable(const QueueEntry& entry, Cycle now) {
  const Command& c = entry.command;
  if (modeOf(c) == UnitFlagMode::Off)
    return now;
  const sim::Tick from = core_.unitFlags().writable(tileOf(c), sim::toTick(stepsOf(c).k), sim::toTick(now));
  return from == UnitFlags::kNeverTick ? sim::kNever : sim::toCycle(from);
}

UnitEngine::Started CubeUnit::start(Flight& flight, sim::Tick from) {
  const sim::CubeSpec& spec = core_.chip().cube;
  const Command& c = flight.entry.command;
  const Steps steps = stepsOf(c);
  const Cycle work = steps.m * steps.n * steps.k;
  flight.work = static_cast<uint32_t>(work);
  // The next mmad enters the array behind this one; results are out when the pipeline has drained.
  const Cycle enter =
      spec.overlapStartup ? std::min(spec.chainedCycles, spec.startupCycles) : spec.startupCycles;
  if (modeOf(c) != UnitFlagMode::Off)
    flight.behind_store = core_.storeReading(tileOf(c));
  if (modeOf(c) == UnitFlagMode::Change) {
    core_.unitFlags().set(tileOf(c), from + sim::toTick(spec.startupCycles + steps.k), sim::toTick(steps.k));
    core_.unitFlagsSet(sim::toCycle(from));
  }
  return {from + sim::toTick(enter + work), from + sim::toTick(spec.startupCycles + work)};
}

// A smaller product than the store's may be done before the store has read the blocks behind.
void CubeUnit::beforeValues(const Flight& flight) {
  if (flight.behind_store != 0)
    core_.moveStore(flight.behind_store);
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
