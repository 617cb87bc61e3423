// MTE1: the windows of a feature map as the left operand of a product.
#include "sim/core/img2col.h"

#include "sim/values/fields.h"
#include "sim/values/parts.h"

#include <cstring>

namespace dlsim::values {

void img2ColL0A(const core::Command& c, core::CoreState& state) {
  using F = fields::MTE1_IMG2COL_L0A;
  const core::Img2Col g(c);
  if (g.m_fractals == 0 || g.k_fractals == 0)
    return;
  if (!g.valid())
    throwBadOperand("mte1.img2col.l0a: kernel and strides are at least 1, and the window fits a padded row");
  const unsigned size = isa::dtypeBytes(dtypeField<F::dtype>(c));
  if (size > 4)
    throwBadDType("an img2col load", dtypeField<F::dtype>(c));
  const uint64_t first = g.firstChannels(), end = g.endChannels(), plane = g.height * g.width * 32;
  const uint8_t* map = onChip(state, core::Space::L1, c.r[F::kSrc] + first * plane, (end - first) * plane);
  uint8_t* target = onChip(state, core::Space::L0A, c.r[F::kDst], g.m_fractals * g.k_fractals * 512);
  uint8_t padding[32];
  const auto pad = static_cast<uint32_t>(regField<F::padvalue>(c));
  for (unsigned at = 0; at < sizeof padding; at += size)
    std::memcpy(padding + at, &pad, size);

  const uint64_t across = g.outputWidth();
  for (uint64_t m = 0; m < g.m_fractals * 16; ++m)
    for (uint64_t k = 0; k < g.k_fractals; ++k) {
      const uint64_t column = g.k_start + k, position = g.m_start + m;
      const uint64_t c1 = column / (g.kx * g.ky), j = column / g.kx % g.ky, i = column % g.kx;
      // Unsigned on purpose: a place before the map is far beyond it.
      const uint64_t y = position / across * g.stride_y + j * g.dil_y - g.pad_top,
                     x = position % across * g.stride_x + i * g.dil_x - g.pad_left;
      const bool inside = c1 < g.channels1 && y < g.height && x < g.width;
      std::memcpy(target + (m / 16 * g.k_fractals + k) * 512 + m % 16 * 32,
                  inside ? map + (c1 - first) * plane + (y * g.width + x) * 32 : padding, 32);
    }
}

} // namespace dlsim::values
