// Lanes, strides, masks and arithmetic of the vector unit, against loops over the address formula.
#include "tests/sim/values/rig.h"

#include <cmath>
#include <functional>

namespace dlsim::values::test {
namespace {

using core::Space;
using isa::Opcode;

// The address formula of DLNPUVector.td.
uint64_t lane(uint64_t base, unsigned size, unsigned block, unsigned repeat, uint64_t r, uint64_t i) {
  return base + r * repeat * 32 + i * size / 32 * block * 32 + i * size % 32;
}

struct Pattern {
  unsigned repeats, db, s0b, s1b, dr, s0r, s1r;
  uint64_t mask0, mask1;
  bool count;
  uint64_t elements;
};

constexpr uint64_t kAll = ~uint64_t{0};
const Pattern kPatterns[] = {
    {4, 1, 1, 1, 8, 8, 8, kAll, kAll, false, 0},   // dense
    {3, 2, 1, 3, 17, 9, 25, kAll, kAll, false, 0}, // strided
    {5, 1, 0, 1, 8, 0, 8, kAll, kAll, false, 0},   // one block everywhere
    {3, 1, 1, 1, 8, 8, 8, 0x5a5a0ff0f00f1234, 0x8000000000000001, false, 0},
    {2, 1, 1, 1, 8, 8, 8, 0xffff, 0, false, 0},  // a prefix
    {2, 1, 1, 1, 8, 8, 8, 0, 0, false, 0},       // nothing
    {0, 1, 1, 1, 8, 8, 8, kAll, kAll, false, 0}, // no repeat
    {0, 1, 1, 1, 8, 8, 8, 0, 0, true, 1},        // count mode
    {0, 1, 1, 1, 8, 8, 8, 0, 0, true, 2500},
    {0, 1, 2, 1, 9, 16, 8, 0, 0, true, 300},
    {4, 1, 1, 1, 8, 8, 8, kAll, kAll, true, 0},
};

void applyLanes(Rig& rig, const Pattern& p) {
  if (p.count)
    rig.run(Opcode::V_COUNT, {p.elements});
  else
    rig.run(Opcode::V_MASK, {p.mask0, p.mask1});
}

// Walks the pattern the slow way: f(repeat, lane number in the repeat).
void walk(const Pattern& p, unsigned lanes, const std::function<void()>& begin,
          const std::function<void(uint64_t, uint64_t)>& f) {
  uint64_t repeats = p.count ? (p.elements + lanes - 1) / lanes : p.repeats;
  for (uint64_t r = 0; r < repeats; ++r)
    for (uint64_t i = 0; i < lanes; ++i) {
      if (i == 0)
        begin();
      bool on = p.count ? r * lanes + i < p.elements : (i < 64 ? p.mask0 : p.mask1) >> (i % 64) & 1;
      if (on)
        f(r, i);
    }
}

template <class T, class F>
void checkBinary(Opcode op, uint32_t dtype, uint64_t dst, uint64_t s0, uint64_t s1, F f) {
  for (const Pattern& p : kPatterns) {
    Rig rig;
    rig.randomise(dtype);
    applyLanes(rig, p);
    std::vector<uint8_t> expected = rig.core.ub;
    std::vector<uint8_t> before = expected; // of the repeat: it reads everything before it writes
    walk(
        p, 256 / sizeof(T), [&] { before = expected; },
        [&](uint64_t r, uint64_t i) {
          T a, b, d;
          std::memcpy(&a, before.data() + lane(s0, sizeof(T), p.s0b, p.s0r, r, i), sizeof(T));
          std::memcpy(&b, before.data() + lane(s1, sizeof(T), p.s1b, p.s1r, r, i), sizeof(T));
          uint8_t* out = expected.data() + lane(dst, sizeof(T), p.db, p.dr, r, i);
          std::memcpy(&d, before.data() + lane(dst, sizeof(T), p.db, p.dr, r, i), sizeof(T));
          d = f(a, b, d);
          std::memcpy(out, &d, sizeof(T));
        });
    rig.run(op, {dst, s0, s1, strides(p.repeats, p.db, p.s0b, p.s1b, p.dr, p.s0r, p.s1r)}, dtype);
    ASSERT_TRUE(rig.core.ub == expected) << p.repeats << " " << p.s0b << " " << p.mask0 << " " << p.elements;
  }
}

float canonicalSum(float a, float b) { return canonical(a + b); }

TEST(Vector, StridesMasksAndCounts) {
  checkBinary<float>(Opcode::V_ADD, kF32, 0, 65536, 131072,
                     [](float a, float b, float) { return canonicalSum(a, b); });
  checkBinary<uint16_t>(Opcode::V_MUL, kF16, 65536, 0, 131072,
                        [](uint16_t a, uint16_t b, uint16_t) { return f32ToF16(f16ToF32(a) * f16ToF32(b)); });
  checkBinary<int32_t>(Opcode::V_SUB, kI32, 0, 65536, 131072, [](int32_t a, int32_t b, int32_t) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
  });
  checkBinary<int16_t>(Opcode::V_MAX, kI16, 0, 65536, 131072,
                       [](int16_t a, int16_t b, int16_t) { return std::max(a, b); });
  checkBinary<float>(Opcode::V_MLA, kF32, 0, 65536, 131072, [](float a, float b, float d) {
    volatile float product = a * b;
    return canonicalSum(d, product);
  });
}

TEST(Vector, InPlaceIsElementwise) {
  checkBinary<float>(Opcode::V_MUL, kF32, 4096, 4096, 4096,
                     [](float a, float b, float) { return canonical(a * b); });
}

// A destination that lies a repeat behind its source: each repeat sees what the one before wrote.
TEST(Vector, RepeatsRunInOrder) {
  Rig rig;
  for (int i = 0; i < 64; ++i)
    rig.put<float>(Space::UB, 4 * i, static_cast<float>(i));
  rig.put<float>(Space::UB, 60000, 1.0f);
  rig.run(Opcode::V_ADDS, {256, 0, bitsOf(1.0f), strides(10)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, 256 * 10 + 4 * 5), 15.0f);
}

TEST(Vector, ArithmeticByHand) {
  Rig rig;
  auto unary = [&](Opcode op, float x) {
    rig.run(Opcode::V_COUNT, {1});
    rig.put<float>(Space::UB, 0, x);
    rig.run(op, {32, 0, strides(1)}, kF32);
    return rig.at<float>(Space::UB, 32);
  };
  EXPECT_EQ(unary(Opcode::V_ABS, -2.5f), 2.5f);
  EXPECT_EQ(unary(Opcode::V_SQRT, 2.0f), 0x1.6a09e6p+0f);
  EXPECT_EQ(unary(Opcode::V_RSQRT, 4.0f), 0.5f);
  EXPECT_EQ(unary(Opcode::V_REC, 3.0f), 1.0f / 3.0f);
  EXPECT_EQ(unary(Opcode::V_EXP, 1.0f), 0x1.5bf0a8p+1f);
  EXPECT_EQ(unary(Opcode::V_LN, 10.0f), 0x1.26bb1cp+1f);
  EXPECT_EQ(unary(Opcode::V_RELU, -1.0f), 0.0f);
  EXPECT_EQ(bitCast<uint32_t>(unary(Opcode::V_SQRT, -1.0f)), kNanF32);
  EXPECT_EQ(unary(Opcode::V_REC, -0.0f), -INFINITY);
  auto scalar = [&](Opcode op, int32_t x, uint64_t y, uint32_t dtype) {
    rig.put<int32_t>(Space::UB, 0, x);
    rig.run(op, {32, 0, y, strides(1)}, dtype);
    return rig.at<int32_t>(Space::UB, 32);
  };
  EXPECT_EQ(scalar(Opcode::V_SHLS, 3, 30, kI32), static_cast<int32_t>(0xc0000000));
  EXPECT_EQ(scalar(Opcode::V_SHLS, 3, 32, kI32), 0);
  EXPECT_EQ(scalar(Opcode::V_SHRS, -8, 1, kI32), -4);
  EXPECT_EQ(scalar(Opcode::V_SHRS, -8, 1000, kI32), -1);
  EXPECT_EQ(scalar(Opcode::V_SHRS, -8, 1, kU32), 0x7ffffffc);
  EXPECT_EQ(scalar(Opcode::V_SHRS, 0xfff8, 1, kI16) & 0xffff, 0xfffc);
  EXPECT_EQ(scalar(Opcode::V_SHRS, 0xfff8, 1, kU16) & 0xffff, 0x7ffc);
  EXPECT_EQ(scalar(Opcode::V_MAXS, -8, static_cast<uint64_t>(-3), kI32), -3);
  EXPECT_EQ(scalar(Opcode::V_MULS, -8, static_cast<uint64_t>(-3), kI32), 24);
  // f16: 2048 + 1 in f32, then to nearest even.
  rig.put<uint16_t>(Space::UB, 0, f32ToF16(2048));
  rig.run(Opcode::V_ADDS, {32, 0, f32ToF16(1), strides(1)}, kF16);
  EXPECT_EQ(rig.at<uint16_t>(Space::UB, 32), f32ToF16(2048));
  // axpy in f16 rounds once: 1 + 2049/2048 * 1 would lose the product's last bit if it were rounded.
  rig.put<uint16_t>(Space::UB, 0, f32ToF16(1.0f + 0x1p-10f));
  rig.put<uint16_t>(Space::UB, 32, f32ToF16(-1.0f));
  rig.run(Opcode::V_AXPY, {32, 0, f32ToF16(1.0f + 0x1p-10f), strides(1)}, kF16);
  EXPECT_EQ(rig.at<uint16_t>(Space::UB, 32), f32ToF16(0x1p-9f + 0x1p-20f));
}

TEST(Vector, BitOperations) {
  checkBinary<uint16_t>(Opcode::V_AND, kI16, 0, 65536, 131072,
                        [](uint16_t a, uint16_t b, uint16_t) { return static_cast<uint16_t>(a & b); });
  checkBinary<uint16_t>(Opcode::V_XOR, kU16, 0, 65536, 131072,
                        [](uint16_t a, uint16_t b, uint16_t) { return static_cast<uint16_t>(a ^ b); });
  checkBinary<uint16_t>(Opcode::V_OR, kI16, 0, 65536, 131072,
                        [](uint16_t a, uint16_t b, uint16_t) { return static_cast<uint16_t>(a | b); });
}

TEST(Vector, DTypesOutsideTheDescriptionAreFaults) {
  Rig rig;
  EXPECT_THROW(rig.run(Opcode::V_ADD, {0, 0, 0, strides(1)}, kBF16), ValueFault);
  EXPECT_THROW(rig.run(Opcode::V_AND, {0, 0, 0, strides(1)}, kF32), ValueFault);
  EXPECT_THROW(rig.run(Opcode::V_EXP, {0, 0, strides(1)}, kI32), ValueFault);
  EXPECT_THROW(rig.run(Opcode::V_ADD, {0, 0, 0, strides(1)}, 15), ValueFault);
  EXPECT_THROW(rig.run(Opcode::V_CAST, {0, 0, strides(1)}, kI8 | kI64 << 4), ValueFault);
  EXPECT_THROW(rig.run(Opcode::V_CAST, {0, 0, strides(1)}, kF32 | kF16 << 4 | 7 << 8), ValueFault);
}

TEST(Vector, OnlyLanesThatAreOnTouchMemory) {
  Rig rig;
  uint64_t end = rig.core.ub.size();
  // Lanes 0..7 on: one block, at the very end.
  rig.run(Opcode::V_MASK, {0xff, 0});
  rig.run(Opcode::V_DUP, {end - 32, bitsOf(1.0f), strides(1)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, end - 4), 1.0f);
  rig.run(Opcode::V_MASK, {0x1ff, 0});
  EXPECT_THROW(rig.run(Opcode::V_DUP, {end - 32, 0, strides(1)}, kF32), ValueFault);
  // Count mode: 65 elements span one repeat and 4 bytes.
  rig.run(Opcode::V_COUNT, {65});
  rig.run(Opcode::V_DUP, {end - 260, bitsOf(2.0f), strides(0)}, kF32);
  EXPECT_EQ(rig.at<float>(Space::UB, end - 4), 2.0f);
  rig.run(Opcode::V_COUNT, {66});
  EXPECT_THROW(rig.run(Opcode::V_DUP, {end - 260, 0, strides(0)}, kF32), ValueFault);
  rig.run(Opcode::V_COUNT, {uint64_t{1} << 60});
  EXPECT_THROW(rig.run(Opcode::V_DUP, {0, 0, strides(0)}, kF32), ValueFault);
}

} // namespace
} // namespace dlsim::values::test
