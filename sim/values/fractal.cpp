// MTE1: fractals of 512 bytes from Nz tiles in L1 to zZ (L0A) and nZ (L0B).
//
// Both targets are alike: a fractal is 16 rows ("lanes": m of A, n of B) of C0 elements of k. Without
// transpose the L1 tile is Nz of (lane, k), so that a fractal is 512 consecutive bytes. With it the tile is
// Nz of (k, lane).
#include "sim/values/fields.h"
#include "sim/values/kernels.h"
#include "sim/values/parts.h"

#include <algorithm>
#include <cstring>

namespace dlsim::values {

using core::Space;

namespace {

struct Load {
  const uint8_t* source;
  uint8_t* target;
  uint64_t laneFractals, kFractals, blockStride;
  uint64_t laneStep, kStep; // bytes between neighbouring fractals of the target
};

void straight(const Load& l) {
  for (uint64_t k = 0; k < l.kFractals; ++k)
    for (uint64_t i = 0; i < l.laneFractals; ++i)
      std::memcpy(l.target + i * l.laneStep + k * l.kStep, l.source + k * l.blockStride + i * 512, 512);
}

void transposed16(const Load& l) {
  auto transpose = kernels().transpose16;
  for (uint64_t i = 0; i < l.laneFractals; ++i)
    for (uint64_t k = 0; k < l.kFractals; ++k)
      transpose(l.source + i * l.blockStride + k * 512, 32, l.target + i * l.laneStep + k * l.kStep, 32);
}

template <class T> void transposed(const Load& l) {
  constexpr uint64_t kC0 = 32 / sizeof(T);
  for (uint64_t i = 0; i < l.laneFractals; ++i)
    for (uint64_t k = 0; k < l.kFractals; ++k) {
      uint8_t* fractal = l.target + i * l.laneStep + k * l.kStep;
      for (uint64_t lane = 0; lane < 16; ++lane) {
        uint64_t column = i * 16 + lane;
        const uint8_t* in = l.source + column / kC0 * l.blockStride + k * kC0 * 32 + column % kC0 * sizeof(T);
        uint8_t* out = fractal + lane * 32;
        for (uint64_t e = 0; e < kC0; ++e)
          std::memcpy(out + e * sizeof(T), in + e * 32, sizeof(T));
      }
    }
}

// Bytes that a load of the L1 tile spans.
uint64_t sourceExtent(const Load& l, bool transpose, uint64_t c0) {
  uint64_t lanes = l.laneFractals * 16, ks = l.kFractals * c0;
  uint64_t blocks = transpose ? (lanes + c0 - 1) / c0 : l.kFractals;
  uint64_t rows = transpose ? ks : lanes;
  uint64_t width = transpose && lanes % c0 ? lanes % c0 * (32 / c0) : 32; // of the last column block
  uint64_t last = (rows - 1) * 32;
  uint64_t extent = (blocks - 1) * l.blockStride + last + width;
  return blocks > 1 ? std::max(extent, (blocks - 2) * l.blockStride + last + 32) : extent;
}

template <class F> void load(const core::Command& c, core::CoreState& state, Space target, Load l) {
  if (l.laneFractals == 0 || l.kFractals == 0)
    return;
  bool transpose = immField<typename F::transpose>(c);
  unsigned size = isa::dtypeBytes(dtypeField<typename F::dtype>(c));
  if (size > 4)
    throwBadDType("a fractal load", dtypeField<typename F::dtype>(c));
  l.blockStride = regField<typename F::blockstride>(c);
  l.target = onChip(state, target, c.r[F::kDst], l.laneFractals * l.kFractals * 512);
  l.source = onChip(state, Space::L1, c.r[F::kSrc], sourceExtent(l, transpose, 32 / size));
  if (!transpose)
    straight(l);
  else if (size == 2)
    transposed16(l);
  else if (size == 4)
    transposed<uint32_t>(l);
  else
    transposed<uint8_t>(l);
}

} // namespace

void loadL0A(const core::Command& c, core::CoreState& state) {
  using F = fields::MTE1_LOAD_L0A;
  Load l{};
  l.laneFractals = regField<F::mf>(c);
  l.kFractals = regField<F::kf>(c);
  l.laneStep = l.kFractals * 512;
  l.kStep = 512;
  load<F>(c, state, Space::L0A, l);
}

void loadL0B(const core::Command& c, core::CoreState& state) {
  using F = fields::MTE1_LOAD_L0B;
  Load l{};
  l.laneFractals = regField<F::nf>(c);
  l.kFractals = regField<F::kf>(c);
  l.laneStep = 512;
  l.kStep = l.laneFractals * 512;
  load<F>(c, state, Space::L0B, l);
}

} // namespace dlsim::values
