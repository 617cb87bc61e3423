#include "sim/core/fix_unit.h"

#include <algorithm>

namespace dlsim::core {

namespace f = isa::fields;
using isa::Opcode;

namespace {

L0CTile tileOf(const Command& c) {
  using F = f::FIX_GM; // fix.copy.l1 has the same fields
  return {c.r[F::kSrc], ceilDiv(F::m::get(c.r), 16), ceilDiv(F::n::get(c.r), 16), F::blockstride::get(c.r)};
}

UnitFlagMode modeOf(const Command& c) { return unitFlagMode(f::FIX_GM::unitflag::get(c.imm)); }

} // namespace

FixUnit::FixUnit(Core& core, uint32_t depth)
    : GmUnit(core, Unit::FIX, depth), rate_gm_(pathRate(core, "FIX", "l0c", "gm")),
      rate_l1_(pathRate(core, "FIX", "l0c", "l1")) {}

Cycle FixUnit::startable(const QueueEntry& entry, Cycle now) {
  return following_ ? sim::kNever : GmUnit::startable(entry, now);
}

// L0C fractal by fractal, as fast as it is read and its results get out.
sim::Tick FixUnit::readTime(const Flight& flight) const {
  uint64_t written = 0;
  for (const Footprint& fp : flight.entry.footprints)
    written += fp.write ? fp.totalBytes() : 0;
  const uint64_t elements = tileOf(flight.entry.command).fractals() * 256;
  const double path = flight.entry.command.op == Opcode::FIX_L1 ? rate_l1_ : rate_gm_;
  return std::max(ticksFor(elements, core_.chip().fix.elementsPerCycle), ticksFor(written, path));
}

// The next command may read once this one has.
UnitEngine::Started FixUnit::start(Flight& flight, sim::Tick from) {
  const sim::FixSpec& spec = core_.chip().fix;
  const sim::Tick work = readTime(flight);
  flight.work = static_cast<uint32_t>(sim::toCycle(work));
  if (modeOf(flight.entry.command) != UnitFlagMode::Off) {
    following_ = &flight;
    from_ = from + sim::toTick(spec.startupCycles);
    follow(sim::toCycle(from));
    return {from, sim::kNever};
  }
  const sim::Tick end = from + sim::toTick(spec.startupCycles) + work,
                  next = spec.overlapStartup ? from + work : end;
  if (flight.entry.command.op == Opcode::FIX_L1)
    return {next, end};
  startTransfer(flight, sim::toCycle(end));
  return {next, sim::kNever};
}

void FixUnit::flagsSet(Cycle now) {
  if (following_ && !reading_)
    follow(now);
}

// Reads, if the mmads that make its blocks have started: then every block's time is known.
void FixUnit::follow(Cycle now) {
  const Command& c = following_->entry.command;
  const L0CTile tile = tileOf(c);
  UnitFlags& flags = core_.unitFlags();
  if (!flags.readable(tile))
    return;
  reading_ = true;
  ++stores_;
  const sim::Tick pace = readTime(*following_) / std::max<uint64_t>(tile.fractals(), 1);
  const UnitFlags::Read read =
      flags.read(tile, std::max(from_, sim::toTick(now)), pace, modeOf(c) == UnitFlagMode::Change);
  not_before_ = std::max(now + 1, sim::toCycle(read.end));
  sim::Calendar& calendar = core_.env().calendar;
  calendar.schedule(read_event_, not_before_);
  if (c.op == Opcode::FIX_L1)
    finish(*following_, not_before_);
  else
    // Before the end of reading, also when a tile without rows or columns is read in no time.
    calendar.schedule(transfer_event_, std::min(std::max(now, sim::toCycle(read.begin)), not_before_ - 1));
  if (UnitEngine* cube = core_.unit(Unit::M))
    cube->wake(now);
}

void FixUnit::transferNow(Cycle) {
  core_.guarded([&] { startTransfer(*following_, not_before_); });
}

void FixUnit::readOver(Cycle now) {
  core_.guarded([&] {
    moveValues(stores_);
    following_ = nullptr;
    reading_ = false;
    wake(now);
  });
}

uint64_t FixUnit::reading(const L0CTile& tile) const {
  if (!reading_)
    return 0;
  const L0CTile own = tileOf(following_->entry.command);
  return own.address < tile.end() && tile.address < own.end() ? stores_ : 0;
}

void FixUnit::moveValues(uint64_t number) {
  if (!reading_ || number != stores_ || following_->moved)
    return;
  following_->moved = true;
  core_.execute(following_->entry.command, unit_, following_->entry.footprints);
}

std::string FixUnit::describeFlight() const {
  return following_ && !reading_ ? "FIX waits for unit flags of L0C that no m.mmad sets" : std::string();
}

} // namespace dlsim::core
