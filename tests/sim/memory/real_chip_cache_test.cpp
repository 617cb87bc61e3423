// Geometry and limits of the 910B1's L2: what stays, what is fetched, how many fetches are under way.
#include "sim/memory/address_map.h"
#include "tests/sim/memory/real_chip.h"

using namespace dlsim::sim;
using namespace dlsim::sim::testing;
using namespace dlsim::sim::testing::by_hand;

namespace {

class Cache : public RealChip {
protected:
  /// Misses of reading 32 neighbouring lines at each of `count` places that lie 32 slices x 512 sets x 512
  /// bytes = 8 MiB apart: each place puts one line into the same set of every slice.
  std::uint64_t misses(unsigned count) {
    memory.resetCounters();
    for (unsigned i = 0; i < count; ++i) {
      Move move(aiv(), GmUnit::Mte2, kHeap + std::uint64_t{i} * kSlices * kSets * kLine, kSlices * kLine);
      run(move);
    }
    return memory.totals().slices.misses;
  }
};

TEST_F(Cache, ASetHoldsAsManyLinesAsWays) {
  EXPECT_EQ(misses(kWays), kWays * kSlices);
  EXPECT_EQ(misses(kWays), 0u);
}

TEST_F(Cache, OneLineMoreAndAllOfThemMissInTurn) {
  EXPECT_EQ(misses(kWays + 1), (kWays + 1) * kSlices);
  EXPECT_EQ(misses(kWays + 1), (kWays + 1) * kSlices) << "least recently used first";
}

TEST_F(Cache, LinesAndSectors) {
  for (unsigned i = 0; i < 8; ++i) { // eight pieces of 128 bytes: two lines
    Move move(aiv(), GmUnit::Mte2, kHeap + i * 128, 128);
    run(move);
    EXPECT_EQ(memory.hbmCounters().readBytes, (i / 4 + 1) * 512u) << "a whole line is fetched";
  }
  EXPECT_EQ(memory.totals().slices.misses, 2u);
  EXPECT_EQ(memory.totals().slices.hits, 6u);
}

// 64 lines of one channel are asked for at once; a 65th of the slice's other, idle channel is asked for a
// little later and waits until the first fetch has ended.
TEST_F(Cache, FetchesUnderWay) {
  const AddressMap map(chip);
  const std::uint64_t first = map.line(kHeap);
  std::uint64_t last = first + 1;
  while (map.slice(last) != map.slice(first))
    ++last;
  std::uint64_t held = last + 4096; // of the same slice and another row, in L2
  while (map.slice(held) != map.slice(first) || map.place(held).channel == map.place(first).channel)
    ++held;
  warm(512, held * 512);
  settle();
  const Cycle begin = calendar.now();
  std::vector<std::vector<std::uint64_t>> lines(16);
  for (std::uint64_t line = first, i = 0; i < kFetches; ++line)
    if (map.place(line).channel == map.place(first).channel)
      lines[i++ % 16].push_back(line * 512);
  std::vector<Move> others(16);
  for (unsigned i = 0; i < 16; ++i) {
    others[i] = Move(aiv(1 + i), GmUnit::Mte2, 0, 128);
    memory.start(others[i].gather(lines[i]));
  }
  calendar.runUntil(begin + 60);
  calendar.advanceTo(begin + 60);
  Move move(aiv(), GmUnit::Mte2, last * 512, 128);
  memory.start(move);
  // What comes behind it is looked up behind it, though its line is there.
  Move hit(aiv(20), GmUnit::Mte2, held * 512, 128);
  memory.start(hit);
  calendar.run();
  ASSERT_NE(map.place(last).channel, map.place(first).channel);
  const Tick firstFetched = cycles(kStartup + kRequest) + pass(128, kReadLink) + fetch(false);
  EXPECT_EQ(move.doneAt - begin,
            toCycle(firstFetched + fetch(false) + cycles(kRead + kResponse) + at(kReadChannel, 128)));
  EXPECT_EQ(hit.doneAt - begin,
            toCycle(firstFetched + pass(128, kReadLink) + cycles(kRead + kResponse) + at(kReadChannel, 128)));
}

// Past L2 nothing is kept, but a request for bytes that are on their way brings them once.
TEST_F(Cache, ReadsPastItShareAFetch) {
  Move a(aiv(0), GmUnit::Mte2, kHeap, 128), b(aiv(1), GmUnit::Mte2, kHeap, 128),
      c(aiv(2), GmUnit::Mte2, kHeap + 128, 128);
  a.bypass = b.bypass = c.bypass = true;
  memory.start(a);
  memory.start(b);
  calendar.run();
  EXPECT_EQ(memory.hbmCounters().readBytes, 128u);
  run(b);
  EXPECT_EQ(memory.hbmCounters().readBytes, 256u) << "kept after its fetch";
  settle();
  memory.start(a);
  memory.start(c);
  calendar.run();
  EXPECT_EQ(memory.hbmCounters().readBytes, 512u) << "other bytes of the line";
}

} // namespace
