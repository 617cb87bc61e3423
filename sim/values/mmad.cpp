// The cube: C += A * B with one chain per element, k ascending.
//
// Both operands are packed into panels of 16 lanes (kernels.h); L0C's 16-column blocks are what the kernels
// update in place. Rows and columns beyond m and n are packed as zeros and their results are dropped, so that
// exactly m x k, k x n and m x n elements are touched.
#include "sim/values/fields.h"
#include "sim/values/kernels.h"
#include "sim/values/parts.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace dlsim::values {

using core::Space;

namespace {

constexpr uint64_t kLanes = 16;

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// How elements of one dtype become a panel. E is float or uint32_t (pairs of i8).
template <class E> struct Packing {
  void (*pack)(const uint8_t* fractal, E* panel);
  uint64_t c0;   // k elements of a fractal
  uint64_t rows; // panel rows that a fractal fills
};

struct Layout {
  uint64_t lanes, k;        // true extents
  uint64_t laneStep, kStep; // bytes between neighbouring fractals
};

// Panels of all lane blocks, one after another, each panelRows * 16 elements.
template <class E>
void packPanels(const uint8_t* source, const Layout& l, const Packing<E>& p, uint64_t panelRows, E* panels) {
  uint64_t elementBytes = 32 / p.c0;
  for (uint64_t i = 0; i * kLanes < l.lanes; ++i)
    for (uint64_t k = 0; k * p.c0 < l.k; ++k) {
      const uint8_t* fractal = source + i * l.laneStep + k * l.kStep;
      E* panel = panels + (i * panelRows + k * p.rows) * kLanes;
      uint64_t lanes = std::min(kLanes, l.lanes - i * kLanes), depth = std::min(p.c0, l.k - k * p.c0);
      if (lanes == kLanes && depth == p.c0) {
        p.pack(fractal, panel);
        continue;
      }
      uint8_t partial[512] = {};
      for (uint64_t lane = 0; lane < lanes; ++lane)
        std::memcpy(partial + lane * 32, fractal + lane * 32, depth * elementBytes);
      p.pack(partial, panel);
    }
}

// Scratch of one thread; holds nothing from call to call.
template <class E> std::vector<E>& scratch() {
  thread_local std::vector<E> memory;
  return memory;
}

struct Tile {
  uint8_t* c;
  uint64_t m, n, blockStride; // bytes between 16-column blocks
};

using GemmF32 = Kernels::GemmF32;
using GemmI32 = Kernels::GemmI32;

// Runs one gemm block through a copy, because rows or columns of it lie outside m x n.
template <class E, class Gemm>
void edgeBlock(const E* a, const E* b, uint64_t k, const Tile& t, uint64_t row, uint64_t block, unsigned rows,
               Gemm gemm) {
  E local[16 * kLanes] = {};
  uint64_t valid = std::min<uint64_t>(rows, t.m - row);
  uint64_t width = std::min(kLanes, t.n - block * kLanes) * sizeof(E);
  uint8_t* c = t.c + block * t.blockStride + row * 64;
  for (uint64_t r = 0; r < valid; ++r)
    std::memcpy(local + r * kLanes, c + r * 64, width);
  gemm(a, b, 0, k, local, 0);
  for (uint64_t r = 0; r < valid; ++r)
    std::memcpy(c + r * 64, local + r * kLanes, width);
}

// panel: elements from one panel to the next; steps: panel rows to multiply (pairs of k for i8).
template <class E, class Gemm>
void multiply(const E* a, const E* b, uint64_t panel, uint64_t steps, const Tile& t, const Gemm (&gemm)[2],
              unsigned rows) {
  uint64_t blocks = ceilDiv(t.n, kLanes), whole = t.n / kLanes;
  for (uint64_t j = 0; j < blocks;) {
    uint64_t pieces = j + 2 <= whole ? 2 : 1;
    for (uint64_t row = 0; row < t.m; row += rows) {
      const E* rowPanel = a + row / kLanes * panel + row % kLanes;
      if (row + rows <= t.m && j < whole)
        gemm[pieces - 1](rowPanel, b + j * panel, panel, steps,
                         reinterpret_cast<E*>(t.c + j * t.blockStride + row * 64), t.blockStride / sizeof(E));
      else
        for (uint64_t piece = 0; piece < pieces; ++piece)
          edgeBlock(rowPanel, b + (j + piece) * panel, steps, t, row, j + piece, rows, gemm[0]);
    }
    j += pieces;
  }
}

// C = 0 or the bias of its column.
void initialise(const Tile& t, const uint8_t* bias) {
  for (uint64_t j = 0; j * kLanes < t.n; ++j) {
    uint64_t width = std::min(kLanes, t.n - j * kLanes) * 4;
    for (uint64_t r = 0; r < t.m; ++r) {
      uint8_t* c = t.c + j * t.blockStride + r * 64;
      if (bias)
        std::memcpy(c, bias + j * 64, width);
      else
        std::memset(c, 0, width);
    }
  }
}

struct Operands {
  const uint8_t *a, *b;
  uint64_t k;
};

template <class E, class Gemm>
void run(const Operands& o, const Tile& t, const Packing<E>& p, const Gemm (&gemm)[2]) {
  uint64_t kf = ceilDiv(o.k, p.c0), mf = ceilDiv(t.m, kLanes), nf = ceilDiv(t.n, kLanes);
  uint64_t panelRows = kf * p.rows;
  std::vector<E>& memory = scratch<E>();
  memory.resize(std::max(memory.size(), (mf + nf) * panelRows * kLanes));
  E* a = memory.data();
  E* b = a + mf * panelRows * kLanes;
  packPanels(o.a, Layout{t.m, o.k, kf * 512, 512}, p, panelRows, a);
  packPanels(o.b, Layout{t.n, o.k, 512, nf * 512}, p, panelRows, b);
  // Panel rows beyond k hold zeros, but adding those would turn a -0 into +0: stop at k.
  uint64_t steps = ceilDiv(o.k * p.rows, p.c0);
  multiply(a, b, panelRows * kLanes, steps, t, gemm, kernels().rows);
}

} // namespace

void mmad(const core::Command& c, core::CoreState& state) {
  using F = fields::MMAD;
  uint64_t m = regField<F::m>(c), k = regField<F::k>(c), n = regField<F::n>(c);
  if (m == 0 || n == 0)
    return;
  DType dtype = dtypeField<F::dtype>(c);
  const Kernels& host = kernels();
  uint64_t size = isa::dtypeBytes(dtype);
  if (dtype != DType::F16 && dtype != DType::BF16 && dtype != DType::F32 && dtype != DType::HF32 &&
      dtype != DType::I8)
    throwBadDType("m.mmad", dtype);
  uint64_t c0 = 32 / size;

  // The last byte of the last element, for each layout.
  auto extent = [&](uint64_t lanes, uint64_t laneStep, uint64_t kStep) {
    if (k == 0)
      return uint64_t{0};
    return (lanes - 1) / kLanes * laneStep + (k - 1) / c0 * kStep + (lanes - 1) % kLanes * 32 +
           (k - 1) % c0 * size + size;
  };
  uint64_t kf = ceilDiv(k, c0), nf = ceilDiv(n, kLanes);
  Operands o{onChip(state, Space::L0A, c.r[F::kSrc0], extent(m, kf * 512, 512)),
             onChip(state, Space::L0B, c.r[F::kSrc1], extent(n, 512, nf * 512)), k};
  Tile t{nullptr, m, n, 64 * kLanes * ceilDiv(m, kLanes)};
  t.c = onChip(state, Space::L0C, c.r[F::kDst],
               (n - 1) / kLanes * t.blockStride + (m - 1) * 64 + ((n - 1) % kLanes + 1) * 4);
  if (regField<F::init>(c)) {
    bool bias = immField<F::bias>(c);
    initialise(t, bias ? onChip(state, Space::BT, c.r[F::kSrc2], n * 4) : nullptr);
  }
  if (k == 0)
    return;
  switch (dtype) {
  case DType::F16:
    return run<float>(o, t, {host.packF16, 16, 16}, host.gemmExact);
  case DType::BF16:
    return run<float>(o, t, {host.packBf16, 16, 16}, host.gemmRounded);
  case DType::F32:
    return run<float>(o, t, {host.packF32, 8, 8}, host.gemmRounded);
  case DType::HF32:
    return run<float>(o, t, {host.packHf32, 8, 8}, host.gemmRounded);
  default:
    return run<uint32_t>(o, t, {host.packI8, 32, 16}, host.gemmI8);
  }
}

} // namespace dlsim::values
