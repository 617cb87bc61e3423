// One request at a time through the 910B1's memory system, and the few that meet at one place: latencies.
#include "sim/memory/address_map.h"
#include "tests/sim/memory/real_chip.h"

using namespace dlsim::sim;
using namespace dlsim::sim::testing;
using namespace dlsim::sim::testing::by_hand;

namespace {

using Latency = RealChip;

// 10 start-up, 45 there, 128 B at 101 B/cycle 1.27, 142 hit, 45 back, 128 B at 98.5 B/cycle 1.30: 244.6.
TEST_F(Latency, ReadHit) {
  warm(1024);
  Move small(aiv(), GmUnit::Mte2, kHeap, 128), line(aiv(), GmUnit::Mte2, kHeap, 512);
  EXPECT_EQ(run(small), toCycle(cycles(kStartup) + readHit(128)));
  EXPECT_EQ(run(line), toCycle(cycles(kStartup) + readHit(512)));
}

// The hit and 88 to HBM, 52 + 55 row and access, 512 B at 12.66 B/cycle 40.4; the row's other line without
// the 52.
TEST_F(Latency, ReadMiss) {
  Move closed(aiv(), GmUnit::Mte2, kHeap, 512);
  EXPECT_EQ(run(closed), toCycle(cycles(kStartup) + readHit(512) + fetch(false)));
  Move past(aiv(), GmUnit::Mte2, kHeap, 128); // the line is in L2 now: a bypass changes nothing
  past.bypass = true;
  EXPECT_EQ(run(past), toCycle(cycles(kStartup) + readHit(128)));
  // The second group's line of the same channel lies in the row that is open. It goes past L2: 128 B only.
  Move row(aiv(), GmUnit::Mte2, kHeap + 64 * 512, 128);
  row.rows(64, 512).bypass = true;
  run(row);
  EXPECT_EQ(memory.hbmCounters().rowHits, 1u);
  Move open(aiv(), GmUnit::Mte2, kHeap + 64 * 512, 128);
  open.bypass = true;
  EXPECT_EQ(run(open), toCycle(cycles(kStartup) + readHit(128) + fetch(true, 128)));
}

// 10 start-up, 128 B at 121 B/cycle 1.06, 45 there, 1.27 into the slice, 125 write, 45 back: 227.3.
TEST_F(Latency, Write) {
  Move small(aiv(), GmUnit::Mte3, kHeap, 128, true), line(aiv(), GmUnit::Mte3, kHeap, 512, true);
  EXPECT_EQ(run(small), toCycle(cycles(kStartup) + writeRequest(128)));
  EXPECT_EQ(run(line), toCycle(cycles(kStartup) + writeRequest(512)));
}

// A cache's line fill has no start-up; 64 B move the 128 of a read's floor.
TEST_F(Latency, LineFill) {
  warm(512);
  Move fill(aiv(), GmUnit::Scalar, kHeap, 64);
  EXPECT_EQ(run(fill), toCycle(readHit(128)));
  EXPECT_EQ(fill.requestBytes, 128u);
}

// The update holds the slice for 16 cycles from its turn at the port instead of the 5.07 of a write.
TEST_F(Latency, AtomicWrite) {
  warm(512);
  Move move(aiv(), GmUnit::Mte3, kHeap, 512, true);
  move.atomic = GmAtomic::Add;
  EXPECT_EQ(run(move), toCycle(cycles(kStartup) + at(kWriteChannel, 512) + cycles(kRequest) +
                               cycles(kAtomic) + cycles(kWrite + kResponse)));
}

// Three cores ask for a line at once, which the first one's request fetches. The second takes the port when
// the fetch has gone out and holds it for 4 and 11 cycles; so does the third behind it. A fourth core's line
// of the same slice is in L2: it waits for the port only.
TEST_F(Latency, CoresThatShareAFetch) {
  const AddressMap map(chip);
  std::uint64_t other = map.line(kHeap) + 1;
  while (map.slice(other) != map.slice(map.line(kHeap)))
    ++other;
  warm(512, other * 512);
  Move a(aiv(0), GmUnit::Mte2, kHeap, 512), b(aiv(1), GmUnit::Mte2, kHeap, 512),
      c(aiv(2), GmUnit::Mte2, kHeap, 512), d(aiv(3), GmUnit::Mte2, other * 512, 512);
  for (Move* move : {&a, &b, &c, &d})
    memory.start(*move);
  calendar.run();
  const Tick there = cycles(kStartup + kRequest), back = cycles(kRead + kResponse) + at(kReadChannel, 512);
  for (const Move* move : {&a, &b, &c})
    EXPECT_EQ(move->took(), toCycle(cycles(kStartup) + readHit(512) + fetch(false)));
  EXPECT_EQ(d.took(),
            toCycle(there + 2 * pass(512, kReadLink) + 2 * (at(kPort, 512) + cycles(kSameLine)) + back));
}

// Two cores read a line of L2 at once: the second has the port 4 cycles later and holds it for 12 more, for a
// quarter of the line 3. The line is shared until the first one's answer has arrived, 124 and 45 cycles.
TEST_F(Latency, CoresThatShareAHit) {
  const Tick there = cycles(kStartup + kRequest), back = cycles(kRead + kResponse);
  for (const std::uint64_t bytes : {512, 128}) {
    warm(512);
    Move a(aiv(0), GmUnit::Mte2, kHeap, bytes), b(aiv(1), GmUnit::Mte2, kHeap, bytes);
    memory.start(a);
    memory.start(b);
    calendar.run();
    EXPECT_EQ(a.took(), toCycle(cycles(kStartup) + readHit(bytes)));
    EXPECT_EQ(b.took(), toCycle(there + 2 * at(kPort, bytes) + cycles(kSharedLine) * bytes / kLine + back +
                                at(kReadChannel, bytes)));
  }
  for (const Cycle later : {kRead + kResponse - 1, kRead + kResponse}) {
    warm(512);
    Move a(aiv(0), GmUnit::Mte2, kHeap, 512), b(aiv(1), GmUnit::Mte2, kHeap, 512);
    memory.start(a);
    const Cycle start = calendar.now() + later;
    calendar.runUntil(start);
    calendar.advanceTo(start);
    memory.start(b);
    calendar.run();
    const Tick hold = later < kRead + kResponse ? at(kPort, 512) + cycles(kSharedLine) : pass(512, kReadLink);
    EXPECT_EQ(b.took(), toCycle(there + hold + back + at(kReadChannel, 512))) << later;
  }
}

// An engine takes a command every 21 cycles.
TEST_F(Latency, SmallCopiesFollowEachOther) {
  warm(512);
  std::vector<Move> moves(10, Move(aiv(), GmUnit::Mte2, kHeap, 128));
  for (Move& move : moves)
    memory.start(move);
  calendar.run();
  EXPECT_EQ(moves.back().took(), toCycle(cycles(9 * kCommand + kStartup) + readHit(128)));
}

} // namespace
