// The instruction and data caches of a core: timing only, values are always those of global memory. Line
// fills go through the memory system.
#pragma once

#include "sim/core/environment.h"
#include "sim/core/tags.h"

#include <functional>
#include <memory>
#include <vector>

namespace dlsim::core {

// Fetches lines of one cache and remembers which are on their way.
class LineFiller {
public:
  // `arrived` is called after the line (or run of lines) has been put in.
  LineFiller(Environment& env, uint32_t core, sim::GmUnit unit, CacheTags& tags,
             std::function<void(Cycle)> arrived);
  ~LineFiller();

  void fetch(uint64_t line, uint32_t lines);
  bool pending(uint64_t line) const;
  size_t inFlight() const { return in_flight_; }
  void markDirtyOnArrival(uint64_t line);

private:
  struct Fill;
  Fill& freeFill();
  void writeBack(uint64_t line);
  void filled(Fill& fill, Cycle now);

  Environment& env_;
  uint32_t core_;
  sim::GmUnit unit_;
  CacheTags& tags_;
  std::function<void(Cycle)> arrived_;
  std::vector<std::unique_ptr<Fill>> fills_;
  size_t in_flight_ = 0; // fills, not write-backs
};

struct CacheCounts {
  uint64_t requests = 0;
  uint64_t misses = 0;
};

class InstructionCache {
public:
  InstructionCache(Environment& env, uint32_t core, const sim::InstructionCacheSpec& spec,
                   std::function<void(Cycle)> arrived);
  // A new program: cold.
  void begin(uint64_t text_bytes);
  // Whether all lines of [offset, offset + bytes) are there; the first missing one is being fetched
  // otherwise. Call only at the present cycle when ready() is false.
  bool ready(uint32_t offset, uint32_t bytes) const;
  void request(uint32_t offset, uint32_t bytes);
  void touch(uint32_t offset, uint32_t bytes);
  // Lines are on their way: what is there now may be displaced before a later cycle.
  bool busy() const { return filler_.inFlight() != 0; }

  CacheCounts counts;

private:
  template <class F> void eachLine(uint32_t offset, uint32_t bytes, F&& f) const;
  const sim::InstructionCacheSpec& spec_;
  CacheTags tags_;
  LineFiller filler_;
  uint64_t text_bytes_ = 0;
  uint64_t last_line_ = ~uint64_t{0};
};

class DataCache {
public:
  DataCache(Environment& env, uint32_t core, const sim::DataCacheSpec& spec, uint32_t store_buffer,
            std::function<void(Cycle)> arrived);
  void begin();
  // Loads: true when the line is there; otherwise it is being fetched, ask again when it has arrived.
  bool load(uint64_t address, uint32_t bytes);
  // Stores: true when it was taken: the line is there, or the store buffer holds it until the line comes.
  bool store(uint64_t address, uint32_t bytes);
  // Whether load() or store() would be answered without the memory system.
  bool hits(uint64_t address, uint32_t bytes) const;
  bool busy() const { return filler_.inFlight() != 0; }

  CacheCounts counts;

private:
  CacheTags tags_;
  LineFiller filler_;
  uint32_t store_buffer_;
  bool counted_ = false; // the access being retried is in the counts
};

} // namespace dlsim::core
