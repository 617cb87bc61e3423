// Tags, replacement and the counters of one slice.
#include "sim/memory/l2_slice.h"
#include "tests/sim/memory/simple_chip.h"

#include <gtest/gtest.h>

using namespace dlsim::sim;
using namespace dlsim::sim::testing;

namespace {

class SliceTest : public ::testing::Test {
protected:
  explicit SliceTest(std::vector<std::string> more = {"l2.ways=2"})
      : chip(simpleChip(std::move(more))), map(chip), hbm(chip.hbm, map),
        slice(0, chip.l2, chip.noc, map, hbm) {}

  Cycle serve(std::uint64_t line, Cycle at, bool write = false, std::uint32_t core = 0,
              std::uint16_t bytes = 512, std::uint16_t offset = 0) {
    LineRequest request;
    request.line = line;
    request.set = map.set(line);
    request.tick = toTick(at);
    request.core = core;
    request.offset = offset;
    request.bytes = bytes;
    request.words = static_cast<std::uint16_t>((bytes + 127) / 128);
    request.write = write;
    return toCycle(slice.serve(request, core_));
  }
  /// The n-th line of slice 0, set 0.
  std::uint64_t inSet(unsigned n) const {
    std::uint64_t line = 0;
    for (;; ++line)
      if (map.slice(line) == 0 && map.set(line) == 0 && n-- == 0)
        return line;
  }

  ChipSpec chip;
  AddressMap map;
  Hbm hbm;
  L2Slice slice;
  CoreMemoryCounters core_;
};

TEST_F(SliceTest, ReplacesTheLeastRecentlyUsedLine) {
  serve(inSet(0), 0);
  serve(inSet(1), 1000);
  serve(inSet(0), 2000);
  serve(inSet(2), 3000); // replaces line 1
  EXPECT_TRUE(slice.holds(inSet(0)));
  EXPECT_FALSE(slice.holds(inSet(1)));
  EXPECT_TRUE(slice.holds(inSet(2)));
  EXPECT_EQ(slice.counters().evictions, 1u);
  EXPECT_EQ(slice.counters().dirtyEvictions, 0u);
}

TEST_F(SliceTest, WritesBackDirtyLines) {
  serve(inSet(0), 0, true);
  serve(inSet(1), 1000);
  EXPECT_EQ(hbm.counters().writeBytes, 0u);
  serve(inSet(2), 2000);
  EXPECT_EQ(hbm.counters().writeBytes, 512u);
  EXPECT_EQ(slice.counters().dirtyEvictions, 1u);
}

TEST_F(SliceTest, ThePortServesOneRequestAfterTheOther) {
  const std::uint64_t other = [&] { // the same slice, another set
    for (std::uint64_t line = 1;; ++line)
      if (map.slice(line) == 0 && map.set(line) != 0)
        return line;
  }();
  serve(inSet(0), 0);
  serve(other, 0);
  EXPECT_EQ(serve(inSet(0), 1000), 1000u + 4 + 20);
  EXPECT_EQ(serve(other, 1000), 1000u + 8 + 20);
  EXPECT_EQ(serve(inSet(0), 1000, false, 0, 128), 1000u + 9 + 20);
  EXPECT_EQ(toCycle(slice.counters().portQueueTicks), 4u + 4 + 8);
}

TEST_F(SliceTest, SharersAreCounted) {
  for (std::uint32_t core = 0; core < 5; ++core)
    serve(inSet(0), 0, false, core, 128);
  serve(inSet(0), 1000, false, 7);
  // The first one's fetch takes 82 cycles, the others hold the port for 9 each: the last finds 4 before it.
  EXPECT_EQ(slice.counters().largestSharers, 5u);
  EXPECT_EQ(slice.counters().sharersSum, 1u + 2 + 3 + 4 + 5 + 1);
  EXPECT_EQ(slice.counters().sharers[5], 1u);
}

class SectorTest : public SliceTest {
protected:
  SectorTest() : SliceTest({"l2.ways=2", "l2.sector_bytes=128"}) {}
};

TEST_F(SectorTest, FetchesOnlyTheSectorsThatAreMissing) {
  serve(inSet(0), 0, false, 0, 128, 128);
  EXPECT_EQ(hbm.counters().readBytes, 128u);
  serve(inSet(0), 1000, false, 0, 256, 0);
  EXPECT_EQ(hbm.counters().readBytes, 256u);
  EXPECT_EQ(serve(inSet(0), 2000, false, 0, 256, 0), 2000u + 2 + 20);
  serve(inSet(0), 3000, true, 0, 128, 384); // a whole sector: no fetch
  EXPECT_EQ(hbm.counters().readBytes, 256u);
  serve(inSet(1), 4000);
  serve(inSet(2), 5000);
  EXPECT_EQ(hbm.counters().writeBytes, 128u);
}

class MshrTest : public SliceTest {
protected:
  MshrTest() : SliceTest({"l2.mshrs=1"}) {}
};

TEST_F(MshrTest, AFullTableDelaysTheNextFetch) {
  const Cycle first = serve(inSet(0), 0);
  EXPECT_EQ(first, 4u + 5 + 15 + 30 + 32 + 20);
  // It waits for the first fetch to end at 86; another row of another bank or channel.
  EXPECT_EQ(serve(inSet(1), 0), 86u + 5 + 15 + 30 + 32 + 20);
}

} // namespace
