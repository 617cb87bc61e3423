#include "sim/casefile/compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dlsim::casefile {
namespace {

using isa::DType;

Difference compareF32(std::vector<float> got, std::vector<float> expected, std::vector<uint64_t> shape,
                      double tolerance) {
  return compare(DType::F32, shape, reinterpret_cast<const uint8_t*>(got.data()),
                 reinterpret_cast<const uint8_t*>(expected.data()), tolerance);
}

TEST(Compare, ToleranceIsRelativeToTheRowsLargestMagnitude) {
  // Row 0 has 100 as its largest magnitude, row 1 has 1.
  Difference d = compareF32({100, 0.0009f, 1, 0.0009f}, {100, 0, 1, 0}, {2, 2}, 1e-5);
  EXPECT_EQ(d.mismatches, 1u);
  EXPECT_EQ(d.index, (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(d.got, "0.000899999985");
  EXPECT_EQ(d.expected, "0");
  EXPECT_FLOAT_EQ(static_cast<float>(d.max_abs), 0.0009f);
  EXPECT_FLOAT_EQ(static_cast<float>(d.max_rel), 0.0009f);
  EXPECT_TRUE(compareF32({100, 0.0009f}, {100, 0}, {2}, 1e-5).ok());
}

TEST(Compare, SpecialValues) {
  EXPECT_TRUE(compareF32({NAN, INFINITY, -0.0f}, {NAN, INFINITY, 0.0f}, {3}, 0).ok());
  EXPECT_EQ(compareF32({NAN, 1}, {1, 1}, {2}, 1).mismatches, 1u);
  EXPECT_EQ(compareF32({1, 1}, {NAN, 1}, {2}, 1).mismatches, 1u);
  EXPECT_EQ(compareF32({INFINITY, 1}, {1, 1}, {2}, 1).max_abs, INFINITY);
  EXPECT_EQ(compareF32({1, 2}, {INFINITY, 2}, {2}, 1).mismatches, 1u);
  EXPECT_EQ(compareF32({1e-30f}, {0}, {1}, 1e-5).mismatches, 1u); // a row of zeros has no tolerance
  EXPECT_TRUE(compareF32({}, {}, {0, 5}, 0).ok());
  EXPECT_TRUE(compareF32({}, {}, {5, 0}, 0).ok());
}

TEST(Compare, IntegersAreExact) {
  int8_t got[] = {-128, 5}, expected[] = {-128, 6};
  Difference d =
      compare(DType::I8, {2}, reinterpret_cast<uint8_t*>(got), reinterpret_cast<uint8_t*>(expected), 0);
  EXPECT_EQ(d.mismatches, 1u);
  EXPECT_EQ(d.max_abs, 1);
  EXPECT_EQ(d.got, "5");
  EXPECT_EQ(defaultTolerance(DType::I8), 0);
  EXPECT_EQ(defaultTolerance(DType::F16), 2e-3);
  EXPECT_EQ(defaultTolerance(DType::BF16), 1.6e-2);
}

} // namespace
} // namespace dlsim::casefile
