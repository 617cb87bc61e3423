#include "sim/casefile/generate.h"

#include "sim/values/number.h"

#include <gtest/gtest.h>

#include <cstring>

namespace dlsim::casefile {
namespace {

using isa::DType;

template <class T> std::vector<T> as(const std::vector<uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(Generate, ParsesItsNames) {
  EXPECT_EQ(parseInit("normal(7)")->seed, 7u);
  EXPECT_EQ(parseInit("uniform(0)")->kind, Init::Kind::Uniform);
  EXPECT_EQ(parseInit("arange")->kind, Init::Kind::Arange);
  for (const char* bad :
       {"", "normal", "normal()", "normal(x)", "normal(1", "normal(-1)", "gauss(1)", "zeros(1)"})
    EXPECT_FALSE(parseInit(bad)) << bad;
}

TEST(Generate, HandComputed) {
  // splitmix64's first output for state 0 is a published test value.
  EXPECT_EQ(hashOf(0, 0), 0xe220a8397b1dcdafull);
  Init init = *parseInit("arange");
  init.scale = 0.5;
  EXPECT_EQ(as<float>(generate(init, DType::F32, 4)), (std::vector<float>{0, 0.5f, 1, 1.5f}));
  EXPECT_EQ(as<int8_t>(generate(init, DType::I8, 5)), (std::vector<int8_t>{0, 0, 1, 1, 2}));
  init = *parseInit("uniform(0)");
  float expected =
      static_cast<float>(static_cast<int64_t>(0xe220a8397b1dcdafull >> 40) - (1 << 23)) * 0x1p-23f;
  EXPECT_EQ(as<float>(generate(init, DType::F32, 1))[0], expected);
  init.low = -3, init.high = 4;
  for (int32_t x : as<int32_t>(generate(init, DType::I32, 100)))
    EXPECT_TRUE(x >= -3 && x < 4);
}

} // namespace
} // namespace dlsim::casefile
