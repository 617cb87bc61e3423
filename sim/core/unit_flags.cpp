#include "sim/core/unit_flags.h"

#include <algorithm>

namespace dlsim::core {

uint64_t L0CTile::end() const {
  return fractals() == 0 ? address : address + (across - 1) * block_stride + down * UnitFlags::kFractalBytes;
}

// f(number of the fractal, number of the block)
template <class F> void UnitFlags::eachBlock(const L0CTile& tile, F&& f) const {
  uint64_t fractal = 0;
  for (uint64_t column = 0; column < tile.across; ++column)
    for (uint64_t row = 0; row < tile.down; ++row, ++fractal) {
      const uint64_t begin = tile.address + column * tile.block_stride + row * kFractalBytes;
      const uint64_t last = std::min<uint64_t>((begin + kFractalBytes - 1) / kBlockBytes, blocks_.size() - 1);
      for (uint64_t block = begin / kBlockBytes; block <= last; ++block)
        f(fractal, block);
    }
}

void UnitFlags::reset() {
  std::fill(blocks_.begin(), blocks_.end(), Block{});
  flags_set_ = 0;
  latest_clear_ = 0;
}

sim::Tick UnitFlags::writable(const L0CTile& tile, sim::Tick pace, sim::Tick now) const {
  sim::Tick start = now;
  if (flags_set_ == 0 && latest_clear_ <= now)
    return start;
  eachBlock(tile, [&](uint64_t fractal, uint64_t block) {
    const Block& b = blocks_[block];
    const sim::Tick at = b.set ? kNeverTick : b.at - std::min(b.at, fractal * pace);
    start = std::max(start, at);
  });
  return start;
}

void UnitFlags::set(const L0CTile& tile, sim::Tick first, sim::Tick pace) {
  eachBlock(tile, [&](uint64_t fractal, uint64_t block) {
    Block& b = blocks_[block];
    flags_set_ += !b.set;
    b = {true, first + fractal * pace};
  });
}

bool UnitFlags::readable(const L0CTile& tile) const {
  bool all = true;
  eachBlock(tile, [&](uint64_t, uint64_t block) { all &= blocks_[block].set; });
  return all;
}

UnitFlags::Read UnitFlags::read(const L0CTile& tile, sim::Tick from, sim::Tick pace, bool clear) {
  Read read{from, from};
  uint64_t current = ~uint64_t{0};
  eachBlock(tile, [&](uint64_t fractal, uint64_t block) {
    Block& b = blocks_[block];
    if (fractal != current)
      read.end = std::max(read.end, b.at) + pace;
    else // the rest of the fractal is not there sooner
      read.end = std::max(read.end, b.at + pace);
    current = fractal;
    if (fractal == 0)
      read.begin = std::max(read.begin, b.at);
    if (!clear)
      return;
    flags_set_ -= b.set;
    b = {false, read.end};
    latest_clear_ = std::max(latest_clear_, read.end);
  });
  return read;
}

} // namespace dlsim::core
