// Requester model for tile orders: programs in step read the panels of their tiles of C = A x B through a
// chip's L2 (its slices, sets, ways and line size; least recently used first) and write the tiles of C. It
// counts traffic, not time: there is no model of the cores behind the requests. Units: elements and bytes.
#pragma once

#include "sim/config/chip_spec.h"

#include <cstdint>
#include <vector>

namespace dlsim::sim {

/// One tile of C, in tiles.
struct Tile {
  std::uint32_t row = 0, column = 0;
};

struct TileProduct {
  std::uint64_t m = 0, n = 0, k = 0;             // C is m x n, A and B row-major m x k and k x n
  std::uint32_t tileM = 0, tileN = 0, tileK = 0; // of a program's step
  std::uint32_t elementBytes = 2;
  std::uint32_t programs = 0; // in step: round r takes tiles r * programs and on
};

struct ReplayCounts {
  std::uint64_t requestedBytes = 0; // read by the programs
  std::uint64_t readBytes = 0;      // from memory, for reads that missed
  std::uint64_t writtenBytes = 0;   // to memory: dirty lines that were replaced, and those left at the end
};

/// Replays the tiles in their order. Throws std::invalid_argument for a tile outside of C or an empty
/// product.
ReplayCounts replay(const ChipSpec& chip, const TileProduct& product, const std::vector<Tile>& order);

} // namespace dlsim::sim
