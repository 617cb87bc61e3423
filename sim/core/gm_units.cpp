#include "sim/core/gm_units.h"

#include "sim/core/compute_units.h"
#include "sim/core/fix_unit.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dlsim::core {

namespace f = isa::fields;
using isa::Opcode;

struct GmUnit::Transfer final : sim::GmTransfer {
  explicit Transfer(GmUnit& u) : owner(u) {}
  void done(Cycle now) override {
    Flight* finished = flight;
    flight = nullptr;
    owner.free_.push_back(this);
    owner.finish(*finished, std::max(now, not_before));
  }
  GmUnit& owner;
  Flight* flight = nullptr;
  Cycle not_before = 0;
  std::vector<uint64_t> rows; // start addresses of a gather
};

double pathRate(const Core& core, const char* unit, const char* from, const char* to) {
  const sim::PathSpec* path = core.kind().path(unit, from, to);
  return path ? path->bytesPerCycle : 0;
}

sim::Tick ticksFor(uint64_t amount, double rate) {
  return rate > 0 ? static_cast<sim::Tick>(std::ceil(static_cast<double>(amount) * 256.0 / rate - 1e-6)) : 0;
}

namespace {

const Footprint* globalSide(const Footprints& fps) {
  for (const Footprint& fp : fps)
    if (fp.space == Space::GM)
      return &fp;
  return nullptr;
}

uint64_t localWritten(const Footprints& fps) {
  uint64_t bytes = 0;
  for (const Footprint& fp : fps)
    bytes += fp.space != Space::GM && fp.write ? fp.totalBytes() : 0;
  return bytes;
}

} // namespace

GmUnit::GmUnit(Core& core, Unit unit, uint32_t depth)
    : UnitEngine(core, unit, depth),
      local_rate_(std::max(pathRate(core, "MTE2", "gm", "l1"), pathRate(core, "MTE2", "gm", "ub"))) {}

GmUnit::~GmUnit() = default;

Cycle GmUnit::startable(const QueueEntry&, Cycle now) {
  size_t commands = 0;
  for (const Flight& flight : flights())
    commands += flight.entry.what == WordClass::Command;
  return commands < core_.chip().dma.commandsInFlight ? now : sim::kNever;
}

GmUnit::Transfer& GmUnit::freeTransfer() {
  if (free_.empty()) {
    pool_.push_back(std::make_unique<Transfer>(*this));
    return *pool_.back();
  }
  Transfer& transfer = *free_.back();
  free_.pop_back();
  return transfer;
}

// The rows of a gather are picked by indices in UB: read when the command starts.
void GmUnit::fillGather(Transfer& transfer, const Command& c) {
  using F = f::MTE2_GATHER_UB;
  const uint64_t count = F::count::get(c.r), length = F::length::get(c.r), table = c.r[F::kSrc1];
  if (core_.env().poison && core_.ubPoison().touches(table, table + 4 * count))
    throw FaultError(
        core_.fault(FaultKind::PoisonUse, unit_, c.pc, "the row indices of a gather were not computed"));
  transfer.shape = sim::GmShape::Gather;
  transfer.rows.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t index;
    std::memcpy(&index, core_.state().ub.data() + table + 4 * i, sizeof index);
    const uint64_t row = c.r[F::kSrc0] + index * F::rowstride::get(c.r);
    if (length && !core_.env().memory.mapped(row, length)) {
      Fault fault = core_.fault(FaultKind::UnmappedMemory, unit_, c.pc,
                                "row " + std::to_string(i) + " with index " + std::to_string(index) + ": " +
                                    core_.env().memory.describe(row, length));
      fault.address = row;
      throw FaultError(fault);
    }
    transfer.rows[i] = row;
  }
  transfer.count = static_cast<uint32_t>(count);
  transfer.length = length;
  transfer.stride = 0;
  transfer.address = count ? transfer.rows[0] : 0;
  transfer.addresses = transfer.rows.data();
}

void GmUnit::fillRequest(Transfer& transfer, const Command& c) {
  const Footprints& fps = transfer.flight->entry.footprints;
  transfer.core = core_.id().dense;
  transfer.unit = static_cast<sim::GmUnit>(unit_);
  transfer.padding = 0;
  transfer.atomic = sim::GmAtomic::None;
  transfer.bypass = f::MTE2_COPY_L1::bypass::get(c.imm);
  transfer.addresses = nullptr;
  transfer.write = unit_ != Unit::MTE2;
  transfer.shape = c.op == Opcode::MTE2_ND2NZ ? sim::GmShape::Nd2Nz : sim::GmShape::Copy;
  if (c.op == Opcode::MTE2_GATHER_UB)
    return fillGather(transfer, c);
  if (transfer.write) // the same place in MTE3's and the fixpipe's immediates
    transfer.atomic = static_cast<sim::GmAtomic>(f::MTE3_COPY_UB::atomic::get(c.imm));
  const Footprint* gm = globalSide(fps);
  transfer.count = gm ? gm->count0 : 0;
  transfer.length = gm ? gm->bytes : 0;
  transfer.stride = gm ? gm->stride0 : 0;
  transfer.address = gm ? gm->address : 0;
  const bool pads = transfer.count != 0 && c.op != Opcode::MTE2_ND2NZ && !transfer.write;
  transfer.padding = pads ? localWritten(fps) / transfer.count - transfer.length : 0;
  // Bursts without a gap between them are one; only the layout unit takes row after row.
  if (transfer.shape == sim::GmShape::Copy && transfer.stride == static_cast<int64_t>(transfer.length)) {
    transfer.length *= transfer.count;
    transfer.padding *= transfer.count;
    transfer.count = 1;
  }
}

void GmUnit::startTransfer(Flight& flight, Cycle not_before) {
  Transfer& transfer = freeTransfer();
  transfer.flight = &flight;
  transfer.not_before = not_before;
  fillRequest(transfer, flight.entry.command);
  if (transfer.totalBytes() == 0) {
    free_.push_back(&transfer);
    finish(flight, not_before);
    return;
  }
  core_.env().path.start(transfer);
}

UnitEngine::Started GmUnit::start(Flight& flight, sim::Tick from) {
  const Footprint* gm = globalSide(flight.entry.footprints);
  if (unit_ == Unit::MTE2 && (!gm || gm->empty()) && flight.entry.command.op != Opcode::MTE2_GATHER_UB) {
    const sim::Tick work =
        ticksFor(localWritten(flight.entry.footprints), local_rate_); // a fill, or padding only
    flight.work = static_cast<uint32_t>(sim::toCycle(work));
    return {from + work, from + work};
  }
  startTransfer(flight, sim::toCycle(from)); // its engine moves the bytes at the width of the path
  return {from, sim::kNever};
}

std::unique_ptr<UnitEngine> makeUnit(Core& core, Unit unit) {
  const uint32_t depth = core.kind().queueDepth;
  switch (unit) {
  case Unit::MTE1:
    return std::make_unique<Mte1Unit>(core, depth);
  case Unit::MTE2:
  case Unit::MTE3:
    return std::make_unique<GmUnit>(core, unit, depth);
  case Unit::FIX:
    return std::make_unique<FixUnit>(core, depth);
  case Unit::M:
    return std::make_unique<CubeUnit>(core, depth);
  case Unit::V:
    return std::make_unique<VectorUnit>(core, depth);
  case Unit::S:
    break;
  }
  return nullptr;
}

} // namespace dlsim::core
