// The memory system of the 910B1 as its chip file has it, and the numbers that the tests add up by hand. The
// tests measure cycles, hits and bytes and never read the chip file's numbers: when a number of the file is
// changed on purpose, its twin here is changed too, and nothing else. Units: cycles, bytes, bytes per cycle.
#pragma once

#include "sim/config/chip_file.h"
#include "sim/memory/memory_system.h"
#include "tests/sim/memory/move.h"

#include <gtest/gtest.h>

namespace dlsim::sim::testing {

namespace by_hand {
// Engines.
inline constexpr Cycle kCommand = 21, kStartup = 10, kBurst = 4, kNd2NzRow = 1, kGatherRow = 8, kIssue = 1;
inline constexpr double kNd2NzBytes = 111.0, kNd2NzUnalignedBytes = 16.0;
inline constexpr unsigned kReadWindow = 64, kWriteWindow = 64, kScalarWindow = 4, kCommandsInFlight = 32;
inline constexpr double kPathToUb = 128.0, kPathToL1 = 153.0, kPathOut = 128.0;
// Network.
inline constexpr Cycle kRequest = 45, kResponse = 45;
inline constexpr double kReadChannel = 98.5, kWriteChannel = 121.0, kReadLink = 101.0, kWriteLink = 101.0;
// L2: 32 slices x 512 sets x 24 ways of 512 bytes.
inline constexpr double kPort = 128.0;
inline constexpr Cycle kRead = 124, kWrite = 125, kMiss = 138, kSameLine = 11, kSharedLine = 12, kAtomic = 16;
inline constexpr unsigned kSlices = 32, kSets = 512, kWays = 24, kLine = 512, kFetches = 64;
// HBM: 64 channels of 16 banks with rows of 1 KB; 13.84 bytes a cycle, of which 91.5 % are left.
inline constexpr unsigned kChannels = 64, kBanks = 16, kRowBytes = 1024, kWriteBatch = 4;
inline constexpr double kChannel = 13.84 * 0.915;
inline constexpr Cycle kAccess = 73, kRowMiss = 52, kActivate = 16, kTurnaround = 54;
} // namespace by_hand

/// Time of `bytes` at a rate: the model counts 1/256 cycles and drops what is less.
constexpr Tick at(double rate, std::uint64_t bytes) {
  return static_cast<Tick>(static_cast<double>(bytes) * 256 / rate);
}
constexpr Tick cycles(Cycle count) { return toTick(count); }

class RealChip : public ::testing::Test {
protected:
  static constexpr std::uint64_t kHeap = 0x1'0000'0000; // begins a group of lines: see address_map.h

  RealChip() : chip(loadChip("ascend910b1").spec), memory(chip, calendar) {}

  std::uint32_t aic(std::uint32_t i = 0) const { return chip.coreIndex("aic", i); }
  std::uint32_t aiv(std::uint32_t i = 0) const { return chip.coreIndex("aiv", i); }

  /// Ends what is under way and lets every reservation run out.
  void settle() {
    calendar.run();
    calendar.advanceTo(calendar.now() + 100000);
  }
  /// Runs a transfer alone on an idle chip.
  Cycle run(Move& move) {
    settle();
    memory.start(move);
    calendar.run();
    return move.took();
  }
  /// Brings lines into L2.
  void warm(std::uint64_t bytes, std::uint64_t from = kHeap) {
    Move move(aiv(), GmUnit::Mte2, from, bytes);
    run(move);
    settle();
    memory.resetCounters();
  }

  ChipSpec chip;
  Calendar calendar;
  MemorySystem memory;
};

// ---- sums that several tests need ------------------------------------------------------------------------

/// A request's way through a slice: port and link side by side, the slower one counts.
inline Tick pass(std::uint64_t bytes, double link) {
  return std::max(at(by_hand::kPort, bytes), at(link, bytes));
}
/// A read request that hits, from its issue to its last byte in the core: there, through the slice, the hit
/// time, back, through a read channel (the units' paths are wider).
inline Tick readHit(std::uint64_t bytes) {
  using namespace by_hand;
  return cycles(kRequest) + pass(bytes, kReadLink) + cycles(kRead + kResponse) + at(kReadChannel, bytes);
}
/// What a miss adds: the request to HBM, an open row's access, the line over the channel; a closed row more.
inline Tick fetch(bool rowOpen, std::uint64_t bytes = by_hand::kLine) {
  using namespace by_hand;
  return cycles(kMiss + kAccess + (rowOpen ? 0 : kRowMiss)) + at(kChannel, bytes);
}
/// A write request from its issue to the acknowledgement.
inline Tick writeRequest(std::uint64_t bytes) {
  using namespace by_hand;
  return at(kWriteChannel, bytes) + cycles(kRequest) + pass(bytes, kWriteLink) + cycles(kWrite + kResponse);
}

} // namespace dlsim::sim::testing
