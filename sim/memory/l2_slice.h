// One L2 slice: port, link, tags, line serialisation, and the fetches it has in flight. Requests arrive in
// calendar order and reserve what they need; the answer's time is known at once, so a request costs one event
// here.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/memory/address_map.h"
#include "sim/memory/counters.h"
#include "sim/memory/hbm.h"
#include "sim/memory/line_request.h"
#include "sim/memory/tag_store.h"

#include <unordered_map>
#include <vector>

namespace dlsim::sim {

class L2Slice {
public:
  L2Slice(std::uint32_t index, const L2Spec& l2, const NocSpec& noc, const AddressMap& map, Hbm& hbm);

  /// Serves a request that arrives at `request.tick`; returns when the answer leaves the slice.
  Tick serve(const LineRequest& request, CoreMemoryCounters& core);

  /// Brings the set's tags near before the request arrives.
  void prefetch(std::uint32_t set) const { tags_.prefetch(set); }
  /// The same for the line's state, when its tags are near.
  void prefetchLine(const LineRequest& request) const;

  const SliceCounters& counters() const { return counters_; }
  void resetCounters() { counters_ = {}; }
  void flush();
  bool holds(std::uint64_t line) const;

private:
  using SectorMask = std::uint32_t;
  struct Line {
    Tick ready = 0; // its last fetch is in the array
    SectorMask valid = 0, dirty = 0;
    std::uint16_t sharers = 1;   // requests that its latest fetch answers, so far
    std::uint16_t core = 0xffff; // whose request came last
    Tick used = 0;               // its answer has reached that core
  };
  enum class Outcome { Hit, Merged, MissAllocate, MissNoAllocate };
  struct Touched {
    SectorMask sectors; // every sector it touches
    SectorMask whole;   // those it covers
  };

  Touched touched(const LineRequest& request) const;
  Tick pass(const LineRequest& request, CoreMemoryCounters& core);
  Tick fetch(std::uint64_t line, std::uint32_t bytes, Tick from);
  std::uint32_t bytesOf(SectorMask sectors) const {
    return static_cast<std::uint32_t>(__builtin_popcount(sectors)) * l2_.sectorBytes;
  }
  Line* find(const LineRequest& request);
  Line& allocate(const LineRequest& request, Tick at);
  // Lines that requests pass by: only which bytes are on their way matters, and only for a short while.
  struct Passing {
    std::uint64_t number = ~std::uint64_t{0};
    Line line;
    std::uint32_t begin = 0, end = 0; // bytes that the latest fetch brings
  };
  Passing& passing(const LineRequest& request);
  Tick contend(Line& line, const LineRequest& request, Tick at, CoreMemoryCounters& core);
  Tick read(const LineRequest& request, Line* line, Tick at, CoreMemoryCounters& core);
  Tick write(const LineRequest& request, Line* line, Tick at, CoreMemoryCounters& core);
  void count(const LineRequest& request, Outcome outcome, CoreMemoryCounters& core);
  void countSharers(std::uint64_t sharers);

  const std::uint32_t index_;
  const L2Spec& l2_;
  const AddressMap& map_;
  Hbm& hbm_;
  Rate port_, readLink_, writeLink_;
  Resource portBusy_, readLinkBusy_, writeLinkBusy_;
  Tick readTicks_, writeTicks_, missTicks_, sameLineTicks_, sharedLineTicks_, atomicTicks_, useTicks_;
  TagStore tags_;
  std::vector<Line> lines_;                        // sets x ways
  std::unordered_map<std::uint64_t, Line> beyond_; // without evictions: lines for which the ways are too few
  std::vector<Passing> passing_ = std::vector<Passing>(256); // direct mapped
  std::vector<Tick> fetches_;                                // ends of the last `mshrs` fetches, a ring
  std::size_t nextFetch_ = 0;
  SliceCounters counters_;
};

} // namespace dlsim::sim
