// Casts, comparisons, selection, reductions and moves inside UB.
#include "tests/sim/values/rig.h"

#include <cmath>
#include <limits>

namespace dlsim::values::test {
namespace {

using core::Space;
using isa::Opcode;

struct VectorMore : ::testing::Test {
  Rig rig;
  template <class To, class From> To cast(From x, uint32_t from, uint32_t to, uint32_t mode = 0) {
    rig.run(Opcode::V_COUNT, {1});
    rig.put<From>(Space::UB, 0, x);
    rig.run(Opcode::V_CAST, {64, 0, strides(1)}, from | to << 4 | mode << 8);
    return rig.at<To>(Space::UB, 64);
  }
};

TEST_F(VectorMore, CastsByHand) {
  EXPECT_EQ(cast<int32_t>(2.5f, kF32, kI32, 0), 2);
  EXPECT_EQ(cast<int32_t>(-2.5f, kF32, kI32, 1), -2);
  EXPECT_EQ(cast<int32_t>(-2.5f, kF32, kI32, 2), -3);
  EXPECT_EQ(cast<int32_t>(2.1f, kF32, kI32, 3), 3);
  EXPECT_EQ(cast<int32_t>(2.5f, kF32, kI32, 4), 3);
  EXPECT_EQ(cast<int32_t>(3e9f, kF32, kI32), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(cast<int32_t>(-INFINITY, kF32, kI32), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(cast<int32_t>(NAN, kF32, kI32), 0);
  EXPECT_EQ(cast<int16_t>(40000.0f, kF32, kI16), 32767);
  EXPECT_EQ(cast<int64_t>(-0x1p62f, kF32, kI64), -(int64_t{1} << 62));
  EXPECT_EQ(cast<int64_t>(0x1p63f, kF32, kI64), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(cast<float>(int64_t{1} << 60, kI64, kF32), 0x1p60f);
  EXPECT_EQ(cast<float>(int32_t{16777217}, kI32, kF32, 0), 16777216.0f);
  EXPECT_EQ(cast<float>(int32_t{16777217}, kI32, kF32, 3), 16777218.0f);
  EXPECT_EQ(cast<int32_t>(int64_t{0x123456789}, kI64, kI32), 0x23456789); // low bits
  EXPECT_EQ(cast<int64_t>(int32_t{-5}, kI32, kI64), -5);
  EXPECT_EQ(cast<int16_t>(int32_t{0x12348765}, kI32, kI16), static_cast<int16_t>(0x8765));
  EXPECT_EQ(cast<int32_t>(int16_t{-7}, kI16, kI32), -7);
  EXPECT_EQ(cast<uint16_t>(1.0f + 0x1p-11f, kF32, kF16, 0), 0x3c00);
  EXPECT_EQ(cast<uint16_t>(1.0f + 0x1p-11f, kF32, kF16, 3), 0x3c01);
  EXPECT_EQ(cast<uint16_t>(1.0f + 0x1p-11f, kF32, kF16, 4), 0x3c01);
  EXPECT_EQ(cast<uint16_t>(-1.0f - 0x1p-20f, kF32, kBF16, 2), 0xbf81);
  EXPECT_EQ(cast<float>(uint16_t{0x3fc0}, kBF16, kF32), 1.5f);
  EXPECT_EQ(cast<int8_t>(f32ToF16(-200), kF16, kI8), -128);
  EXPECT_EQ(cast<uint8_t>(f32ToF16(-2), kF16, kU8), 0);
  EXPECT_EQ(cast<uint16_t>(int8_t{-3}, kI8, kF16), f32ToF16(-3));
  EXPECT_EQ(cast<uint16_t>(uint8_t{250}, kU8, kF16), f32ToF16(250));
  EXPECT_EQ(cast<uint16_t>(int32_t{2049}, kI32, kF16, 0), f32ToF16(2048));
  EXPECT_EQ(cast<uint16_t>(int16_t{2051}, kI16, kF16, 0), f32ToF16(2052));
  EXPECT_EQ(cast<float>(-0.5f, kF32, kF32, 2), -1.0f);
  EXPECT_EQ(bitCast<uint32_t>(cast<float>(-0.5f, kF32, kF32, 3)), 0x80000000u);
  EXPECT_EQ(cast<float>(1e20f, kF32, kF32, 0), 1e20f);
}

TEST_F(VectorMore, CastStridesUseTheWiderSide) {
  // f16 to f32: 64 elements a repeat; the source repeat is 4 blocks.
  for (int i = 0; i < 200; ++i)
    rig.put<uint16_t>(Space::UB, 2 * i, f32ToF16(static_cast<float>(i)));
  rig.run(Opcode::V_CAST, {4096, 0, strides(3, 1, 1, 1, 8, 4)}, kF16 | kF32 << 4);
  for (int i = 0; i < 192; ++i)
    ASSERT_EQ(rig.at<float>(Space::UB, 4096 + 4 * i), static_cast<float>(i));
  EXPECT_EQ(rig.at<uint32_t>(Space::UB, 4096 + 4 * 192), 0xeeeeeeeeu);
  rig.run(Opcode::V_CAST, {0, 4096, strides(3, 1, 1, 1, 4, 8)}, kF32 | kI16 << 4);
  for (int i = 0; i < 192; ++i)
    ASSERT_EQ(rig.at<int16_t>(Space::UB, 2 * i), i);
}

TEST_F(VectorMore, CompareAndSelect) {
  std::vector<float> a(100), b(100);
  for (int i = 0; i < 100; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
  }
  a[9] = NAN;
  rig.putAll(Space::UB, 0, a);
  rig.putAll(Space::UB, 1024, b);
  rig.run(Opcode::V_COUNT, {100});
  for (uint32_t op = 0; op < 6; ++op) {
    rig.put<uint8_t>(Space::UB, 2048 + 12, 0xf0); // bits beyond the count stay
    rig.run(Opcode::V_CMP, {2048, 0, 1024, strides(0)}, kF32 | op << 4);
    rig.run(Opcode::V_SEL, {4096, 0, 1024, strides(0), 2048}, kF32);
    rig.run(Opcode::V_SEL, {8192, 0, bitsOf(-4.0f), strides(0), 2048}, kF32 | 1 << 4);
    for (int i = 0; i < 100; ++i) {
      bool expected[] = {a[i]<b[i], a[i]> b[i], a[i] <= b[i], a[i] >= b[i], a[i] == b[i], a[i] != b[i]};
      ASSERT_EQ(rig.core.ub[2048 + i / 8] >> (i % 8) & 1, expected[op]) << op << " " << i;
      float selected = expected[op] ? a[i] : b[i];
      ASSERT_EQ(rig.at<uint32_t>(Space::UB, 4096 + 4 * i), bitCast<uint32_t>(selected));
      if (!expected[op])
        ASSERT_EQ(rig.at<float>(Space::UB, 8192 + 4 * i), -4.0f);
    }
    EXPECT_EQ(rig.core.ub[2048 + 12] & 0xf0, 0xf0);
  }
  // f16 with a scalar: 128 bits a repeat.
  for (int i = 0; i < 256; ++i)
    rig.put<uint16_t>(Space::UB, 2 * i, f32ToF16(static_cast<float>(i)));
  rig.run(Opcode::V_MASK, {~uint64_t{0}, ~uint64_t{0}});
  rig.run(Opcode::V_CMPS, {2048, 0, f32ToF16(130), strides(2)}, kF16 | 3 << 4);
  EXPECT_EQ(rig.at<uint64_t>(Space::UB, 2048 + 8), 0u);
  EXPECT_EQ(rig.at<uint64_t>(Space::UB, 2048 + 16), ~uint64_t{3});
  EXPECT_THROW(rig.run(Opcode::V_CMP, {0, 0, 0, strides(1)}, kI32 | 1 << 4), ValueFault);
}

TEST_F(VectorMore, WholeReductionsHaveAFixedTree) {
  // ((1e8 + 1) + (-1e8 + 1)) loses both ones in f32, level by level; a sequential sum would keep one.
  std::vector<float> x(64, 0.0f);
  x[0] = 1e8f, x[1] = 1.0f, x[2] = -1e8f, x[3] = 1.0f;
  rig.putAll(Space::UB, 0, x);
  x[5] = 3.0f;
  rig.putAll(Space::UB, 256, x);
  rig.run(Opcode::V_CADD, {4096, 0, strides(2, 1, 1, 1, 3, 8)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 4096), 0.0f);
  EXPECT_EQ(rig.at<float>(Space::UB, 4096 + 12), 3.0f); // results 3 elements apart
  rig.run(Opcode::V_CMAX, {4096, 256, strides(1, 1, 1, 1, 1, 8)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 4096), 1e8f);
  rig.run(Opcode::V_CMIN, {4096, 256, strides(1, 1, 1, 1, 1, 8)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 4096), -1e8f);
}

TEST_F(VectorMore, AbsentLanesTakeNoPart) {
  std::vector<float> x(64);
  for (int i = 0; i < 64; ++i)
    x[i] = -1.0f - static_cast<float>(i);
  rig.putAll(Space::UB, 0, x);
  rig.run(Opcode::V_MASK, {0x14, 0}); // lanes 2 and 4
  rig.run(Opcode::V_CMAX, {4096, 0, strides(1)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 4096), -3.0f);
  rig.run(Opcode::V_CADD, {4096, 0, strides(1)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 4096), -8.0f);
  rig.run(Opcode::V_COUNT, {3});
  rig.run(Opcode::V_CADD, {4096, 0, strides(1)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 4096), -6.0f);
  rig.put<float>(Space::UB, 0, -0.0f);
  rig.run(Opcode::V_COUNT, {1});
  rig.run(Opcode::V_CADD, {4096, 0, strides(1)}, kF32);
  EXPECT_EQ(rig.at<uint32_t>(Space::UB, 4096), 0x80000000u);
}

TEST_F(VectorMore, BlockAndPairReductions) {
  std::vector<uint16_t> h(256);
  for (int i = 0; i < 256; ++i)
    h[i] = f32ToF16(static_cast<float>(i));
  rig.putAll(Space::UB, 0, h);
  rig.run(Opcode::V_CGADD, {4096, 0, strides(2)}, kF16);
  for (int b = 0; b < 16; ++b)
    EXPECT_EQ(rig.at<uint16_t>(Space::UB, 4096 + 2 * b), f32ToF16(static_cast<float>(16 * 16 * b + 120)))
        << b;
  rig.run(Opcode::V_CGMIN, {4096, 0, strides(1)}, kF16);
  EXPECT_EQ(rig.at<uint16_t>(Space::UB, 4096 + 14), f32ToF16(112));
  rig.run(Opcode::V_CPADD, {4096, 0, strides(2)}, kF16);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(rig.at<uint16_t>(Space::UB, 4096 + 2 * i), f32ToF16(static_cast<float>(4 * i + 1)));
}

TEST_F(VectorMore, DuplicateIotaCopyBroadcast) {
  rig.run(Opcode::V_COUNT, {70});
  rig.run(Opcode::V_IOTA, {0, 5, static_cast<uint64_t>(-2), strides(0)}, kI32);
  EXPECT_EQ(rig.at<int32_t>(Space::UB, 4 * 69), 5 - 138);
  rig.run(Opcode::V_IOTA, {0, bitsOf(0.5f), bitsOf(0.25f), strides(0)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 4 * 69), 17.75f);
  rig.run(Opcode::V_DUP, {1024, 0x1234, strides(0)}, kU16);
  EXPECT_EQ(rig.at<uint16_t>(Space::UB, 1024 + 138), 0x1234);
  EXPECT_EQ(rig.at<uint16_t>(Space::UB, 1024 + 140), 0xeeee);
  rig.run(Opcode::V_COPY, {2048, 0, strides(0)}, kI32);
  EXPECT_EQ(rig.at<float>(Space::UB, 2048 + 4 * 69), 17.75f);
  rig.run(Opcode::V_BRCB, {4096, 0, strides(2, 1, 1, 1, 8, 0)}, kF32);
  for (int e = 0; e < 16; ++e)
    for (int i = 0; i < 8; ++i)
      ASSERT_EQ(rig.at<float>(Space::UB, 4096 + 32 * e + 4 * i), 0.5f + 0.25f * static_cast<float>(e));
}

TEST_F(VectorMore, GatherAndTranspose) {
  std::vector<uint32_t> offsets(70);
  for (uint32_t i = 0; i < 70; ++i)
    offsets[i] = 4 * ((i * 37) % 100);
  for (uint32_t i = 0; i < 100; ++i)
    rig.put<uint32_t>(Space::UB, 4 * i, 1000 + i);
  rig.putAll(Space::UB, 1024, offsets);
  rig.run(Opcode::V_COUNT, {70});
  rig.run(Opcode::V_GATHER, {2048, 0, 1024, strides(0)}, kU32);
  for (uint32_t i = 0; i < 70; ++i)
    ASSERT_EQ(rig.at<uint32_t>(Space::UB, 2048 + 4 * i), 1000 + (i * 37) % 100);
  rig.put<uint32_t>(Space::UB, 1024, 192 << 10);
  EXPECT_THROW(rig.run(Opcode::V_GATHER, {2048, 0, 1024, strides(0)}, kU32), ValueFault);
  for (uint32_t i = 0; i < 512; ++i)
    rig.put<uint16_t>(Space::UB, 2 * i, static_cast<uint16_t>(i));
  rig.run(Opcode::V_TRANS, {4096, 0, strides(2, 2, 1, 1, 1, 16)}, kF16);
  for (uint32_t r = 0; r < 2; ++r)
    for (uint32_t i = 0; i < 16; ++i)
      for (uint32_t j = 0; j < 16; ++j)
        ASSERT_EQ(rig.at<uint16_t>(Space::UB, 4096 + r * 32 + i * 64 + j * 2), r * 256 + j * 16 + i);
}

} // namespace
} // namespace dlsim::values::test
