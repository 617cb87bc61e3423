// Counters of the memory path, with the units of the profiler's events. All monotone; observers take deltas.
#pragma once

#include <array>
#include <cstdint>

namespace dlsim::sim {

/// One read channel (r0 or r1) of a core. Words are 128 bytes (dma.word_bytes), the unit in which the
/// profiler counts reads: a 512-byte request counts 4.
struct ReadChannelCounters {
  std::uint64_t requests = 0;
  std::uint64_t words = 0;       // events 1293, 1294
  std::uint64_t hitWords = 0;    // events 1284, 1288; a word whose line was already being fetched counts here
  std::uint64_t mergedWords = 0; // of hitWords: the line was still being fetched (MSHR merge)
  std::uint64_t missAllocateWords = 0;   // events 1286, 1290
  std::uint64_t missNoAllocateWords = 0; // events 1287, 1291 (bypass hint)
};

struct CoreMemoryCounters {
  std::array<ReadChannelCounters, 2> read;
  // Writes count requests of up to 512 bytes, as the profiler does.
  std::uint64_t writeRequests = 0;       // event 19
  std::uint64_t writeWords = 0;          // event 1292, 128 bytes
  std::uint64_t writeHit = 0;            // event 1280
  std::uint64_t writeMissAllocate = 0;   // event 1282
  std::uint64_t writeMissNoAllocate = 0; // event 1283
  std::uint64_t readBytes = 0;           // useful bytes, without the read floor
  std::uint64_t writeBytes = 0;
  std::uint64_t transfers = 0;
  std::uint64_t latencyTicks = 0; // sum over requests of issue to end, 1/256 cycle
  std::uint64_t sameLineTicks =
      0; // part of it: being kept with a fetch of the line, or held by an atomic update
  std::uint64_t sliceQueueTicks = 0; // part of it: waiting for the slice's ports
};

inline constexpr unsigned kSharerBins = 64;

struct SliceCounters {
  std::uint64_t requests = 0;
  std::uint64_t readRequests = 0;
  std::uint64_t writeRequests = 0;
  std::uint64_t hits = 0;
  std::uint64_t merged = 0; // of hits: the line was still being fetched
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;
  std::uint64_t dirtyEvictions = 0;
  std::uint64_t portQueueTicks = 0;
  std::uint64_t linkQueueTicks = 0;
  std::uint64_t sameLineTicks = 0;
  std::uint64_t mshrWaitTicks = 0;
  /// sharers[n]: requests that were the n-th of those that one fetch answers; the last bin holds all
  /// above.
  std::array<std::uint64_t, kSharerBins + 1> sharers{};
  std::uint64_t largestSharers = 0;
  std::uint64_t sharersSum = 0; // mean = sharersSum / requests
};

struct HbmCounters {
  std::uint64_t readBytes = 0;
  std::uint64_t writeBytes = 0;
  std::uint64_t rowHits = 0;
  std::uint64_t rowMisses = 0;
  std::uint64_t queueTicks = 0; // waiting for the channel or bank
};

struct MemoryTotals {
  CoreMemoryCounters cores;
  SliceCounters slices;
  HbmCounters hbm;
};

} // namespace dlsim::sim
