#include "sim/core/caches.h"

#include <algorithm>

namespace dlsim::core {

struct LineFiller::Fill final : sim::GmTransfer {
  explicit Fill(LineFiller& f) : owner(f) {}
  void done(Cycle now) override { owner.filled(*this, now); }
  LineFiller& owner;
  uint64_t first = 0;
  uint32_t lines = 0;
  bool busy = false;
  bool dirty = false; // a store waits for it
};

LineFiller::LineFiller(Environment& env, uint32_t core, sim::GmUnit unit, CacheTags& tags,
                       std::function<void(Cycle)> arrived)
    : env_(env), core_(core), unit_(unit), tags_(tags), arrived_(std::move(arrived)) {}

LineFiller::~LineFiller() = default;

LineFiller::Fill& LineFiller::freeFill() {
  for (const auto& fill : fills_)
    if (!fill->busy)
      return *fill;
  fills_.push_back(std::make_unique<Fill>(*this));
  return *fills_.back();
}

void LineFiller::fetch(uint64_t line, uint32_t lines) {
  Fill& fill = freeFill();
  fill.busy = true;
  fill.dirty = false;
  fill.first = line;
  fill.lines = lines;
  fill.core = core_;
  fill.unit = unit_;
  fill.write = false;
  fill.address = line * tags_.lineBytes();
  fill.length = uint64_t{lines} * tags_.lineBytes();
  fill.count = 1;
  ++in_flight_;
  env_.path.start(fill);
}

void LineFiller::writeBack(uint64_t line) {
  Fill& fill = freeFill();
  fill.busy = true;
  fill.lines = 0;
  fill.core = core_;
  fill.unit = unit_;
  fill.write = true;
  fill.address = line * tags_.lineBytes();
  fill.length = tags_.lineBytes();
  fill.count = 1;
  env_.path.start(fill);
}

bool LineFiller::pending(uint64_t line) const {
  return std::any_of(fills_.begin(), fills_.end(), [&](const auto& fill) {
    return fill->busy && line >= fill->first && line < fill->first + fill->lines;
  });
}

void LineFiller::markDirtyOnArrival(uint64_t line) {
  for (const auto& fill : fills_)
    if (fill->busy && line >= fill->first && line < fill->first + fill->lines)
      fill->dirty = true;
}

void LineFiller::filled(Fill& fill, Cycle now) {
  fill.busy = false;
  if (fill.write)
    return;
  --in_flight_;
  const bool dirty = fill.dirty;
  for (uint64_t line = fill.first; line < fill.first + fill.lines; ++line) {
    const std::optional<uint64_t> displaced = tags_.insert(line);
    if (dirty)
      tags_.markDirty(line);
    if (displaced)
      writeBack(*displaced);
  }
  arrived_(now);
}

// ---- instructions -----------------------------------------------------------------------------------------

InstructionCache::InstructionCache(Environment& env, uint32_t core, const sim::InstructionCacheSpec& spec,
                                   std::function<void(Cycle)> arrived)
    : spec_(spec), tags_(spec.bytes, spec.lineBytes, spec.ways),
      filler_(env, core, sim::GmUnit::Fetch, tags_, std::move(arrived)) {}

void InstructionCache::begin(uint64_t text_bytes) {
  tags_.clear();
  text_bytes_ = text_bytes;
  last_line_ = ~uint64_t{0};
  counts = {};
}

template <class F> void InstructionCache::eachLine(uint32_t offset, uint32_t bytes, F&& f) const {
  const uint64_t first = tags_.lineOf(isa::kTextBase + offset),
                 last = tags_.lineOf(isa::kTextBase + offset + bytes - 1);
  for (uint64_t line = first; line <= last; ++line)
    f(line);
}

bool InstructionCache::ready(uint32_t offset, uint32_t bytes) const {
  bool all = true;
  eachLine(offset, bytes, [&](uint64_t line) { all &= line == last_line_ || tags_.contains(line); });
  return all;
}

void InstructionCache::touch(uint32_t offset, uint32_t bytes) {
  ++counts.requests;
  eachLine(offset, bytes, [&](uint64_t line) {
    if (line != last_line_)
      tags_.touch(line);
    last_line_ = line;
  });
}

// The missing line first, then what the prefetcher takes along behind it.
void InstructionCache::request(uint32_t offset, uint32_t bytes) {
  last_line_ = ~uint64_t{0};
  eachLine(offset, bytes, [&](uint64_t line) {
    if (tags_.contains(line) || filler_.pending(line))
      return;
    ++counts.misses;
    filler_.fetch(line, 1);
    const uint64_t end_line = tags_.lineOf(isa::kTextBase + text_bytes_ + spec_.lineBytes - 1);
    uint64_t ahead = line + 1;
    const uint64_t last = std::min(end_line, ahead + spec_.prefetchBytes / spec_.lineBytes);
    while (ahead < last && !tags_.contains(ahead) && !filler_.pending(ahead))
      ++ahead;
    if (ahead > line + 1)
      filler_.fetch(line + 1, static_cast<uint32_t>(ahead - line - 1));
  });
}

// ---- data -------------------------------------------------------------------------------------------------

DataCache::DataCache(Environment& env, uint32_t core, const sim::DataCacheSpec& spec, uint32_t store_buffer,
                     std::function<void(Cycle)> arrived)
    : tags_(spec.bytes, spec.lineBytes, spec.ways),
      filler_(env, core, sim::GmUnit::Scalar, tags_, std::move(arrived)), store_buffer_(store_buffer) {}

void DataCache::begin() {
  tags_.clear();
  counts = {};
  counted_ = false;
}

bool DataCache::hits(uint64_t address, uint32_t bytes) const {
  return tags_.contains(tags_.lineOf(address)) && tags_.contains(tags_.lineOf(address + bytes - 1));
}

bool DataCache::load(uint64_t address, uint32_t bytes) {
  const uint64_t first = tags_.lineOf(address), last = tags_.lineOf(address + bytes - 1);
  if (!counted_)
    ++counts.requests;
  bool all = true;
  for (uint64_t line = first; line <= last; ++line) {
    if (tags_.touch(line))
      continue;
    all = false;
    if (filler_.pending(line))
      continue;
    ++counts.misses;
    filler_.fetch(line, 1);
  }
  counted_ = !all;
  return all;
}

bool DataCache::store(uint64_t address, uint32_t bytes) {
  const uint64_t first = tags_.lineOf(address), last = tags_.lineOf(address + bytes - 1);
  if (!counted_)
    ++counts.requests;
  for (uint64_t line = first; line <= last; ++line) {
    if (tags_.touch(line)) {
      tags_.markDirty(line);
      continue;
    }
    if (!filler_.pending(line)) {
      if (filler_.inFlight() >= store_buffer_) {
        counted_ = true;
        return false;
      }
      ++counts.misses;
      filler_.fetch(line, 1);
    }
    filler_.markDirtyOnArrival(line);
  }
  counted_ = false;
  return true;
}

} // namespace dlsim::core
