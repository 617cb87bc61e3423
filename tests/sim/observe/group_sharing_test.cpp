// Order among the cores of a group: cross-core flags as clocks, and the bytes of global memory they order.
#include "sim/observe/group_sharing.h"

#include <gtest/gtest.h>

namespace dlsim::observe {
namespace {

// A group of one cube core and two vector cores.
const std::vector<unsigned> kCores = {1, 2};

CoreId coreOf(uint8_t kind, uint8_t subcore = 0) {
  CoreId id;
  id.kind = kind, id.subcore = subcore;
  return id;
}
const CoreId kCube = coreOf(0), kFirst = coreOf(1), kSecond = coreOf(1, 1);

Clock knows(const CoreId& core, Unit unit, uint32_t number) {
  Clock clock{};
  clock[slotOf(core, unit)] = number;
  return clock;
}

TEST(GroupFlags, TheCubeCoreTellsBothVectorCores) {
  GroupFlags flags(kCores);
  const Clock clock = knows(kCube, Unit::FIX, 7);
  flags.set(kCube, 2, 3, clock);
  EXPECT_EQ(flags.take(kFirst, 3), clock);
  EXPECT_EQ(flags.take(kFirst, 3), Clock{}) << "one token";
  EXPECT_EQ(flags.take(kSecond, 4), Clock{}) << "another flag";
  EXPECT_EQ(flags.take(kSecond, 3), clock);
  EXPECT_EQ(flags.take(kCube, 3), Clock{}) << "mode 2 goes to the other kind";
}

TEST(GroupFlags, BothVectorCoresTellTogether) {
  GroupFlags flags(kCores);
  flags.set(kFirst, 2, 0, knows(kFirst, Unit::MTE3, 1));
  flags.set(kFirst, 2, 0, knows(kFirst, Unit::MTE3, 2));
  EXPECT_EQ(flags.take(kCube, 0), Clock{}) << "the second has not set it";
  flags.set(kSecond, 2, 0, knows(kSecond, Unit::MTE3, 5));
  Clock both = knows(kFirst, Unit::MTE3, 1);
  both[slotOf(kSecond, Unit::MTE3)] = 5;
  EXPECT_EQ(flags.take(kCube, 0), both) << "the first one's first set";
  flags.set(kSecond, 1, 0, knows(kSecond, Unit::MTE3, 6));
  EXPECT_EQ(flags.take(kFirst, 0), Clock{}) << "modes gather apart";
  flags.set(kFirst, 1, 0, Clock{});
  EXPECT_EQ(flags.take(kFirst, 0), knows(kSecond, Unit::MTE3, 6));
  EXPECT_EQ(flags.take(kSecond, 0), knows(kSecond, Unit::MTE3, 6)) << "mode 1 goes to the same kind";
}

GroupMemory::Mark by(const CoreId& core, Unit unit, uint32_t number, bool write, bool atomic = false) {
  GroupMemory::Mark mark;
  mark.slot = slotOf(core, unit), mark.number = number, mark.pc = 8 * number;
  mark.core = core, mark.unit = unit, mark.write = write, mark.atomic = atomic;
  return mark;
}

TEST(GroupMemory, AWriteAndAReadNeedAnOrder) {
  for (const bool writes_first : {true, false}) {
    GroupMemory memory;
    EXPECT_FALSE(memory.touch(100, 200, by(kCube, Unit::FIX, 4, writes_first), Clock{}));
    const GroupMemory::Mark later = by(kSecond, Unit::MTE2, 1, !writes_first);
    EXPECT_FALSE(memory.touch(200, 220, later, Clock{})) << "other bytes of a granule";
    EXPECT_FALSE(memory.touch(90, 100, later, Clock{}));
    EXPECT_FALSE(memory.touch(150, 160, later, knows(kCube, Unit::FIX, 4)));
    const auto found = memory.touch(80, 300, later, knows(kCube, Unit::FIX, 3));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->address, 100u);
    EXPECT_EQ(found->earlier.pc, 32u);
    EXPECT_EQ(found->earlier.write, writes_first);
  }
}

TEST(GroupMemory, ReadsOfOneUnitKeepTheirOwnNumbers) {
  GroupMemory memory;
  memory.touch(0, 16, by(kFirst, Unit::MTE2, 1, false), Clock{});
  memory.touch(16, 32, by(kFirst, Unit::MTE2, 2, false), Clock{});
  const GroupMemory::Mark write = by(kCube, Unit::FIX, 1, true);
  EXPECT_FALSE(memory.touch(0, 16, write, knows(kFirst, Unit::MTE2, 1)));
  const auto found = memory.touch(0, 32, write, knows(kFirst, Unit::MTE2, 1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address, 16u);
}

TEST(GroupMemory, WhatIsWrittenOverIsForgottenAndAtomicUpdatesHaveNoOrder) {
  GroupMemory memory;
  memory.touch(0, 64, by(kFirst, Unit::MTE3, 1, true), Clock{});
  memory.touch(0, 64, by(kCube, Unit::FIX, 1, true), knows(kFirst, Unit::MTE3, 1));
  EXPECT_FALSE(memory.touch(0, 64, by(kSecond, Unit::MTE2, 1, false), knows(kCube, Unit::FIX, 1)));

  GroupMemory sums;
  EXPECT_FALSE(sums.touch(0, 64, by(kFirst, Unit::MTE3, 1, true, true), Clock{}));
  EXPECT_FALSE(sums.touch(0, 64, by(kSecond, Unit::MTE3, 1, true, true), Clock{}));
  EXPECT_TRUE(sums.touch(0, 64, by(kCube, Unit::MTE2, 1, false), knows(kSecond, Unit::MTE3, 1)))
      << "the first one's update is still to be waited for";
}

} // namespace
} // namespace dlsim::observe
