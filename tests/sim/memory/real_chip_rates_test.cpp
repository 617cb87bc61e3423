// Rates and windows of the 910B1's memory system: several requests in flight. The tensors lie in L2, and 64
// lines from the beginning of a group meet each slice twice, 32 lines apart, so that only what a test is
// about makes requests wait.
#include "sim/memory/address_map.h"
#include "tests/sim/memory/real_chip.h"

using namespace dlsim::sim;
using namespace dlsim::sim::testing;
using namespace dlsim::sim::testing::by_hand;

namespace {

using Rates = RealChip;

TEST_F(Rates, BurstsOfACopy) { // 15 gaps of 4 cycles
  warm(16 * 512);
  Move move(aiv(), GmUnit::Mte2, kHeap, 128);
  EXPECT_EQ(run(move.rows(16, 512)), toCycle(cycles(kStartup + 15 * kBurst) + readHit(128)));
}

TEST_F(Rates, ShortRowsOfNd2Nz) { // 63 gaps of 2 cycles
  warm(64 * 512);
  Move move(aic(), GmUnit::Mte2, kHeap, 32);
  EXPECT_EQ(run(move.rows(64, 512, GmShape::Nd2Nz)),
            toCycle(cycles(kStartup + 63 * kNd2NzRow) + readHit(128)));
}

TEST_F(Rates, LongRowsOfNd2Nz) { // 31 rows of 512 B at 111 B/cycle, 4.61 each
  warm(32 * 512);
  Move move(aic(), GmUnit::Mte2, kHeap, 512);
  EXPECT_EQ(run(move.rows(32, 512, GmShape::Nd2Nz)),
            toCycle(cycles(kStartup) + 31 * at(kNd2NzBytes, 512) + readHit(512)));
}

TEST_F(Rates, RowsOfNd2NzThatBeginInsideABlock) { // 31 rows of 480 B at 16 B/cycle; 512 B are read
  warm(32 * 512);
  Move move(aic(), GmUnit::Mte2, kHeap + 16, 480);
  EXPECT_EQ(run(move.rows(32, 512, GmShape::Nd2Nz)),
            toCycle(cycles(kStartup) + 31 * at(kNd2NzUnalignedBytes, 480) + readHit(512)));
}

TEST_F(Rates, GatheredRows) { // 15 gaps of 8 cycles
  warm(16 * 512);
  std::vector<std::uint64_t> rows;
  for (unsigned i = 0; i < 16; ++i)
    rows.push_back(kHeap + i * 7 % 16 * 512);
  Move move(aiv(), GmUnit::Mte2, 0, 128);
  EXPECT_EQ(run(move.gather(rows)), toCycle(cycles(kStartup + 15 * kGatherRow) + readHit(128)));
}

TEST_F(Rates, TheSecondRequestLeavesACycleLater) {
  warm(1024);
  Move move(aiv(), GmUnit::Mte2, kHeap + 384, 128 + 512); // the long request is the last to end
  EXPECT_EQ(run(move), toCycle(cycles(kStartup + kIssue) + readHit(512)));
  EXPECT_EQ(move.requests, 2u);
}

// Rows of 512 + 128 bytes: the long requests all take one of the two channels. Rows leave 4 cycles apart, but
// 512 B at 98.5 B/cycle need 5.20; L1's path needs 640 / 153 = 4.18.
TEST_F(Rates, ReadChannel) {
  warm(64 * 512);
  Move move(aic(), GmUnit::Mte2, kHeap, 640);
  EXPECT_EQ(run(move.rows(32, 1024)), toCycle(cycles(kStartup) + readHit(512) + 31 * at(kReadChannel, 512)));
}

TEST_F(Rates, WriteChannel) { // 64 requests leave at 121 B/cycle, 4.23 each; the path would take 4
  Move move(aiv(), GmUnit::Mte3, kHeap, 64 * 512, true);
  EXPECT_EQ(run(move), toCycle(cycles(kStartup) + writeRequest(512) + 63 * at(kWriteChannel, 512)));
}

// One line over and over, every 4 cycles: it leaves its slice at 101 B/cycle, 5.07 a time.
TEST_F(Rates, OutOfASlice) {
  warm(512);
  Move move(aiv(), GmUnit::Mte2, kHeap, 512);
  EXPECT_EQ(run(move.rows(32, 0)), toCycle(cycles(kStartup) + readHit(512) + 31 * at(kReadLink, 512)));
}

TEST_F(Rates, IntoASlice) { // the channel brings a line every 4.23 cycles
  warm(512);
  Move move(aiv(), GmUnit::Mte3, kHeap, 512, true);
  EXPECT_EQ(run(move.rows(32, 0)), toCycle(cycles(kStartup) + writeRequest(512) + 31 * at(kWriteLink, 512)));
}

// A core reads a line every 4 cycles and writes it every 4.23, 32 times each: either direction has a link of
// its own, but all pass the one port of 128 B/cycle. Reads run out first, so the last three at the port are
// writes, 61 requests behind the first one, which go on at the link's 5.07.
TEST_F(Rates, ReadsAndWritesThroughOnePort) {
  warm(512);
  Move in(aiv(), GmUnit::Mte2, kHeap, 512), out(aiv(), GmUnit::Mte3, kHeap, 512, true);
  memory.start(in.rows(32, 0));
  memory.start(out.rows(32, 0));
  calendar.run();
  EXPECT_EQ(out.took(), toCycle(cycles(kStartup + kRequest) + 61 * at(kPort, 512) + 3 * at(kWriteLink, 512) +
                                cycles(kWrite + kResponse)));
}

// 64 requests leave one after another, the next one when the first has been answered: a miss.
TEST_F(Rates, ReadWindow) {
  Move full(aiv(), GmUnit::Mte2, kHeap, kReadWindow * 512),
      more(aiv(), GmUnit::Mte2, kHeap + (1 << 20), (kReadWindow + 1) * 512);
  run(full);
  run(more);
  EXPECT_EQ(full.left(), kStartup + (kReadWindow - 1) * kIssue);
  EXPECT_EQ(more.left(), toCycle(cycles(kStartup) + readHit(512) + fetch(false)));
}

TEST_F(Rates, WriteWindow) {
  Move full(aiv(), GmUnit::Mte3, kHeap, kWriteWindow * 512, true),
      more(aiv(), GmUnit::Mte3, kHeap + (1 << 20), (kWriteWindow + 1) * 512, true);
  run(full);
  run(more);
  EXPECT_EQ(full.left(), kStartup + (kWriteWindow - 1) * kIssue);
  EXPECT_EQ(more.left(), toCycle(cycles(kStartup) + writeRequest(512)));
}

// Four line fills are under way, the fifth leaves when the first has come.
TEST_F(Rates, ScalarWindow) {
  warm(8 * 512);
  std::vector<Move> fills;
  for (unsigned i = 0; i < kScalarWindow + 1; ++i)
    fills.emplace_back(aiv(), GmUnit::Scalar, kHeap + i * 512, 64);
  for (Move& fill : fills)
    memory.start(fill);
  calendar.run();
  EXPECT_EQ(fills[kScalarWindow - 1].took(), toCycle(cycles((kScalarWindow - 1) * kIssue) + readHit(128)));
  EXPECT_EQ(fills[kScalarWindow].took(), toCycle(2 * readHit(128)));
}

// The first command's line waits behind 48 others in its HBM channel, about 48 x 40 cycles. Of the small
// copies behind it 31 may leave, 21 cycles apart; the next one begins when the first command is done.
TEST_F(Rates, CommandsInFlight) {
  warm(512);
  const AddressMap map(chip);
  const std::uint64_t slow = map.line(kHeap + (1 << 20));
  std::vector<std::uint64_t> others;
  for (std::uint64_t line = slow + 64; others.size() < 48; ++line)
    if (map.place(line).channel == map.place(slow).channel)
      others.push_back(line * 512);
  Move hog(aiv(1), GmUnit::Mte2, 0, 512);
  memory.start(hog.gather(others));
  calendar.runUntil(calendar.now() + 48 * kGatherRow + 300);
  std::vector<Move> moves(kCommandsInFlight + 1, Move(aiv(), GmUnit::Mte2, kHeap, 128));
  moves[0].address = slow * 512;
  for (Move& move : moves)
    memory.start(move);
  calendar.run();
  EXPECT_EQ(moves[kCommandsInFlight - 1].left(), (kCommandsInFlight - 1) * kCommand + kStartup);
  EXPECT_GT(moves[0].took(), moves[kCommandsInFlight - 1].left());
  EXPECT_EQ(moves[kCommandsInFlight].left(), moves[0].took() + kStartup);
}

} // namespace
