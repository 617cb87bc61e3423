#include "tests/sim/values/rig.h"

namespace dlsim::values::test {
namespace {

using core::Space;
using isa::Opcode;

struct Transfer : ::testing::Test {
  Rig rig;
  void SetUp() override {
    for (uint64_t i = 0; i < 4096; ++i)
      rig.gm.store<uint8_t>(rig.base + i, static_cast<uint8_t>(i * 7 + i / 256));
  }
  uint8_t gm(uint64_t i) { return rig.gm.load<uint8_t>(rig.base + i); }
};

TEST_F(Transfer, CopyInWithPadding) {
  // 3 rows of 5 bytes, 11 apart, to rows 64 apart, 4 bytes of pad left, 2 right; pad element 0x2211.
  rig.run(Opcode::MTE2_COPY_UB,
          {32, rig.base + 3, 3 | uint64_t{5} << 32, 11, 64 | uint64_t{4} << 32 | uint64_t{2} << 48, 0x2211},
          1);
  for (uint64_t r = 0; r < 3; ++r) {
    uint64_t row = 32 + r * 64;
    EXPECT_EQ(rig.at<uint32_t>(Space::UB, row), 0x22112211u);
    for (uint64_t i = 0; i < 5; ++i)
      EXPECT_EQ(rig.core.ub[row + 4 + i], gm(3 + r * 11 + i));
    EXPECT_EQ(rig.at<uint16_t>(Space::UB, row + 9), 0x2211);
    EXPECT_EQ(rig.core.ub[row + 11], 0xee); // untouched
  }
  EXPECT_EQ(rig.core.ub[31], 0xee);
}

TEST_F(Transfer, CopyInOfLengthZeroPadsOnlyAndReadsNothing) {
  rig.run(Opcode::MTE2_COPY_L1, {0, 0x10, 2, 0, 32 | uint64_t{8} << 32, 0xab}, 0);
  EXPECT_EQ(rig.at<uint64_t>(Space::L1, 32), 0xababababababababu);
  EXPECT_EQ(rig.core.l1[8], 0xee);
}

TEST_F(Transfer, CopyInContiguousAndRepeatedRow) {
  rig.run(Opcode::MTE2_COPY_L1, {64, rig.base, 4 | uint64_t{96} << 32, 96, 96, 0});
  for (uint64_t i = 0; i < 384; ++i)
    ASSERT_EQ(rig.core.l1[64 + i], gm(i));
  rig.run(Opcode::MTE2_COPY_L1,
          {0, rig.base + 1, 4 | uint64_t{32} << 32, 0, 32, 0}); // stride 0: one row, 4 times
  for (uint64_t i = 0; i < 128; ++i)
    ASSERT_EQ(rig.core.l1[i], gm(1 + i % 32));
  rig.run(Opcode::MTE2_COPY_L1,
          {0, rig.base + 96, 4 | uint64_t{32} << 32, static_cast<uint64_t>(-32), 32, 0});
  for (uint64_t i = 0; i < 128; ++i) // negative stride
    ASSERT_EQ(rig.core.l1[i], gm(96 - i / 32 * 32 + i % 32));
}

TEST_F(Transfer, FaultsNameTheAccess) {
  uint64_t end = rig.core.ub.size();
  rig.run(Opcode::MTE2_COPY_UB, {end - 32, rig.base, 1 | uint64_t{32} << 32, 0, 0, 0});
  try {
    rig.run(Opcode::MTE2_COPY_UB, {end - 32, rig.base, 1 | uint64_t{33} << 32, 0, 0, 0});
    FAIL();
  } catch (const ValueFault& fault) {
    EXPECT_EQ(fault.kind, core::FaultKind::OutOfRange);
    EXPECT_EQ(fault.space, Space::UB);
    EXPECT_EQ(fault.size, 33u);
    EXPECT_EQ(fault.limit, end);
  }
  try {
    rig.run(Opcode::MTE2_COPY_UB, {0, rig.base + (1 << 20) - 16, 1 | uint64_t{32} << 32, 0, 0, 0});
    FAIL();
  } catch (const ValueFault& fault) {
    EXPECT_EQ(fault.kind, core::FaultKind::UnmappedMemory);
    EXPECT_EQ(fault.space, Space::GM);
    EXPECT_EQ(fault.address, rig.base + (1 << 20) - 16);
  }
  // A huge register value does not wrap around.
  EXPECT_THROW(rig.run(Opcode::MTE2_COPY_UB, {~uint64_t{0} - 8, rig.base, 1 | uint64_t{32} << 32, 0, 0, 0}),
               ValueFault);
  EXPECT_THROW(rig.run(Opcode::MTE2_COPY_UB, {0, rig.base, 2 | uint64_t{32} << 32, uint64_t{1} << 63, 32, 0}),
               ValueFault);
}

TEST_F(Transfer, Nd2Nz) {
  // 6 x 40 f16 elements: three column blocks, the last of 8 elements; W = 8 rows of 32.
  uint64_t w = 256, stride = 90;
  rig.run(Opcode::MTE2_ND2NZ, {32, rig.base, 6 | uint64_t{40} << 32, stride, w}, kF16);
  for (uint64_t r = 0; r < 6; ++r)
    for (uint64_t b = 0; b < 80; ++b)
      ASSERT_EQ(rig.core.l1[32 + b / 32 * w + r * 32 + b % 32], gm(r * stride + b));
  EXPECT_EQ(rig.core.l1[32 + 2 * w + 16], 0xee); // beyond cols
  EXPECT_EQ(rig.core.l1[32 + 6 * 32], 0xee);     // beyond rows
}

TEST_F(Transfer, FillGatherAndTables) {
  rig.run(Opcode::MTE2_FILL_L1, {64, 0x04030201, 96});
  EXPECT_EQ(rig.at<uint32_t>(Space::L1, 64 + 92), 0x04030201u);
  EXPECT_EQ(rig.core.l1[160], 0xee);
  rig.putAll<uint32_t>(Space::UB, 1024, {7, 0, 3});
  rig.run(Opcode::MTE2_GATHER_UB, {0, rig.base + 10, 1024, 3 | uint64_t{48} << 32, 100, 64});
  uint64_t index[] = {7, 0, 3};
  for (uint64_t i = 0; i < 3; ++i)
    for (uint64_t b = 0; b < 48; ++b)
      ASSERT_EQ(rig.core.ub[i * 64 + b], gm(10 + index[i] * 100 + b));
  EXPECT_EQ(rig.core.ub[48], 0xee);
  rig.run(Opcode::MTE1_LOAD_BT, {128, 64, 64});
  EXPECT_EQ(rig.at<uint32_t>(Space::BT, 128), 0x04030201u);
  rig.run(Opcode::MTE1_LOAD_FB, {0, 64, 32});
  EXPECT_EQ(rig.at<uint32_t>(Space::FB, 28), 0x04030201u);
  EXPECT_THROW(rig.run(Opcode::MTE1_LOAD_BT, {1024, 64, 64}), ValueFault);
}

TEST_F(Transfer, CopyOutStoresExactBytes) {
  for (uint64_t i = 0; i < 256; ++i)
    rig.core.ub[i] = static_cast<uint8_t>(200 - i);
  uint8_t before = gm(1007);
  rig.run(Opcode::MTE3_COPY_UB, {rig.base + 1000, 0, 2 | uint64_t{7} << 32, 50, 32}, kI8);
  for (uint64_t r = 0; r < 2; ++r)
    for (uint64_t i = 0; i < 7; ++i)
      EXPECT_EQ(gm(1000 + r * 50 + i), rig.core.ub[r * 32 + i]);
  EXPECT_EQ(gm(1007), before);
}

TEST_F(Transfer, Atomics) {
  auto atomic = [&](uint32_t dtype, uint32_t kind, uint64_t bytes) {
    rig.run(Opcode::MTE3_COPY_UB, {rig.base, 0, 1 | bytes << 32, 0, 32}, dtype | kind << 5);
  };
  rig.gm.store<float>(rig.base, 1.5f);
  rig.put<float>(Space::UB, 0, 0.25f);
  atomic(kF32, 1, 4);
  EXPECT_EQ(rig.gm.load<float>(rig.base), 1.75f);
  rig.put<float>(Space::UB, 0, NAN);
  atomic(kF32, 2, 4); // the NaN yields
  EXPECT_EQ(rig.gm.load<float>(rig.base), 1.75f);
  rig.gm.store<uint16_t>(rig.base, f32ToF16(2048));
  rig.put<uint16_t>(Space::UB, 0, f32ToF16(1)); // 2049 is not an f16: to even
  atomic(kF16, 1, 2);
  EXPECT_EQ(rig.gm.load<uint16_t>(rig.base), f32ToF16(2048));
  rig.gm.store<int8_t>(rig.base, -100);
  rig.put<int8_t>(Space::UB, 0, -100); // wraps
  atomic(kI8, 1, 1);
  EXPECT_EQ(rig.gm.load<int8_t>(rig.base), 56);
  rig.gm.store<int32_t>(rig.base, -5);
  rig.put<int32_t>(Space::UB, 0, 3);
  atomic(kI32, 3, 4);
  EXPECT_EQ(rig.gm.load<int32_t>(rig.base), -5);
  rig.gm.store<uint16_t>(rig.base, f32ToBf16(-5));
  rig.put<uint16_t>(Space::UB, 0, f32ToBf16(3));
  atomic(kBF16, 2, 2);
  EXPECT_EQ(rig.gm.load<uint16_t>(rig.base), f32ToBf16(3));
  EXPECT_THROW(atomic(kI64, 1, 8), ValueFault);
}

} // namespace
} // namespace dlsim::values::test
