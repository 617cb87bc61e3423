// Channels, banks, rows and the change of direction of the 910B1's HBM, seen from the cores.
#include "sim/memory/address_map.h"
#include "tests/sim/memory/real_chip.h"

#include <array>

using namespace dlsim::sim;
using namespace dlsim::sim::testing;
using namespace dlsim::sim::testing::by_hand;

namespace {

class RealHbm : public RealChip {
protected:
  /// Addresses of the first `count` lines from the heap on that have the first one's channel.
  std::vector<std::uint64_t> inOneChannel(unsigned count) const {
    const AddressMap map(chip);
    std::vector<std::uint64_t> all;
    for (std::uint64_t line = map.line(kHeap); all.size() < count; ++line)
      if (map.place(line).channel == map.place(map.line(kHeap)).channel)
        all.push_back(line * kLine);
    return all;
  }
};

// 64 channels, rows of two lines: 256 neighbouring lines open each channel's next two rows and find half of
// the lines in open ones.
TEST_F(RealHbm, ChannelsAndRows) {
  Move move(aiv(), GmUnit::Mte2, kHeap, 256 * 512);
  run(move);
  EXPECT_EQ(memory.hbmCounters().rowMisses, kChannels * (256 / kChannels) * kLine / kRowBytes);
  EXPECT_EQ(memory.hbmCounters().rowHits, 256 - memory.hbmCounters().rowMisses);
}

// A row's bank is bits 48 and up of row times 2^64 over the golden ratio, modulo the banks. Twenty rows of a
// channel, twice: the second time only rows that no other one displaced are still open, which are those that
// have a bank for themselves.
TEST_F(RealHbm, Banks) {
  constexpr unsigned kRows = 20;
  const std::vector<std::uint64_t> lines = inOneChannel(2 * kRows);
  const std::uint64_t firstRow = kHeap / kLine / kChannels / (kRowBytes / kLine);
  const auto bankOf = [&](unsigned row) { return ((firstRow + row) * 0x9E3779B97F4A7C15u >> 48) % kBanks; };
  std::array<unsigned, kBanks> users{};
  for (unsigned row = 0; row < kRows; ++row)
    ++users[bankOf(row)];
  for (int pass = 0; pass < 2; ++pass)
    for (unsigned row = 0; row < kRows; ++row) {
      memory.resetCounters();
      Move move(aiv(), GmUnit::Mte2, lines[2 * row], 128);
      move.bypass = true;
      run(move);
      EXPECT_EQ(memory.hbmCounters().rowHits, pass == 1 && users[bankOf(row)] == 1 ? 1u : 0u)
          << "row " << row;
    }
}

// Two cores open rows of two banks of a channel at once: the second opening comes 16 cycles behind the first
// one; their 128 B would need 10 of the bus.
TEST_F(RealHbm, TwoOpenings) {
  const std::vector<std::uint64_t> lines = inOneChannel(3);
  const AddressMap map(chip);
  ASSERT_NE(map.place(map.line(lines[0])).bank, map.place(map.line(lines[2])).bank);
  Move a(aiv(0), GmUnit::Mte2, lines[0], 128), b(aiv(1), GmUnit::Mte2, lines[2], 128);
  a.bypass = b.bypass = true;
  memory.start(a);
  memory.start(b);
  calendar.run();
  const Tick first = cycles(kStartup) + readHit(128) + fetch(false, 128);
  EXPECT_EQ(a.took(), toCycle(first));
  EXPECT_EQ(b.took(), toCycle(first + cycles(kActivate)));
}

// Writes past L2 wait for a batch of 4, which then takes the bus: 4 lines and 54 cycles each way. A read of
// an open row that comes meanwhile waits; behind 3 writes it does not.
TEST_F(RealHbm, ABatchOfWrites) {
  for (const unsigned count : {kWriteBatch - 1, kWriteBatch}) {
    memory.flush();
    std::vector<std::uint64_t> lines = inOneChannel(count);
    Move writes(aiv(), GmUnit::Mte3, 0, 512, true), read(aiv(), GmUnit::Mte2, lines.back(), 128);
    writes.bypass = read.bypass = true;
    settle();
    const Cycle begin = calendar.now(), later = (kWriteBatch - 1) * kGatherRow + 20;
    memory.start(writes.gather(lines));
    calendar.runUntil(begin + later);
    calendar.advanceTo(begin + later);
    memory.start(read);
    calendar.run();
    const Tick alone = cycles(kStartup) + readHit(128) + fetch(true, 128);
    // The last write reaches the channel, and the batch begins.
    const Tick reached = cycles(kStartup + (kWriteBatch - 1) * kGatherRow + kRequest + kMiss) +
                         at(kWriteChannel, 512) + pass(512, kWriteLink);
    const Tick batch = at(kChannel, kWriteBatch * 512) + cycles(2 * kTurnaround);
    const Tick behind = reached + batch + at(kChannel, 128) + cycles(kRead + kResponse) +
                        at(kReadChannel, 128) - cycles(later);
    EXPECT_EQ(read.took(), toCycle(count == kWriteBatch ? behind : alone)) << count << " writes";
  }
}

// Three writes that waited on an idle channel have gone out when a read comes later; one more is no batch.
TEST_F(RealHbm, WaitingWritesUseAnIdleBus) {
  std::vector<std::uint64_t> lines = inOneChannel(kWriteBatch);
  Move early(aiv(), GmUnit::Mte3, 0, 512, true), late(aiv(), GmUnit::Mte3, lines.back(), 512, true);
  Move read(aiv(), GmUnit::Mte2, lines.front(), 128);
  early.bypass = late.bypass = read.bypass = true;
  const std::vector<std::uint64_t> most(lines.begin(), lines.end() - 1);
  run(early.gather(most));
  run(read);
  run(late);
  memory.start(read);
  calendar.run();
  EXPECT_EQ(read.took(), toCycle(cycles(kStartup) + readHit(128) + fetch(true, 128)));
}

} // namespace
