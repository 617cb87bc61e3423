// MTE1, mmad and fixpipe against loops written from the formulas in the ISA text.
#include "tests/sim/values/rig.h"

#include <cmath>

namespace dlsim::values::test {
namespace {

using core::Space;
using isa::Opcode;

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
uint64_t addressA(uint64_t m, uint64_t k, uint64_t kExtent, uint64_t c0) {
  return (m / 16 * ceilDiv(kExtent, c0) + k / c0) * 512 + m % 16 * 32 + k % c0 * (32 / c0);
}
uint64_t addressB(uint64_t k, uint64_t n, uint64_t nExtent, uint64_t c0) {
  return (k / c0 * ceilDiv(nExtent, 16) + n / 16) * 512 + n % 16 * 32 + k % c0 * (32 / c0);
}
uint64_t addressNz(uint64_t r, uint64_t c, uint64_t w, uint64_t c0) {
  return c / c0 * w + r * 32 + c % c0 * (32 / c0);
}
uint64_t addressC(uint64_t m, uint64_t n, uint64_t w) { return n / 16 * w + m * 64 + n % 16 * 4; }

uint64_t element(const std::vector<uint8_t>& memory, uint64_t address, unsigned size) {
  uint64_t value = 0;
  std::memcpy(&value, memory.data() + address, size);
  return value;
}

struct LoadCase {
  uint32_t dtype;
  unsigned size;
};

class FractalLoad : public ::testing::TestWithParam<LoadCase> {};

TEST_P(FractalLoad, BothTargetsBothOrders) {
  auto [dtype, size] = GetParam();
  uint64_t c0 = 32 / size, mf = 5, kf = 3, base = 1024;
  for (bool transpose : {false, true}) {
    Rig rig;
    rig.randomise(dtype * 2 + transpose);
    uint64_t lanes = mf * 16, ks = kf * c0;
    uint64_t w = (transpose ? ks : lanes) * 32 + 64; // a stride that is not the least one
    rig.run(Opcode::MTE1_LOAD_L0A, {512, base, mf | kf << 16, w}, dtype | transpose << 4);
    rig.run(Opcode::MTE1_LOAD_L0B, {512, base, kf | mf << 16, w}, dtype | transpose << 4);
    for (uint64_t lane = 0; lane < lanes; ++lane)
      for (uint64_t k = 0; k < ks; ++k) {
        uint64_t source = transpose ? addressNz(k, lane, w, c0) : addressNz(lane, k, w, c0);
        uint64_t expected = element(rig.core.l1, base + source, size);
        ASSERT_EQ(element(rig.core.l0a, 512 + addressA(lane, k, ks, c0), size), expected) << lane << " " << k;
        ASSERT_EQ(element(rig.core.l0b, 512 + addressB(k, lane, lanes, c0), size), expected)
            << lane << " " << k;
      }
  }
}
TEST_P(FractalLoad, WindowsOfAFeatureMap) {
  auto [dtype, size] = GetParam();
  const uint64_t c0 = 32 / size, base = 2048, height = 9, width = 7, channels1 = 2;
  struct Window {
    uint64_t kx, ky, sx, sy, dx, dy, left, top, right, m, k; // m, k: where the loaded part begins
  };
  for (const Window& w : {Window{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, Window{3, 2, 1, 1, 1, 1, 1, 1, 1, 5, 1},
                          Window{3, 3, 2, 2, 1, 1, 2, 1, 0, 0, 7}, Window{2, 2, 1, 3, 3, 2, 0, 2, 1, 3, 2}}) {
    Rig rig;
    rig.randomise(dtype + w.k);
    const uint64_t mf = 2, kf = 4, pad = 0x01020304;
    rig.run(
        Opcode::MTE1_IMG2COL_L0A,
        {512, base, mf | kf << 16 | w.m << 32, height | width << 16 | channels1 << 32 | w.k << 48,
         w.kx | w.ky << 8 | w.sx << 16 | w.sy << 24 | w.dx << 32 | w.dy << 40 | w.left << 48 | w.top << 56,
         w.right | pad << 8},
        dtype);
    const auto across = (width + w.left + w.right - w.dx * (w.kx - 1) - 1) / w.sx + 1;
    for (uint64_t m = 0; m < mf * 16; ++m)
      for (uint64_t k = 0; k < kf * c0; ++k) {
        const uint64_t column = w.k + k / c0, position = w.m + m;
        const auto y = static_cast<int64_t>(position / across * w.sy + column / w.kx % w.ky * w.dy) -
                       static_cast<int64_t>(w.top);
        const auto x = static_cast<int64_t>(position % across * w.sx + column % w.kx * w.dx) -
                       static_cast<int64_t>(w.left);
        const uint64_t c1 = column / (w.kx * w.ky);
        uint64_t expected = 0;
        std::memcpy(&expected, &pad, size);
        if (c1 < channels1 && y >= 0 && y < static_cast<int64_t>(height) && x >= 0 &&
            x < static_cast<int64_t>(width))
          expected = element(
              rig.core.l1,
              base + ((c1 * height + static_cast<uint64_t>(y)) * width + static_cast<uint64_t>(x)) * 32 +
                  k % c0 * size,
              size);
        ASSERT_EQ(element(rig.core.l0a, 512 + addressA(m, k, kf * c0, c0), size), expected)
            << w.kx << "x" << w.ky << " at " << m << " " << k;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FractalLoad,
                         ::testing::Values(LoadCase{kF16, 2}, LoadCase{kBF16, 2}, LoadCase{kF32, 4},
                                           LoadCase{kI8, 1}));

TEST(FractalLoad, RangeIsChecked) {
  Rig rig;
  uint64_t end = rig.core.l1.size();
  rig.run(Opcode::MTE1_LOAD_L0A, {0, end - 512, 1 | 1 << 16, 512}, kF16);
  EXPECT_THROW(rig.run(Opcode::MTE1_LOAD_L0A, {0, end - 480, 1 | 1 << 16, 512}, kF16), ValueFault);
  EXPECT_THROW(rig.run(Opcode::MTE1_LOAD_L0B, {(64 << 10) - 511, 0, 1 | 1 << 16, 512}, kF16), ValueFault);
}

struct Mmad {
  uint64_t m, k, n;
  bool init, bias;
};

float operandF(uint32_t dtype, const std::vector<uint8_t>& memory, uint64_t address) {
  switch (dtype) {
  case kF16:
    return f16ToF32(static_cast<uint16_t>(element(memory, address, 2)));
  case kBF16:
    return bf16ToF32(static_cast<uint16_t>(element(memory, address, 2)));
  case kHF32:
    return toHf32(bitCast<float>(static_cast<uint32_t>(element(memory, address, 4))));
  default:
    return bitCast<float>(static_cast<uint32_t>(element(memory, address, 4)));
  }
}

void fillOperands(Rig& rig, uint32_t dtype, unsigned seed) {
  std::mt19937 random(seed);
  auto value = [&] { return static_cast<float>(static_cast<int32_t>(random())) * 0x1p-30f; };
  for (auto* memory : {&rig.core.l0a, &rig.core.l0b})
    for (size_t i = 0; i + 4 <= memory->size(); i += 4) {
      uint32_t bits = random();
      if (dtype == kF16)
        bits = f32ToF16(value()) | static_cast<uint32_t>(f32ToF16(value())) << 16;
      else if (dtype == kBF16)
        bits = f32ToBf16(value()) | static_cast<uint32_t>(f32ToBf16(value())) << 16;
      else if (dtype != kI8)
        bits = bitCast<uint32_t>(value());
      std::memcpy(memory->data() + i, &bits, 4);
    }
  for (auto* memory : {&rig.core.l0c, &rig.core.bt})
    for (size_t i = 0; i + 4 <= memory->size(); i += 4) {
      uint32_t bits = dtype == kI8 ? random() : bitCast<uint32_t>(value());
      std::memcpy(memory->data() + i, &bits, 4);
    }
}

void checkMmad(uint32_t dtype, const Mmad& shape, unsigned seed) {
  Rig rig;
  fillOperands(rig, dtype, seed);
  uint64_t c0 = dtype == kI8 ? 32 : dtype == kF16 || dtype == kBF16 ? 16 : 8, a = 512, b = 1024, c = 2048;
  uint64_t w = 64 * ceilDiv(shape.m, 16) * 16;
  std::vector<uint8_t> expected = rig.core.l0c;
  for (uint64_t m = 0; m < shape.m; ++m)
    for (uint64_t n = 0; n < shape.n; ++n) {
      uint32_t start = static_cast<uint32_t>(element(expected, c + addressC(m, n, w), 4));
      if (shape.init)
        start = shape.bias ? static_cast<uint32_t>(element(rig.core.bt, 64 + 4 * n, 4)) : 0;
      float sum = bitCast<float>(start);
      for (uint64_t k = 0; k < shape.k; ++k) {
        uint64_t at = a + addressA(m, k, shape.k, c0), bt = b + addressB(k, n, shape.n, c0);
        if (dtype == kI8) {
          start += static_cast<uint32_t>(static_cast<int8_t>(rig.core.l0a[at]) *
                                         static_cast<int8_t>(rig.core.l0b[bt]));
          continue;
        }
        volatile float product = operandF(dtype, rig.core.l0a, at) * operandF(dtype, rig.core.l0b, bt);
        sum = sum + product;
      }
      uint32_t bits = dtype == kI8 ? start : bitCast<uint32_t>(sum);
      std::memcpy(expected.data() + c + addressC(m, n, w), &bits, 4);
    }
  rig.run(Opcode::MMAD, {c, a, b, shape.m | shape.k << 16 | shape.n << 32, shape.init, 64},
          dtype | shape.bias << 4);
  ASSERT_TRUE(rig.core.l0c == expected) << dtype << ": " << shape.m << " " << shape.k << " " << shape.n;
}

TEST(Mmad, AllDtypesAndShapes) {
  for (uint32_t dtype : {kF16, kBF16, kF32, kHF32, kI8})
    for (const Mmad& shape :
         {Mmad{16, 16, 16, false, false}, Mmad{32, 64, 48, true, false}, Mmad{1, 1, 1, false, false},
          Mmad{33, 17, 31, false, false}, Mmad{7, 70, 100, true, true}, Mmad{64, 33, 80, true, true},
          Mmad{19, 5, 16, false, false}, Mmad{16, 40, 33, false, true}})
      checkMmad(dtype, shape, static_cast<unsigned>(dtype * 100 + shape.m));
}

TEST(Mmad, HandComputed) {
  Rig rig;
  // A = [1 2; 3 4], B = [5 6; 7 8] in f16.
  auto put = [&](Space space, uint64_t address, float x) { rig.put<uint16_t>(space, address, f32ToF16(x)); };
  put(Space::L0A, 0, 1), put(Space::L0A, 2, 2), put(Space::L0A, 32, 3), put(Space::L0A, 34, 4);
  put(Space::L0B, 0, 5), put(Space::L0B, 2, 7), put(Space::L0B, 32, 6), put(Space::L0B, 34, 8);
  rig.run(Opcode::MMAD, {0, 0, 0, 2 | 2 << 16 | uint64_t{2} << 32, 1, 0}, kF16);
  EXPECT_EQ(rig.at<float>(Space::L0C, 0), 19);
  EXPECT_EQ(rig.at<float>(Space::L0C, 4), 22);
  EXPECT_EQ(rig.at<float>(Space::L0C, 64), 43);
  EXPECT_EQ(rig.at<float>(Space::L0C, 68), 50);
  EXPECT_EQ(rig.at<uint32_t>(Space::L0C, 8), 0xeeeeeeeeu); // beyond n: untouched
}

TEST(Mmad, ReadsNoElementBeyondItsShape) {
  Rig rig;
  // The last row of a 3 x 16 tile ends at the end of L0A.
  uint64_t a = (64 << 10) - 96;
  rig.run(Opcode::MMAD, {0, a, 0, 3 | 16 << 16 | uint64_t{16} << 32, 1, 0}, kF16);
  EXPECT_THROW(rig.run(Opcode::MMAD, {0, a, 0, 4 | 16 << 16 | uint64_t{16} << 32, 1, 0}, kF16), ValueFault);
  try {
    rig.run(Opcode::MMAD, {128 << 10, 0, 0, 1 | 1 << 16 | uint64_t{1} << 32, 1, 0}, kF16);
    FAIL();
  } catch (const ValueFault& fault) {
    EXPECT_EQ(fault.kind, core::FaultKind::OutOfRange);
    EXPECT_EQ(fault.space, Space::L0C);
    EXPECT_EQ(fault.address, 128u << 10);
    EXPECT_EQ(fault.size, 4u);
    EXPECT_EQ(fault.limit, 128u << 10);
  }
  EXPECT_THROW(rig.run(Opcode::MMAD, {0, 0, 0, 1 | 1 << 16 | uint64_t{1} << 32, 1, 0}, kI32), ValueFault);
}

TEST(Fixpipe, CastsScaleAndRelu) {
  Rig rig;
  uint64_t m = 5, n = 37, w = 64 * 16;
  std::mt19937 random(5);
  for (size_t i = 0; i + 4 <= rig.core.l0c.size(); i += 4)
    rig.put<float>(Space::L0C, i, static_cast<float>(static_cast<int32_t>(random())) * 0x1p-24f);
  uint32_t relu = 1 << 7, scale = 1 << 8;
  uint64_t out = rig.base + 6, stride = 200;
  for (uint32_t flags : {0u, relu, scale, relu | scale}) {
    auto expected = [&](uint64_t r, uint64_t c) {
      float x = rig.at<float>(Space::L0C, addressC(r, c, w));
      x = flags & scale ? x * 0.37f : x;
      return flags & relu ? (x > 0 ? x : 0) : x;
    };
    auto run = [&](uint32_t dtype) {
      rig.run(Opcode::FIX_GM, {out, 0, m | n << 32, stride, w, bitsOf(0.37f)}, dtype | flags);
    };
    run(kF32);
    for (uint64_t r = 0; r < m; ++r)
      for (uint64_t c = 0; c < n; ++c)
        ASSERT_EQ(rig.gm.load<float>(out + r * stride + c * 4), expected(r, c));
    run(kF16);
    for (uint64_t r = 0; r < m; ++r)
      for (uint64_t c = 0; c < n; ++c)
        ASSERT_EQ(rig.gm.load<uint16_t>(out + r * stride + c * 2), f32ToF16(expected(r, c)));
    run(kBF16);
    for (uint64_t r = 0; r < m; ++r)
      for (uint64_t c = 0; c < n; ++c)
        ASSERT_EQ(rig.gm.load<uint16_t>(out + r * stride + c * 2), f32ToBf16(expected(r, c)));
    run(kI8);
    for (uint64_t r = 0; r < m; ++r)
      for (uint64_t c = 0; c < n; ++c)
        ASSERT_EQ(rig.gm.load<int8_t>(out + r * stride + c),
                  static_cast<int8_t>(std::min(
                      127.0, std::max(-128.0, std::nearbyint(static_cast<double>(expected(r, c)))))));
  }
}

TEST(Fixpipe, IntegersAndAtomics) {
  Rig rig;
  for (int i = 0; i < 16; ++i)
    rig.put<int32_t>(Space::L0C, 4 * i, (i - 8) * 1000003);
  uint32_t fromInt = 1 << 9, scale = 1 << 8;
  uint64_t shape = 1 | uint64_t{16} << 32;
  rig.run(Opcode::FIX_GM, {rig.base, 0, shape, 64, 1024, 0}, kI32 | fromInt);
  rig.run(Opcode::FIX_GM, {rig.base, 0, shape, 64, 1024, 0}, kI32 | fromInt | 1 << 5); // atomic add
  rig.run(Opcode::FIX_GM, {rig.base + 64, 0, shape, 64, 1024, bitsOf(0x1p-10f)}, kF32 | fromInt | scale);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(rig.gm.load<int32_t>(rig.base + 4 * i), 2 * (i - 8) * 1000003);
    EXPECT_EQ(rig.gm.load<float>(rig.base + 64 + 4 * i), static_cast<float>((i - 8) * 1000003) * 0x1p-10f);
  }
}

TEST(Fixpipe, ToL1IsNz) {
  Rig rig;
  uint64_t m = 20, n = 50, w = 64 * 32, step = m * 32 + 32;
  std::mt19937 random(6);
  for (size_t i = 0; i + 4 <= rig.core.l0c.size(); i += 4)
    rig.put<float>(Space::L0C, i, static_cast<float>(static_cast<int8_t>(random())));
  for (uint32_t dtype : {kF16, kF32, kI8}) {
    unsigned size = dtype == kF16 ? 2 : dtype == kF32 ? 4 : 1;
    rig.run(Opcode::FIX_L1, {64, 0, m | n << 32, step, w, 0}, dtype);
    for (uint64_t r = 0; r < m; ++r)
      for (uint64_t c = 0; c < n; ++c) {
        float x = rig.at<float>(Space::L0C, addressC(r, c, w));
        uint64_t got = element(rig.core.l1, 64 + addressNz(r, c, step, 32 / size), size);
        uint64_t expected = dtype == kF16   ? f32ToF16(x)
                            : dtype == kF32 ? bitCast<uint32_t>(x)
                                            : static_cast<uint8_t>(static_cast<int8_t>(x));
        ASSERT_EQ(got, expected) << dtype << " " << r << " " << c;
      }
  }
}

} // namespace
} // namespace dlsim::values::test
