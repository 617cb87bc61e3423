#include "sim/values/kernels.h"

#include "tests/sim/values/rig.h"

namespace dlsim::values::test {
namespace {

std::vector<Simd> hostSimds() {
  std::vector<Simd> simds;
  for (unsigned s = 0; s < kSimds; ++s)
    if (supported(static_cast<Simd>(s)))
      simds.push_back(static_cast<Simd>(s));
  return simds;
}

TEST(Kernels, TransposeIsATranspose) {
  std::vector<uint16_t> in(256), out(256);
  for (int i = 0; i < 256; ++i)
    in[i] = static_cast<uint16_t>(i * 77 + 5);
  for (Simd simd : hostSimds()) {
    kernels(simd).transpose16(reinterpret_cast<uint8_t*>(in.data()), 32,
                              reinterpret_cast<uint8_t*>(out.data()), 32);
    for (int r = 0; r < 16; ++r)
      for (int c = 0; c < 16; ++c)
        ASSERT_EQ(out[c * 16 + r], in[r * 16 + c]) << nameOf(simd);
  }
}

// Every instruction set gives the bits of the plain loop: product, then sum, k ascending.
TEST(Kernels, GemmHasTheBitsOfThePlainLoop) {
  constexpr size_t kDepth = 37, kPanel = kDepth * 16;
  std::mt19937 random(7);
  std::vector<float> a(kPanel), b(2 * kPanel);
  for (bool exact : {true, false}) {
    auto value = [&] {
      float x = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f;
      return exact ? f16ToF32(f32ToF16(x)) : x;
    };
    for (float& x : a)
      x = value();
    for (float& x : b)
      x = value();
    for (Simd simd : hostSimds()) {
      const Kernels& k = kernels(simd);
      for (size_t pieces : {1, 2}) {
        std::vector<float> c(2 * 16 * 16, 0.25f), expected = c;
        (exact ? k.gemmExact : k.gemmRounded)[pieces - 1](a.data(), b.data(), kPanel, kDepth, c.data(), 256);
        for (size_t piece = 0; piece < pieces; ++piece)
          for (size_t r = 0; r < k.rows; ++r)
            for (size_t n = 0; n < 16; ++n) {
              float& sum = expected[piece * 256 + r * 16 + n];
              for (size_t i = 0; i < kDepth; ++i) {
                volatile float product = a[i * 16 + r] * b[piece * kPanel + i * 16 + n];
                sum = sum + product;
              }
            }
        ASSERT_EQ(std::memcmp(c.data(), expected.data(), c.size() * 4), 0) << nameOf(simd) << exact << pieces;
      }
    }
  }
}

TEST(Kernels, NanIsCanonicalAndMinusZeroStays) {
  std::vector<float> a(16, -0.0f), b(16, 1.0f);
  b[3] = bitCast<float>(0xffc12345u);
  for (Simd simd : hostSimds())
    for (bool exact : {true, false}) {
      std::vector<float> c(256, -0.0f);
      const Kernels& k = kernels(simd);
      (exact ? k.gemmExact : k.gemmRounded)[0](a.data(), b.data(), 0, 1, c.data(), 0);
      EXPECT_EQ(bitCast<uint32_t>(c[0]), 0x80000000u) << nameOf(simd);
      EXPECT_EQ(bitCast<uint32_t>(c[3]), kNanF32) << nameOf(simd);
    }
}

TEST(Kernels, IntegerPairs) {
  constexpr size_t kDepth = 5;
  std::mt19937 random(9);
  std::vector<uint32_t> a(kDepth * 16), b(2 * kDepth * 16);
  auto pair = [&] {
    return (static_cast<uint32_t>(static_cast<int8_t>(random())) & 0xffffu) |
           static_cast<uint32_t>(static_cast<int8_t>(random())) << 16;
  };
  for (uint32_t& x : a)
    x = pair();
  for (uint32_t& x : b)
    x = pair();
  auto low = [](uint32_t x) { return static_cast<int16_t>(x); };
  auto high = [](uint32_t x) { return static_cast<int16_t>(x >> 16); };
  for (Simd simd : hostSimds()) {
    const Kernels& k = kernels(simd);
    std::vector<uint32_t> c(512, 0x7fffff00u), expected = c; // wraps
    k.gemmI8[1](a.data(), b.data(), kDepth * 16, kDepth, c.data(), 256);
    for (size_t piece = 0; piece < 2; ++piece)
      for (size_t r = 0; r < k.rows; ++r)
        for (size_t n = 0; n < 16; ++n)
          for (size_t i = 0; i < kDepth; ++i) {
            uint32_t x = a[i * 16 + r], y = b[(piece * kDepth + i) * 16 + n];
            expected[piece * 256 + r * 16 + n] += static_cast<uint32_t>(low(x) * low(y) + high(x) * high(y));
          }
    EXPECT_EQ(c, expected) << nameOf(simd);
  }
}

} // namespace
} // namespace dlsim::values::test
