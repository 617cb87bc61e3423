#include "sim/memory/global_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

using namespace dlsim::sim;

namespace {

std::string faultOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const MemoryFault& fault) {
    return fault.what();
  }
  return "no fault";
}

TEST(GlobalMemory, AllocationsAreAlignedAndGuarded) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(100, "a"), b = memory.allocate(8192, "b");
  EXPECT_EQ(a, GlobalMemory::kHeapBase + GlobalMemory::kPage);
  EXPECT_EQ(a % GlobalMemory::kPage, 0u);
  EXPECT_GE(b, a + 2 * GlobalMemory::kPage); // the page behind a is unmapped
  EXPECT_FALSE(memory.mapped(a + 100, 1));
  EXPECT_FALSE(memory.mapped(b - 1, 1));
  EXPECT_TRUE(memory.mapped(b, 8192));
  EXPECT_FALSE(memory.mapped(b, 8193));
}

TEST(GlobalMemory, ReadsWhatWasWrittenAndZeroElsewhere) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(1 << 20, "a");
  memory.store<std::uint32_t>(a + 65534, 0xdeadbeef); // over a host page
  EXPECT_EQ(memory.load<std::uint32_t>(a + 65534), 0xdeadbeefu);
  EXPECT_EQ(memory.load<std::uint64_t>(a + 8), 0u);
  const std::byte* span = memory.span(a + 65534, 4);
  EXPECT_EQ(std::to_integer<int>(span[0]), 0xef);
  std::memset(memory.mutableSpan(a, 16), 1, 16);
  EXPECT_EQ(memory.load<std::uint8_t>(a + 15), 1);
}

TEST(GlobalMemory, LargeRegionsCostNothingUntilTouched) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(std::uint64_t{8} << 30, "big");
  memory.store<int>(a + (std::uint64_t{7} << 30), 5);
  EXPECT_EQ(memory.load<int>(a + (std::uint64_t{7} << 30)), 5);
}

TEST(GlobalMemory, ZeroesARegionOrAPartOfIt) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(1 << 20, "a");
  for (const std::uint64_t at : {a, a + 4096, a + (1 << 20) - 4})
    memory.store<std::uint32_t>(at, 7);
  memory.zero(a + 4096, 4);
  EXPECT_EQ(memory.load<std::uint32_t>(a + 4096), 0u);
  EXPECT_EQ(memory.load<std::uint32_t>(a), 7u);
  memory.zero(a, 1 << 20);
  EXPECT_EQ(memory.load<std::uint32_t>(a), 0u);
  EXPECT_EQ(memory.load<std::uint32_t>(a + (1 << 20) - 4), 0u);
  memory.store<std::uint32_t>(a, 9);
  EXPECT_EQ(memory.load<std::uint32_t>(a), 9u);
  memory.zero(a, 0);
  EXPECT_THROW(memory.zero(a, (1 << 20) + 1), MemoryFault);
}

TEST(GlobalMemory, FaultsNameRangeAndNearestRegion) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(4096, "a_ptr");
  EXPECT_EQ(faultOf([&] { memory.load<int>(a + 4094); }),
            "global memory: read of unmapped 0x100001ffe..0x100002002 (4 bytes), 4094 bytes into 'a_ptr' of "
            "4096 bytes: "
            "2 past its end");
  EXPECT_EQ(faultOf([&] { memory.store<int>(a + 4160, 1); }),
            "global memory: write of unmapped 0x100002040..0x100002044 (4 bytes), 64 bytes past the end of "
            "'a_ptr'");
  EXPECT_EQ(faultOf([&] { memory.load<int>(a - 8); }),
            "global memory: read of unmapped 0x100000ff8..0x100000ffc (4 bytes), 8 bytes before 'a_ptr'");
}

TEST(GlobalMemory, RegionsDoNotOverlapAndCanBeReadOnly) {
  GlobalMemory memory;
  memory.map(GlobalMemory::kConstantBase, 64, "constants", false);
  EXPECT_NE(
      faultOf([&] { memory.map(GlobalMemory::kConstantBase + 60, 8, "x"); }).find("overlaps 'constants'"),
      std::string::npos);
  EXPECT_NE(
      faultOf([&] { memory.map(GlobalMemory::kConstantBase - 4, 8, "x"); }).find("overlaps 'constants'"),
      std::string::npos);
  EXPECT_NE(faultOf([&] { memory.store<int>(GlobalMemory::kConstantBase, 1); }).find("read-only"),
            std::string::npos);
  memory.release(GlobalMemory::kConstantBase);
  EXPECT_EQ(memory.regionAt(GlobalMemory::kConstantBase), nullptr);
  EXPECT_NE(faultOf([&] { memory.release(GlobalMemory::kConstantBase); }), "no fault");
  EXPECT_NE(faultOf([&] { memory.map(~std::uint64_t{0}, 8, "x"); }), "no fault");
}

} // namespace
