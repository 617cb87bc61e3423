// Published micro-benchmarks of the memory path (asc-devkit, 910B1 class), replayed without cores: each core
// copies its tiles one after another with two in flight. Times are the profiler's MTE2 times.
#include "sim/config/chip_file.h"
#include "sim/memory/memory_system.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

using namespace dlsim::sim;

namespace {

constexpr std::uint64_t kBase = 0x1'0000'0000;

struct Tile {
  std::uint64_t address;
  std::uint32_t rows;
};

/// A core that reads tile after tile.
class Reader {
public:
  struct Part final : GmTransfer {
    explicit Part(Reader& reader) : reader(reader) {}
    void done(Cycle now) override {
      reader.end = now;
      reader.next(*this);
    }
    Reader& reader;
  };
  Reader(MemorySystem& memory, unsigned depth) : memory(memory) {
    for (unsigned i = 0; i < depth; ++i)
      parts.push_back(std::make_unique<Part>(*this));
  }
  void next(Part& part) {
    if (at == tiles.size())
      return;
    part.address = tiles[at].address;
    part.count = tiles[at].rows;
    ++at;
    memory.start(part);
  }
  MemorySystem& memory;
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<Tile> tiles;
  std::size_t at = 0;
  Cycle end = 0;
};

class Published : public ::testing::Test {
protected:
  Published() : chip(loadChip("ascend910b1").spec), memory(chip, calendar) {}

  struct Kernel {
    std::string kind;
    std::uint64_t rowBytes = 0, rowStride = 0;
    GmShape shape = GmShape::Copy;
    bool bypass = false;
    unsigned depth = 2;
  };
  double microseconds(const Kernel& kernel, const std::function<std::vector<Tile>(std::uint32_t)>& tiles) {
    std::vector<std::unique_ptr<Reader>> readers;
    for (std::uint32_t i = 0; i < chip.count(kernel.kind); ++i) {
      readers.push_back(std::make_unique<Reader>(memory, kernel.depth));
      readers.back()->tiles = tiles(i);
      for (auto& part : readers.back()->parts) {
        part->core = chip.coreIndex(kernel.kind, i);
        part->length = kernel.rowBytes;
        part->stride = static_cast<std::int64_t>(kernel.rowStride);
        part->shape = kernel.shape;
        part->bypass = kernel.bypass;
      }
    }
    for (auto& reader : readers)
      for (auto& part : reader->parts)
        reader->next(*part);
    calendar.run();
    Cycle end = 0;
    for (auto& reader : readers)
      end = std::max(end, reader->end);
    const double us = static_cast<double>(end) / chip.clockMhz;
    RecordProperty("microseconds", std::to_string(us));
    return us;
  }

  /// The 12288 x 12288 f16 matrix, rows dealt in bands to the cores, tiles of rows x columns.
  std::vector<Tile> band(std::uint32_t core, std::uint32_t cores, std::uint32_t rows,
                         std::uint32_t columns) const {
    std::vector<Tile> tiles;
    const std::uint32_t mine = 12288 / cores;
    for (std::uint32_t r = 0; r < mine; r += rows)
      for (std::uint32_t c = 0; c < 12288; c += columns)
        tiles.push_back({kBase + (std::uint64_t{core} * mine + r) * 24576 + c * 2, rows});
    return tiles;
  }
  /// The whole 6144 x 512 matrix for every core, beginning at a tile of its own if rotated.
  std::vector<Tile> whole(std::uint32_t core, std::uint32_t cores, std::uint32_t rows, bool rotated) const {
    std::vector<Tile> tiles;
    for (std::uint32_t r = 0; r < 6144; r += rows)
      for (std::uint32_t c = 0; c < 512; c += 64)
        tiles.push_back({kBase + std::uint64_t{r} * 1024 + c * 2, rows});
    if (rotated)
      std::rotate(tiles.begin(), tiles.begin() + static_cast<long>(tiles.size() * core / cores), tiles.end());
    return tiles;
  }

  ChipSpec chip;
  Calendar calendar;
  MemorySystem memory;
};

void near(double got, double published, double tolerance) {
  std::printf("  %.1f us, published %.1f\n", got, published);
  EXPECT_NEAR(got / published, 1.0, tolerance);
}

TEST_F(Published, UbTilesOf64x1024) {
  near(microseconds({"aiv", 2048, 24576}, [&](auto core) { return band(core, 48, 64, 1024); }), 202.7, 0.08);
}
TEST_F(Published, UbTilesOf64x64) {
  near(microseconds({"aiv", 128, 24576}, [&](auto core) { return band(core, 48, 64, 64); }), 220.8, 0.1);
}
TEST_F(Published, UbCopiesOf128Bytes) {
  near(microseconds({"aiv", 128, 24576, GmShape::Copy, false, 32},
                    [&](auto core) { return band(core, 48, 1, 64); }),
       548.2, 0.05);
}
TEST_F(Published, L1Nd2NzTilesOf64x64) {
  near(microseconds({"aic", 128, 24576, GmShape::Nd2Nz}, [&](auto core) { return band(core, 24, 64, 64); }),
       283.5, 0.1);
}
// Every core reads one matrix, past the L2. Only task times are published for the rotated order, 329.0 and
// 221.3 us; in the same order the MTE2 is busy for 0.87 of the task.
TEST_F(Published, SameAddressUb) {
  near(microseconds({"aiv", 128, 1024, GmShape::Copy, true},
                    [&](auto core) { return whole(core, 48, 128, false); }),
       474.7, 0.15);
}
TEST_F(Published, RotatedUb) {
  near(microseconds({"aiv", 128, 1024, GmShape::Copy, true},
                    [&](auto core) { return whole(core, 48, 128, true); }),
       0.87 * 329.0, 0.1);
}
TEST_F(Published, SameAddressL1) {
  near(microseconds({"aic", 128, 1024, GmShape::Nd2Nz, true},
                    [&](auto core) { return whole(core, 24, 256, false); }),
       240.2, 0.1);
}
TEST_F(Published, RotatedL1) {
  near(microseconds({"aic", 128, 1024, GmShape::Nd2Nz, true},
                    [&](auto core) { return whole(core, 24, 256, true); }),
       0.87 * 221.3, 0.1);
}

} // namespace
