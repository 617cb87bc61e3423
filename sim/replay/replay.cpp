#include "sim/replay/replay.h"

#include "sim/memory/address_map.h"
#include "sim/memory/tag_store.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace dlsim::sim {

namespace {

class Cache {
public:
  explicit Cache(const ChipSpec& chip) : map_(chip), line_(chip.l2.lineBytes), ways_(chip.l2.ways) {
    tags_.reserve(chip.l2.slices);
    for (std::uint32_t i = 0; i < chip.l2.slices; ++i)
      tags_.emplace_back(chip.l2.sets, chip.l2.ways);
    dirty_.assign(std::size_t{chip.l2.slices} * chip.l2.sets * ways_, false);
    sets_ = chip.l2.sets;
  }

  /// Touches every line of a block of rows.
  void touch(std::uint64_t address, std::uint64_t rows, std::uint64_t bytes, std::uint64_t stride,
             bool write) {
    for (std::uint64_t row = 0; row < rows; ++row, address += stride)
      for (std::uint64_t line = map_.line(address), last = map_.line(address + bytes - 1); line <= last;
           ++line)
        touchLine(line, write);
    counts.requestedBytes += write ? 0 : rows * bytes;
  }

  /// Dirty lines go to memory.
  void drain() {
    counts.writtenBytes += line_ * static_cast<std::uint64_t>(std::count(dirty_.begin(), dirty_.end(), true));
  }

  ReplayCounts counts;

private:
  void touchLine(std::uint64_t line, bool write) {
    const std::uint32_t slice = map_.slice(line), set = map_.set(line);
    const auto tag = static_cast<std::uint32_t>(map_.tag(line));
    TagStore& tags = tags_[slice];
    const std::size_t first = (std::size_t{slice} * sets_ + set) * ways_;
    int way = tags.find(set, tag);
    if (way < 0) {
      way = static_cast<int>(tags.victim(set));
      std::vector<bool>::reference dirty = dirty_[first + static_cast<std::size_t>(way)];
      counts.writtenBytes += dirty ? line_ : 0;
      dirty = false;
      tags.put(set, static_cast<std::uint32_t>(way), tag);
      counts.readBytes += write ? 0 : line_;
    }
    tags.touch(set, static_cast<std::uint32_t>(way));
    if (write)
      dirty_[first + static_cast<std::size_t>(way)] = true;
  }

  AddressMap map_;
  std::uint64_t line_;
  std::size_t ways_, sets_ = 0;
  std::vector<TagStore> tags_;
  std::vector<bool> dirty_;
};

// The operands one behind another, as an allocator lays them out.
struct Layout {
  explicit Layout(const TileProduct& p) {
    const auto aligned = [](std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; };
    b = a + aligned(p.m * p.k * p.elementBytes);
    c = b + aligned(p.k * p.n * p.elementBytes);
  }
  std::uint64_t a = std::uint64_t{1} << 32, b = 0, c = 0;
};

void check(const TileProduct& p, const std::vector<Tile>& order) {
  if (p.m == 0 || p.n == 0 || p.k == 0 || p.tileM == 0 || p.tileN == 0 || p.tileK == 0 || p.programs == 0)
    throw std::invalid_argument("replay: sizes of the product, its tiles and programs must be above 0");
  for (const Tile& tile : order)
    if (std::uint64_t{tile.row} * p.tileM >= p.m || std::uint64_t{tile.column} * p.tileN >= p.n)
      throw std::invalid_argument("replay: tile " + std::to_string(tile.row) + " " +
                                  std::to_string(tile.column) + " lies outside of C");
}

} // namespace

ReplayCounts replay(const ChipSpec& chip, const TileProduct& p, const std::vector<Tile>& order) {
  check(p, order);
  Cache cache(chip);
  const Layout at(p);
  const std::uint64_t e = p.elementBytes;
  const auto rows = [&](const Tile& t) {
    return std::min<std::uint64_t>(p.tileM, p.m - std::uint64_t{t.row} * p.tileM);
  };
  const auto columns = [&](const Tile& t) {
    return std::min<std::uint64_t>(p.tileN, p.n - std::uint64_t{t.column} * p.tileN);
  };
  for (std::size_t first = 0; first < order.size(); first += p.programs) {
    const std::size_t last = std::min<std::size_t>(order.size(), first + p.programs);
    for (std::uint64_t k = 0; k < p.k; k += p.tileK) {
      const std::uint64_t depth = std::min<std::uint64_t>(p.tileK, p.k - k);
      for (std::size_t i = first; i < last; ++i) {
        const Tile& t = order[i];
        cache.touch(at.a + (std::uint64_t{t.row} * p.tileM * p.k + k) * e, rows(t), depth * e, p.k * e,
                    false);
        cache.touch(at.b + (k * p.n + std::uint64_t{t.column} * p.tileN) * e, depth, columns(t) * e, p.n * e,
                    false);
      }
    }
    for (std::size_t i = first; i < last; ++i) {
      const Tile& t = order[i];
      cache.touch(at.c + (std::uint64_t{t.row} * p.tileM * p.n + std::uint64_t{t.column} * p.tileN) * e,
                  rows(t), columns(t) * e, p.n * e, true);
    }
  }
  cache.drain();
  return cache.counts;
}

} // namespace dlsim::sim
