// mte1.img2col.l0a taken apart: which place of the feature map an element of the window matrix comes from.
#pragma once

#include "isa/tables/isa_gen.h"
#include "sim/core/command.h"

#include <algorithm>

namespace dlsim::core {

struct Img2Col {
  uint64_t m_fractals, k_fractals, m_start, k_start; // k_start in columns of C0 channels
  uint64_t height, width, channels1;
  uint64_t kx, ky, stride_x, stride_y, dil_x, dil_y, pad_left, pad_top, pad_right;

  explicit Img2Col(const Command& c) {
    using F = isa::fields::MTE1_IMG2COL_L0A;
    const auto& r = c.r;
    m_fractals = F::mf::get(r), k_fractals = F::kf::get(r), m_start = F::mstart::get(r);
    k_start = F::kstart::get(r), height = F::height::get(r), width = F::width::get(r);
    channels1 = F::channels1::get(r), kx = F::kx::get(r), ky = F::ky::get(r);
    stride_x = F::stridex::get(r), stride_y = F::stridey::get(r), dil_x = F::dilx::get(r);
    dil_y = F::dily::get(r), pad_left = F::padleft::get(r), pad_top = F::padtop::get(r);
    pad_right = F::padright::get(r);
  }

  bool valid() const { return kx && ky && stride_x && stride_y && outputWidth() > 0; }
  // Output positions in a row, 0 if the window does not fit.
  uint64_t outputWidth() const {
    const uint64_t span = dil_x * (kx - 1) + 1, all = width + pad_left + pad_right;
    return all < span ? 0 : (all - span) / stride_x + 1;
  }
  // Rows of output positions that 16 rows of the matrix from `first` on touch.
  uint64_t outputRows(uint64_t first) const {
    const uint64_t across = outputWidth();
    return (first + 15) / across - first / across + 1;
  }
  // First and one past the last channel block (c1) of its columns.
  uint64_t firstChannels() const { return std::min(channels1, k_start / (kx * ky)); }
  uint64_t endChannels() const {
    return std::min(channels1, (k_start + k_fractals + kx * ky - 1) / (kx * ky));
  }
};

} // namespace dlsim::core
