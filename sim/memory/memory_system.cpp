#include "sim/memory/memory_system.h"

#include "sim/memory/dma_engine.h"

#include <stdexcept>
#include <string>

namespace dlsim::sim {

namespace {

constexpr const char* kUnitNames[kGmUnits] = {"S", "MTE1", "MTE2", "MTE3", "FIX", "M", "V", "FETCH"};

/// Width of the unit's path to or from global memory; 0 if the chip names none.
double gmPathWidth(const CoreKindSpec& kind, unsigned unit) {
  for (const auto& [name, path] : kind.paths)
    if (path.unit == kUnitNames[unit] && (path.from == "gm" || path.to == "gm"))
      return path.bytesPerCycle;
  return 0;
}

void add(CoreMemoryCounters& sum, const CoreMemoryCounters& one) {
  for (unsigned i = 0; i < 2; ++i) {
    sum.read[i].requests += one.read[i].requests;
    sum.read[i].words += one.read[i].words;
    sum.read[i].hitWords += one.read[i].hitWords;
    sum.read[i].mergedWords += one.read[i].mergedWords;
    sum.read[i].missAllocateWords += one.read[i].missAllocateWords;
    sum.read[i].missNoAllocateWords += one.read[i].missNoAllocateWords;
  }
  sum.writeRequests += one.writeRequests;
  sum.writeWords += one.writeWords;
  sum.writeHit += one.writeHit;
  sum.writeMissAllocate += one.writeMissAllocate;
  sum.writeMissNoAllocate += one.writeMissNoAllocate;
  sum.readBytes += one.readBytes;
  sum.writeBytes += one.writeBytes;
  sum.transfers += one.transfers;
  sum.latencyTicks += one.latencyTicks;
  sum.sameLineTicks += one.sameLineTicks;
  sum.sliceQueueTicks += one.sliceQueueTicks;
}

void add(SliceCounters& sum, const SliceCounters& one) {
  sum.requests += one.requests;
  sum.readRequests += one.readRequests;
  sum.writeRequests += one.writeRequests;
  sum.hits += one.hits;
  sum.merged += one.merged;
  sum.misses += one.misses;
  sum.evictions += one.evictions;
  sum.dirtyEvictions += one.dirtyEvictions;
  sum.portQueueTicks += one.portQueueTicks;
  sum.linkQueueTicks += one.linkQueueTicks;
  sum.sameLineTicks += one.sameLineTicks;
  sum.mshrWaitTicks += one.mshrWaitTicks;
  for (std::size_t i = 0; i < sum.sharers.size(); ++i)
    sum.sharers[i] += one.sharers[i];
  sum.largestSharers = std::max(sum.largestSharers, one.largestSharers);
  sum.sharersSum += one.sharersSum;
}

} // namespace

struct MemorySystem::Impl {
  Impl(const ChipSpec& chip, Calendar& calendar) : fabric(chip, calendar), ports(chip.cores()) {
    engines.reserve(ports.size() * kGmUnits);
    for (std::uint32_t core = 0; core < ports.size(); ++core) {
      const CoreKindSpec& kind = chip.kindOfCore(core);
      for (unsigned unit = 0; unit < kGmUnits; ++unit) {
        const double width = gmPathWidth(kind, unit);
        const bool cache = unit == unsigned(GmUnit::Scalar) || unit == unsigned(GmUnit::Fetch);
        engines.push_back(cache || width > 0 ? std::make_unique<DmaEngine>(fabric, ports[core], core,
                                                                           static_cast<GmUnit>(unit), width)
                                             : nullptr);
      }
    }
  }

  DmaEngine* engine(std::uint32_t core, GmUnit unit) const {
    return core < ports.size() ? engines[core * kGmUnits + static_cast<unsigned>(unit)].get() : nullptr;
  }

  MemoryFabric fabric;
  std::vector<CorePorts> ports;
  std::vector<std::unique_ptr<DmaEngine>> engines;
};

MemorySystem::MemorySystem(const ChipSpec& chip, Calendar& calendar)
    : impl_(std::make_unique<Impl>(chip, calendar)) {}
MemorySystem::~MemorySystem() = default;

void MemorySystem::start(GmTransfer& transfer) {
  DmaEngine* engine = impl_->engine(transfer.core, transfer.unit);
  if (!engine)
    throw std::invalid_argument("memory system: core " + std::to_string(transfer.core) + " has no unit " +
                                kUnitNames[static_cast<unsigned>(transfer.unit)] +
                                " with a path to global memory");
  if (transfer.shape == GmShape::Gather && !transfer.addresses && transfer.count != 0)
    throw std::invalid_argument("memory system: a gather needs its list of addresses");
  engine->start(transfer);
}

std::uint64_t MemorySystem::inFlight() const { return impl_->fabric.inFlight; }

std::uint32_t MemorySystem::inFlight(std::uint32_t core, GmUnit unit) const {
  const DmaEngine* engine = impl_->engine(core, unit);
  return engine ? engine->inFlight() : 0;
}

std::uint64_t MemorySystem::bytesArrived(std::uint32_t core, GmUnit unit) const {
  const DmaEngine* engine = impl_->engine(core, unit);
  return engine ? engine->bytesArrived() : 0;
}

const CoreMemoryCounters& MemorySystem::counters(std::uint32_t core) const {
  return impl_->ports.at(core).counters;
}
const SliceCounters& MemorySystem::sliceCounters(std::uint32_t slice) const {
  return impl_->fabric.slices.at(slice).counters();
}
std::uint32_t MemorySystem::slices() const { return static_cast<std::uint32_t>(impl_->fabric.slices.size()); }
const HbmCounters& MemorySystem::hbmCounters() const { return impl_->fabric.hbm.counters(); }

MemoryTotals MemorySystem::totals() const {
  MemoryTotals sum;
  for (const CorePorts& core : impl_->ports)
    add(sum.cores, core.counters), add(sum.cores, core.fetchCounters);
  for (const L2Slice& slice : impl_->fabric.slices)
    add(sum.slices, slice.counters());
  sum.hbm = hbmCounters();
  return sum;
}

void MemorySystem::resetCounters() {
  for (CorePorts& core : impl_->ports)
    core.counters = core.fetchCounters = {};
  for (L2Slice& slice : impl_->fabric.slices)
    slice.resetCounters();
  impl_->fabric.hbm.resetCounters();
}

void MemorySystem::flush() {
  if (inFlight() != 0)
    throw std::logic_error("memory system: flush with " + std::to_string(inFlight()) +
                           " transfers in flight");
  for (L2Slice& slice : impl_->fabric.slices)
    slice.flush();
  for (CorePorts& core : impl_->ports)
    core.nextReadChannel = 0;
  impl_->fabric.hbm.reset();
}

} // namespace dlsim::sim
