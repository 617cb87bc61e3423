#include "sim/replay/replay.h"

#include "sim/config/chip_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace dlsim::sim {
namespace {

// 1088 lines of 128 bytes in one slice; 17 sets, so that rows of a power of two do not meet in one.
ChipSpec small(const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"l2.slices=1", "l2.sets=17", "l2.ways=64"};
  words.insert(words.end(), more.begin(), more.end());
  return loadChip("h200_l2", words).spec;
}

TileProduct product(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint32_t programs) {
  TileProduct p;
  p.m = m, p.n = n, p.k = k;
  p.tileM = p.tileN = 128;
  p.tileK = 64;
  p.programs = programs;
  return p;
}

TEST(Replay, OperandsThatFitAreReadOnce) {
  // 256 x 64 and 64 x 256 elements of two bytes are 64 KB, half of the cache; C is 128 KB and stays behind.
  const TileProduct p = product(256, 256, 64, 4);
  const ReplayCounts counts = replay(small(), p, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  EXPECT_EQ(counts.requestedBytes, 4u * 2 * 128 * 64 * 2);
  EXPECT_EQ(counts.readBytes, 2u * 256 * 64 * 2);
  EXPECT_EQ(counts.writtenBytes, 256u * 256 * 2);
}

TEST(Replay, ProgramsOneAfterAnotherReadAgainWhatWasReplaced) {
  // A panel of 128 rows x 2048 is 512 KB, four times the cache: nothing of it is left for the next tile.
  const std::vector<Tile> order = {{0, 0}, {0, 1}};
  const ReplayCounts together = replay(small(), product(128, 256, 2048, 2), order);
  const ReplayCounts apart = replay(small(), product(128, 256, 2048, 1), order);
  const std::uint64_t a = 128 * 2048 * 2, b = 2048 * 256 * 2;
  EXPECT_EQ(together.readBytes, a + b);
  EXPECT_EQ(apart.readBytes, 2 * a + b);
}

TEST(Replay, ABiggerCacheKeepsThePanel) {
  const std::vector<Tile> order = {{0, 0}, {0, 1}};
  const ReplayCounts apart = replay(small({"l2.sets=257"}), product(128, 256, 2048, 1), order);
  EXPECT_EQ(apart.readBytes, std::uint64_t{128} * 2048 * 2 + 2048 * 256 * 2);
}

TEST(Replay, RaggedTilesMoveOnlyWhatIsThere) {
  const ReplayCounts counts = replay(small(), product(64, 192, 64, 2), {{0, 0}, {0, 1}});
  EXPECT_EQ(counts.requestedBytes, (2u * 64 * 64 + 64 * 192) * 2);
  EXPECT_EQ(counts.writtenBytes, 64u * 192 * 2);
}

TEST(Replay, BadScheduleIsRefused) {
  EXPECT_THROW(replay(small(), product(128, 128, 64, 1), {{1, 0}}), std::invalid_argument);
  EXPECT_THROW(replay(small(), product(128, 128, 64, 0), {{0, 0}}), std::invalid_argument);
}

} // namespace
} // namespace dlsim::sim
