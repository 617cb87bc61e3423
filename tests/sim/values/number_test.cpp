#include "tests/sim/values/rig.h"

#include "sim/values/kernels.h"

#include <cmath>
#include <limits>

namespace dlsim::values::test {
namespace {

// An f16 as a double, straight from the definition.
double f16Value(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  double magnitude = exponent == 0    ? std::ldexp(mantissa, -24)
                     : exponent == 31 ? (mantissa ? std::nan("") : INFINITY)
                                      : std::ldexp(1024 + mantissa, exponent - 25);
  return h & 0x8000 ? -magnitude : magnitude;
}

TEST(Number, EveryF16IsExactInF32) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    float x = f16ToF32(static_cast<uint16_t>(h));
    double expected = f16Value(static_cast<uint16_t>(h));
    if (std::isnan(expected))
      EXPECT_EQ(bitCast<uint32_t>(x), kNanF32);
    else
      EXPECT_EQ(static_cast<double>(x), expected) << h;
    if (!std::isnan(expected))
      EXPECT_EQ(f32ToF16(x), h);
  }
}

TEST(Number, F32ToF16IsNearestOfItsNeighbours) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    // Exponents around f16's range.
    uint32_t bits = (random() & 0x807fffffu) | (100 + random() % 46) << 23;
    float x = bitCast<float>(bits);
    uint16_t got = f32ToF16(x);
    uint16_t general = roundToF16(exactOf(static_cast<double>(x)), Round::NearestEven);
    ASSERT_EQ(got, general) << std::hexfloat << x;
    if ((got & 0x7fff) >= 0x7bff)
      continue;
    double error = std::abs(f16Value(got) - x);
    for (int step : {-1, 1}) {
      if ((got & 0x7fff) == 0)
        continue;
      double other = std::abs(f16Value(static_cast<uint16_t>(got + step)) - x);
      ASSERT_TRUE(error < other || (error == other && (got & 1) == 0)) << std::hexfloat << x;
    }
  }
}

TEST(Number, HandComputedRoundings) {
  EXPECT_EQ(f32ToF16(65519.0f), 0x7bff); // below the midpoint of 65504 and 65536
  EXPECT_EQ(f32ToF16(65520.0f), 0x7c00); // the midpoint goes to infinity
  EXPECT_EQ(f32ToF16(0x1p-25f), 0x0000); // half of the least subnormal: even is zero
  EXPECT_EQ(f32ToF16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(f32ToF16(-0x1.8p-24f), 0x8002); // 1.5 quanta: to even
  EXPECT_EQ(f32ToBf16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(f32ToBf16(1.0f + 0x1.8p-7f), 0x3f82);
  EXPECT_EQ(toHf32(1.0f + 0x1p-11f), 1.0f);
  EXPECT_EQ(toHf32(1.0f + 0x1.8p-10f), 1.0f + 0x1p-9f);
  Exact x = exactOf(2.5);
  EXPECT_EQ(roundToInteger(x, Round::NearestEven, -100, 100), 2);
  EXPECT_EQ(roundToInteger(x, Round::NearestAway, -100, 100), 3);
  x = exactOf(-2.5);
  EXPECT_EQ(roundToInteger(x, Round::NearestAway, -100, 100), -3);
  EXPECT_EQ(roundToInteger(x, Round::TowardsZero, -100, 100), -2);
  EXPECT_EQ(roundToInteger(x, Round::Floor, -100, 100), -3);
  EXPECT_EQ(roundToInteger(x, Round::Ceil, -100, 100), -2);
  EXPECT_EQ(roundToInteger(exactOf(1e30), Round::Floor, -128, 127), 127);
  EXPECT_EQ(roundToInteger(exactOf(-1e30), Round::Floor, -128, 127), -128);
  EXPECT_EQ(roundToF16(exactOf(1e9), Round::TowardsZero), 0x7bff);
  EXPECT_EQ(roundToF16(exactOf(1e9), Round::Ceil), 0x7c00);
  EXPECT_EQ(roundToF32(exactOf(int64_t{(1 << 24) + 1}), Round::NearestEven), 16777216.0f);
  EXPECT_EQ(roundToF32(exactOf(int64_t{(1 << 24) + 1}), Round::Ceil), 16777218.0f);
  EXPECT_EQ(roundToF32(exactOf(std::numeric_limits<int64_t>::min()), Round::NearestEven), -0x1p63f);
}

TEST(Number, MaximumAndMinimum) {
  float nan = NAN;
  EXPECT_EQ(maxF32(nan, 1.0f), 1.0f);
  EXPECT_EQ(maxF32(1.0f, nan), 1.0f);
  EXPECT_EQ(bitCast<uint32_t>(maxF32(-nan, nan)), kNanF32);
  EXPECT_EQ(bitCast<uint32_t>(maxF32(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(bitCast<uint32_t>(minF32(0.0f, -0.0f)), 0x80000000u);
  EXPECT_EQ(minF32(2.0f, -3.0f), -3.0f);
}

// Distance in units of the last place of the exact result (long double has 64 bits of mantissa).
double ulps(float got, long double exact) {
  if (std::fabs(exact) < 0x1p-149L / 2)
    return got == 0.0f ? 0 : std::fabs(got) / 0x1p-149;
  int exponent = std::max(std::ilogb(exact), -126);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, exponent - 23));
}

TEST(Number, ExpIsWithinOneUlp) {
  double worst = 0;
  for (uint32_t bits = 0; bits < 0x42b20000u; bits += 997) // up to 89
    for (uint32_t sign : {0u, 0x80000000u}) {
      float x = bitCast<float>(bits | sign);
      long double exact = std::exp(static_cast<long double>(x));
      if (exact > std::numeric_limits<float>::max())
        continue;
      worst = std::max(worst, ulps(expF32(x), exact));
    }
  EXPECT_LT(worst, 0.51);
  EXPECT_EQ(expF32(0.0f), 1.0f);
  EXPECT_EQ(expF32(-INFINITY), 0.0f);
  EXPECT_EQ(expF32(-200.0f), 0.0f);
  EXPECT_EQ(expF32(100.0f), INFINITY);
  EXPECT_EQ(expF32(88.8f), INFINITY);
  EXPECT_EQ(bitCast<uint32_t>(expF32(NAN)), kNanF32);
  EXPECT_GT(expF32(-103.9f), 0.0f); // the least subnormal
}

TEST(Number, LnIsWithinOneUlp) {
  double worst = 0;
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 1999) {
    float x = bitCast<float>(bits);
    worst = std::max(worst, ulps(lnF32(x), std::log(static_cast<long double>(x))));
  }
  for (uint32_t bits = 0x3f000000u; bits < 0x40000000u; bits += 53) { // around 1, where digits cancel
    float x = bitCast<float>(bits);
    worst = std::max(worst, ulps(lnF32(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 0.51);
  EXPECT_EQ(bitCast<uint32_t>(lnF32(1.0f)), 0u);
  EXPECT_EQ(lnF32(0.0f), -INFINITY);
  EXPECT_EQ(lnF32(-0.0f), -INFINITY);
  EXPECT_EQ(bitCast<uint32_t>(lnF32(-1.0f)), kNanF32);
  EXPECT_EQ(lnF32(INFINITY), INFINITY);
}

TEST(Number, BulkConversionsAgreeOnEveryInstructionSet) {
  std::vector<uint16_t> halves(0x10000);
  for (uint32_t h = 0; h < 0x10000; ++h)
    halves[h] = static_cast<uint16_t>(h);
  std::mt19937 random(3);
  std::vector<float> floats(100003);
  for (float& x : floats)
    x = bitCast<float>(static_cast<uint32_t>(random()));
  for (unsigned s = 0; s < kSimds; ++s) {
    Simd simd = static_cast<Simd>(s);
    if (!supported(simd))
      continue;
    std::vector<float> wide(halves.size());
    kernels(simd).f16ToF32(halves.data(), wide.data(), wide.size());
    for (size_t i = 0; i < wide.size(); ++i)
      ASSERT_EQ(bitCast<uint32_t>(wide[i]), bitCast<uint32_t>(f16ToF32(halves[i]))) << nameOf(simd) << i;
    std::vector<uint16_t> narrow(floats.size());
    kernels(simd).f32ToF16(floats.data(), narrow.data(), narrow.size());
    for (size_t i = 0; i < narrow.size(); ++i)
      ASSERT_EQ(narrow[i], f32ToF16(floats[i])) << nameOf(simd) << " " << floats[i];
  }
}

} // namespace
} // namespace dlsim::values::test
