// The whole path on a chip with round numbers: each time is added up by hand from simple_chip.h.
#include "sim/memory/address_map.h"
#include "sim/memory/global_memory.h"
#include "sim/memory/memory_system.h"
#include "tests/sim/memory/move.h"
#include "tests/sim/memory/simple_chip.h"
#include "tests/sim/memory/stream.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {
std::size_t allocations = 0;
}
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* block = std::malloc(bytes))
    return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

using namespace dlsim::sim;
using namespace dlsim::sim::testing;

namespace {

class PathTest : public ::testing::Test {
protected:
  explicit PathTest(std::vector<std::string> more = {})
      : chip(simpleChip(std::move(more))), memory(chip, calendar), aiv(chip.coreIndex("aiv", 0)) {}

  /// Runs the transfer alone; cycles from its start to done().
  Cycle run(Move& move) {
    memory.start(move);
    calendar.run();
    return move.doneAt - move.started;
  }
  Cycle read(std::uint64_t address, std::uint64_t bytes) {
    Move move(aiv, GmUnit::Mte2, address, bytes);
    return run(move);
  }
  /// A line of the same slice, and another HBM channel.
  std::uint64_t sameSlice(std::uint64_t address) const {
    const AddressMap map(chip);
    const std::uint64_t line = map.line(address);
    std::uint64_t other = line + 1;
    while (map.slice(other) != map.slice(line) || map.place(other).channel == map.place(line).channel)
      ++other;
    return other * chip.l2.lineBytes;
  }

  ChipSpec chip;
  Calendar calendar;
  MemorySystem memory;
  std::uint32_t aiv;
};

TEST_F(PathTest, LoneReadMiss) {
  // 10 to the slice, 4 port (512 B), 5 to HBM, 15 + 30 row and access, 32 data, 20 hit time, 10 back, 4
  // channel. The channel is half of 128 B/cycle's path: both at 128, so 4.
  EXPECT_EQ(read(kHeap, 512), 10u + 4 + 5 + 15 + 30 + 32 + 20 + 10 + 4);
  EXPECT_EQ(memory.totals().hbm.rowMisses, 1u);
}

TEST_F(PathTest, LoneReadHit) {
  read(kHeap, 512);
  EXPECT_EQ(read(kHeap, 512), 10u + 4 + 20 + 10 + 4);
  EXPECT_EQ(read(kHeap, 32), 10u + 1 + 20 + 10 + 1); // the floor: 128 B move
  const MemoryTotals totals = memory.totals();
  EXPECT_EQ(totals.slices.hits, 2u);
  EXPECT_EQ(totals.slices.misses, 1u);
  EXPECT_EQ(totals.cores.readBytes, 512u + 512 + 32);
}

TEST_F(PathTest, LoneWrite) {
  Move move(aiv, GmUnit::Mte3, kHeap, 512, true);
  // 4 channel, 10 to the slice, 4 port, 3 write, 10 back.
  EXPECT_EQ(run(move), 4u + 10 + 4 + 3 + 10);
  EXPECT_EQ(memory.totals().cores.writeMissAllocate, 1u);
  EXPECT_EQ(memory.totals().hbm.readBytes, 0u);       // a whole line needs no fetch
  EXPECT_EQ(read(kHeap, 512), 10u + 4 + 20 + 10 + 4); // and is then a hit
}

TEST_F(PathTest, PartialWriteFetchesTheLineInTheBackground) {
  Move move(aiv, GmUnit::Mte3, kHeap + 64, 64, true);
  // 64 B at 128 B/cycle: half a cycle on the channel, half on the port; the answer comes within the next
  // cycle.
  EXPECT_EQ(run(move), 10u + 1 + 3 + 10);
  EXPECT_EQ(memory.totals().hbm.readBytes, 512u);
}

TEST_F(PathTest, RequestsAreAlignedPieces) {
  struct Case {
    std::uint64_t offset, bytes;
    std::uint32_t requests;
    std::uint64_t moved;
  };
  const Case cases[] = {{0, 512, 1, 512},  {0, 1024, 2, 1024}, {128, 512, 3, 512}, // 128 + 256 | 128
                        {32, 512, 3, 640}, // 512 | 128, the first from 0 on: 512 + 128 in two pieces
                        {0, 64, 1, 128},   {100, 64, 1, 256},  {0, 384, 2, 384},   {256, 512, 2, 512}};
  for (const Case& c : cases) {
    Move move(aiv, GmUnit::Mte2, kHeap + c.offset, c.bytes);
    run(move);
    EXPECT_EQ(move.requestBytes, c.moved) << c.offset << "+" << c.bytes;
    if (c.offset != 32)
      EXPECT_EQ(move.requests, c.requests) << c.offset << "+" << c.bytes;
  }
}

TEST_F(PathTest, ReadsAlternateBetweenTheChannels) {
  Move move(aiv, GmUnit::Mte2, kHeap, 64);
  move.count = 8;
  move.stride = 4096;
  run(move);
  const CoreMemoryCounters& counters = memory.counters(aiv);
  EXPECT_EQ(counters.read[0].requests, 4u);
  EXPECT_EQ(counters.read[1].requests, 4u);
  EXPECT_EQ(counters.read[0].words, 4u);
  EXPECT_EQ(counters.read[0].missAllocateWords + counters.read[1].missAllocateWords, 8u);
}

TEST_F(PathTest, RequestsKeptWithAFetchHoldTheSlice) {
  const std::uint64_t there = sameSlice(kHeap);
  read(there, 512);
  Move a(aiv, GmUnit::Mte2, kHeap, 512), b(aiv + 1, GmUnit::Mte2, kHeap, 512),
      c(aiv + 2, GmUnit::Mte2, kHeap, 512), d(aiv + 3, GmUnit::Mte2, there, 512);
  for (Move* move : {&a, &b, &c, &d})
    memory.start(*move);
  calendar.run();
  // a fetches the line. b has the port from 14 on and holds the slice for its 4 cycles of data and 8 more; so
  // does c from 26 on. d, whose line is there, waits for the port until 38.
  const Cycle filled = 10 + 4 + 5 + 15 + 30 + 32;
  for (const Move* move : {&a, &b, &c})
    EXPECT_EQ(move->took(), filled + 20 + 10 + 4);
  EXPECT_EQ(d.took(), 38u + 4 + 20 + 10 + 4);
  EXPECT_EQ(memory.totals().slices.largestSharers, 3u);
  EXPECT_EQ(toCycle(memory.totals().slices.sameLineTicks), 2u * 8); // beyond the port's 4
}

TEST_F(PathTest, CoresThatShareALineInL2WaitForThePortOnly) {
  read(kHeap, 512);
  Move a(aiv, GmUnit::Mte2, kHeap, 512), b(aiv + 1, GmUnit::Mte2, kHeap, 512);
  memory.start(a);
  memory.start(b);
  calendar.run();
  EXPECT_EQ(a.took(), 14u + 20 + 10 + 4);
  EXPECT_EQ(b.took(), 18u + 20 + 10 + 4);
  EXPECT_EQ(memory.totals().slices.largestSharers, 1u);
}

TEST_F(PathTest, AMissInFlightIsSharedAndCountedAsMerged) {
  Move a(aiv, GmUnit::Mte2, kHeap, 512), b(aiv + 1, GmUnit::Mte2, kHeap, 512);
  memory.start(a);
  memory.start(b);
  calendar.run();
  const Cycle filled = 10 + 4 + 5 + 15 + 30 + 32;
  EXPECT_EQ(a.doneAt - a.started, filled + 20 + 10 + 4);
  EXPECT_EQ(b.doneAt - b.started, filled + 20 + 10 + 4); // it held the slice for 8, long before the data came
  EXPECT_EQ(memory.totals().hbm.readBytes, 512u);
  EXPECT_EQ(memory.totals().slices.merged, 1u);
  EXPECT_EQ(memory.totals().slices.misses, 1u);
}

TEST_F(PathTest, BypassedReadsAreNotKept) {
  Move move(aiv, GmUnit::Mte2, kHeap, 512);
  move.bypass = true;
  run(move);
  run(move);
  const MemoryTotals totals = memory.totals();
  EXPECT_EQ(totals.cores.read[0].missNoAllocateWords + totals.cores.read[1].missNoAllocateWords, 8u);
  EXPECT_EQ(totals.hbm.rowHits, 1u); // the second time the row is open
}

TEST_F(PathTest, RowsOfNd2NzAndGatherKeepTheirDistance) {
  for (int i = 0; i < 8; ++i)
    read(kHeap + i * 512, 512);
  Move rows(aiv, GmUnit::Mte2, kHeap, 128);
  rows.count = 8;
  rows.stride = 512;
  rows.shape = GmShape::Nd2Nz;
  // 7 rows 6 cycles apart, then the last row's 128 B.
  EXPECT_EQ(run(rows), 7u * 6 + 10 + 1 + 20 + 10 + 1);
  rows.length = 512; // 64 B/cycle: 8 cycles a row
  EXPECT_EQ(run(rows), 7u * 8 + 10 + 4 + 20 + 10 + 4);
  const std::uint64_t addresses[3] = {kHeap + 1024, kHeap, kHeap + 512};
  Move gather(aiv, GmUnit::Mte2, 0, 128);
  gather.count = 3;
  gather.shape = GmShape::Gather;
  gather.addresses = addresses;
  EXPECT_EQ(run(gather), 2u * 9 + 10 + 1 + 20 + 10 + 1);
}

TEST_F(PathTest, RowsOfNd2NzThatAreNotAlignedAreSlower) {
  for (int i = 0; i < 9; ++i)
    read(kHeap + i * 512, 512);
  Move rows(aiv, GmUnit::Mte2, kHeap + 2, 128);
  rows.rows(8, 512, GmShape::Nd2Nz);
  // 7 rows of 128 B at 16 B/cycle, then the last row's two words.
  EXPECT_EQ(run(rows), 7u * 8 + 10 + 2 + 20 + 10 + 2);
}

TEST_F(PathTest, TransfersOfAUnitFinishInOrder) {
  read(kHeap, 512);
  Move miss(aiv, GmUnit::Mte2, kHeap + (1 << 20), 512), hit(aiv, GmUnit::Mte2, kHeap, 512);
  memory.start(miss);
  memory.start(hit);
  EXPECT_EQ(memory.inFlight(aiv, GmUnit::Mte2), 2u);
  calendar.run();
  EXPECT_LT(miss.issuedAt, hit.issuedAt + 1);
  EXPECT_GE(hit.doneAt, miss.doneAt);
  EXPECT_EQ(memory.inFlight(), 0u);
}

TEST_F(PathTest, EmptyTransfersAndLineFills) {
  Move empty(aiv, GmUnit::Mte2, kHeap, 0);
  EXPECT_EQ(run(empty), 0u);
  Move fill(aiv, GmUnit::Scalar, kHeap, 64), fetch(0, GmUnit::Fetch, GlobalMemory::kCodeBase, 128);
  EXPECT_EQ(run(fill), 10u + 1 + 5 + 15 + 30 + 32 + 20 + 10 + 1);
  run(fetch);
  EXPECT_EQ(run(fetch), 10u + 1 + 20 + 10 + 1);
}

TEST_F(PathTest, RefusesUnitsWithoutAPath) {
  Move vector(aiv, GmUnit::Vector, kHeap, 64), nobody(1000, GmUnit::Mte2, kHeap, 64);
  EXPECT_THROW(memory.start(vector), std::invalid_argument);
  EXPECT_THROW(memory.start(nobody), std::invalid_argument);
  Move gather(aiv, GmUnit::Mte2, kHeap, 64);
  gather.shape = GmShape::Gather;
  EXPECT_THROW(memory.start(gather), std::invalid_argument);
}

class WindowTest : public PathTest {
protected:
  WindowTest() : PathTest({"dma.read_window=2"}) {}
};

TEST_F(WindowTest, TheWindowLimitsRequestsInFlight) {
  for (int i = 0; i < 4; ++i)
    read(kHeap + i * 512, 512);
  // Pairs: requests at 0 and 1, in two slices. The first ends at 48, the second shares the unit's 128 B/cycle
  // path and ends at 52; the third takes the first slot at 48 and ends 48 later, the fourth follows from 52.
  Move move(aiv, GmUnit::Mte2, kHeap, 2048);
  EXPECT_EQ(run(move), 52u + 48);
}

class StartupTest : public PathTest {
protected:
  StartupTest() : PathTest({"dma.command_cycles=21", "dma.startup_cycles=10"}) {}
};

TEST_F(StartupTest, SmallCopiesAreIssueBound) {
  read(kHeap, 512);
  std::vector<Move> moves(10, Move(aiv, GmUnit::Mte2, kHeap, 128));
  for (Move& move : moves)
    memory.start(move);
  calendar.run();
  EXPECT_EQ(moves.front().doneAt - moves.front().started, 10u + 42);
  EXPECT_EQ(moves.back().doneAt - moves.front().doneAt, 9u * 21);
}

TEST_F(PathTest, NoAllocationPerTransaction) {
  const auto shape = [](std::uint32_t core) {
    StreamShape s;
    s.base = kHeap + core * (1 << 22);
    s.total = 1 << 20;
    return s;
  };
  std::vector<std::unique_ptr<Stream>> streams;
  for (const std::uint32_t core : coresOf(chip, "aic", 4))
    streams.push_back(std::make_unique<Stream>(memory, core, shape(core)));
  for (auto& stream : streams)
    stream->start();
  const std::size_t before = allocations;
  calendar.run();
  EXPECT_EQ(allocations, before);
}

} // namespace
