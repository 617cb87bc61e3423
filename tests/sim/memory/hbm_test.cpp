// Open rows and the shared bus, by hand: 16 B/cycle a channel, access 30, row miss 15 more (simple_chip.h).
#include "sim/memory/hbm.h"
#include "tests/sim/memory/simple_chip.h"

#include <gtest/gtest.h>

using namespace dlsim::sim;
using namespace dlsim::sim::testing;

namespace {

class HbmTest : public ::testing::Test {
protected:
  HbmTest() : chip(simpleChip()), map(chip), hbm(chip.hbm, map) {}

  /// The next line after `line` in the same channel; in the same row or not, in the same bank or not.
  std::uint64_t find(std::uint64_t line, bool sameRow, bool sameBank) const {
    const AddressMap::Place at = map.place(line);
    for (std::uint64_t next = line + 1;; ++next) {
      const AddressMap::Place place = map.place(next);
      if (place.channel == at.channel && (place.row == at.row) == sameRow &&
          (place.bank == at.bank) == sameBank)
        return next;
    }
  }
  Cycle read(std::uint64_t line, Cycle arrive) { return toCycle(hbm.read(line, 512, toTick(arrive))); }

  ChipSpec chip;
  AddressMap map;
  Hbm hbm;
};

TEST_F(HbmTest, FirstReadOpensTheRow) { EXPECT_EQ(read(0, 100), 100u + 15 + 30 + 32); }

TEST_F(HbmTest, AnOpenRowIsFasterAndStreamsAtTheBusRate) {
  read(0, 100);
  const std::uint64_t next = find(0, true, true);
  EXPECT_EQ(read(next, 500), 500u + 30 + 32);
  EXPECT_EQ(read(0, 500), 500u + 30 + 32 + 32); // right behind it
}

TEST_F(HbmTest, AnotherRowOfTheBankWaitsForTheBank) {
  EXPECT_EQ(read(0, 100), 177u);
  // The bank puts out its last data at 177 - 30, then needs 15 + 30 to the first data of the other row.
  EXPECT_EQ(read(find(0, false, true), 101), 177u - 30 + 15 + 30 + 32);
}

TEST_F(HbmTest, AnotherBankOpensMeanwhile) {
  EXPECT_EQ(read(0, 100), 177u);
  EXPECT_EQ(read(find(0, false, false), 101), 177u + 32); // only the bus is shared
}

TEST_F(HbmTest, WritesGoInBatchesAndTurnTheBusRound) {
  hbm.write(0, 512, toTick(100));
  EXPECT_EQ(read(find(0, true, true), 100),
            100u + 30 + 32);      // one write waits: no cost, and the row is open now
  hbm.write(0, 512, toTick(162)); // two: the batch goes, 2 x 32 + 2 x 7
  EXPECT_EQ(read(0, 170), 162u + 64 + 14 + 32);
  EXPECT_EQ(hbm.counters().writeBytes, 1024u);
}

TEST(AddressMap, EveryLineHasItsOwnPlaceInSliceAndSet) {
  const ChipSpec chip = simpleChip();
  const AddressMap map(chip);
  // A group of 64 lines visits every channel once and every slice twice.
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{64} * 12345, std::uint64_t{1} << 31}) {
    std::vector<int> slices(32), channels(64);
    for (std::uint64_t line = first; line < first + 64; ++line) {
      ++slices[map.slice(line)];
      ++channels[map.place(line).channel];
      EXPECT_EQ(map.place(line).channel % 32, map.slice(line)); // a slice owns its channels
      EXPECT_EQ(map.lineAt(map.slice(line), map.set(line), map.tag(line)), line);
    }
    EXPECT_EQ(slices, std::vector<int>(32, 2));
    EXPECT_EQ(channels, std::vector<int>(64, 1));
  }
  // So do rows of a matrix, a power of two apart or a little more.
  for (const std::uint64_t stride : {64, 65, 80, 96, 256, 1024, 1040, 4096, 16384}) {
    std::vector<int> slices(32);
    for (std::uint64_t i = 0; i < 128; ++i)
      ++slices[map.slice(i * stride)];
    EXPECT_LE(*std::max_element(slices.begin(), slices.end()), 11) << stride; // 4 on average
  }
}

TEST(AddressMap, OddNumbersOfSlicesWorkToo) {
  ChipSpec chip = simpleChip();
  chip.l2.slices = 24;
  chip.l2.sets = 448;
  chip.hbm.stacks = 5;
  chip.hbm.channelsPerStack = 8;
  const AddressMap map(chip);
  std::vector<int> slices(24);
  for (std::uint64_t line = 0; line < 24000; ++line)
    ++slices[map.slice(line)];
  for (std::uint64_t line = 70000; line < 70100; ++line)
    EXPECT_EQ(map.lineAt(map.slice(line), map.set(line), map.tag(line)), line);
  EXPECT_EQ(*std::max_element(slices.begin(), slices.end()), 1000);
}

} // namespace
