// MTE2, MTE3 and the table loads of MTE1: rows of bytes, moved row by row.
#include "sim/values/fields.h"
#include "sim/values/parts.h"

#include <algorithm>
#include <cstring>

namespace dlsim::values {

using core::Space;

namespace {

// Fills with copies of the low `size` bytes of value.
void fillPattern(uint8_t* target, uint64_t bytes, uint64_t value, unsigned size) {
  for (uint64_t i = 0; i < bytes; ++i)
    target[i] = static_cast<uint8_t>(value >> (8 * (i % size)));
}

template <class T, class Op> void combineInt(uint8_t* target, const uint8_t* source, uint64_t bytes, Op op) {
  for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, target + i, sizeof a);
    std::memcpy(&b, source + i, sizeof b);
    T r = static_cast<T>(op(a, b));
    std::memcpy(target + i, &r, sizeof r);
  }
}

template <class T> void combineInt(uint8_t* target, const uint8_t* source, uint64_t bytes, unsigned atomic) {
  if (atomic == 1) // wraps
    combineInt<T>(target, source, bytes,
                  [](T a, T b) { return static_cast<uint64_t>(a) + static_cast<uint64_t>(b); });
  else if (atomic == 2)
    combineInt<T>(target, source, bytes, [](T a, T b) { return std::max(a, b); });
  else
    combineInt<T>(target, source, bytes, [](T a, T b) { return std::min(a, b); });
}

float combineFloat(float a, float b, unsigned atomic) {
  return atomic == 1 ? canonical(a + b) : atomic == 2 ? maxF32(a, b) : minF32(a, b);
}

void combineF32(uint8_t* target, const uint8_t* source, uint64_t bytes, unsigned atomic) {
  combineInt<float>(target, source, bytes, [=](float a, float b) { return combineFloat(a, b, atomic); });
}

// 16-bit floats: in f32, rounded once.
template <class Widen, class Narrow>
void combineHalf(uint8_t* target, const uint8_t* source, uint64_t bytes, unsigned atomic, Widen widen,
                 Narrow narrow) {
  combineInt<uint16_t>(target, source, bytes, [=](uint16_t a, uint16_t b) {
    return narrow(combineFloat(widen(a), widen(b), atomic));
  });
}

} // namespace

void combine(uint8_t* target, const uint8_t* source, uint64_t bytes, DType dtype, unsigned atomic) {
  if (atomic == 0) {
    std::memmove(target, source, bytes);
    return;
  }
  switch (dtype) {
  case DType::F16:
    return combineHalf(
        target, source, bytes, atomic, [](uint16_t x) { return f16ToF32(x); },
        [](float x) { return f32ToF16(x); });
  case DType::BF16:
    return combineHalf(
        target, source, bytes, atomic, [](uint16_t x) { return bf16ToF32(x); },
        [](float x) { return f32ToBf16(x); });
  case DType::F32:
    return combineF32(target, source, bytes, atomic);
  case DType::I8:
    return combineInt<int8_t>(target, source, bytes, atomic);
  case DType::I16:
    return combineInt<int16_t>(target, source, bytes, atomic);
  case DType::I32:
    return combineInt<int32_t>(target, source, bytes, atomic);
  case DType::U8:
    return combineInt<uint8_t>(target, source, bytes, atomic);
  case DType::U16:
    return combineInt<uint16_t>(target, source, bytes, atomic);
  case DType::U32:
    return combineInt<uint32_t>(target, source, bytes, atomic);
  default:
    throwBadDType("an atomic store", dtype);
  }
}

void copyIn(const core::Command& c, Space target, core::CoreState& state, GlobalMemory& gm) {
  using F = fields::MTE2_COPY_UB; // the L1 form has the same fields
  uint64_t count = regField<F::count>(c), length = regField<F::length>(c);
  uint64_t stride = regField<F::srcstride>(c), step = regField<F::dststride>(c);
  uint64_t left = regField<F::left>(c), right = regField<F::right>(c);
  uint64_t row = left + length + right;
  if (count == 0 || row == 0)
    return;
  uint8_t* out = onChip(state, target, c.r[F::kDst], (count - 1) * step + row);
  uint64_t source = c.r[F::kSrc], value = c.r[F::kVal];
  unsigned size = 1u << immField<F::size_log2>(c);
  GmRows rows(gm, source, stride, count, length);
  if (row == length && stride == length && step == length) {
    std::memcpy(out, gmSource(gm, source, count * length), count * length);
    return;
  }
  for (uint64_t i = 0; i < count; ++i, out += step) {
    fillPattern(out, left, value, size);
    if (length)
      std::memcpy(out + left, rows.source(i), length);
    fillPattern(out + left + length, right, value, size);
  }
}

void copyOut(const core::Command& c, Space source, core::CoreState& state, GlobalMemory& gm) {
  using F = fields::MTE3_COPY_UB;
  uint64_t count = regField<F::count>(c), length = regField<F::length>(c);
  uint64_t stride = regField<F::dststride>(c), step = regField<F::srcstride>(c);
  if (count == 0 || length == 0)
    return;
  const uint8_t* in = onChip(state, source, c.r[F::kSrc], (count - 1) * step + length);
  uint64_t target = c.r[F::kDst];
  unsigned atomic = immField<F::atomic>(c);
  DType dtype = dtypeField<F::dtype>(c);
  if (stride == length && step == length)
    return combine(gmTarget(gm, target, count * length), in, count * length, dtype, atomic);
  for (uint64_t i = 0; i < count; ++i, in += step)
    combine(gmTarget(gm, target + i * stride, length), in, length, dtype, atomic);
}

void nd2nz(const core::Command& c, core::CoreState& state, GlobalMemory& gm) {
  using F = fields::MTE2_ND2NZ;
  uint64_t rows = regField<F::rows>(c);
  uint64_t bytes = regField<F::cols>(c) * isa::dtypeBytes(dtypeField<F::dtype>(c));
  uint64_t blockStride = regField<F::blockstride>(c);
  if (rows == 0 || bytes == 0)
    return;
  uint64_t blocks = bytes / 32, rest = bytes % 32; // whole column blocks of 32 bytes, and the tail
  uint64_t last = (rows - 1) * 32;
  uint64_t extent = std::max(blocks ? (blocks - 1) * blockStride + last + 32 : 0,
                             rest ? blocks * blockStride + last + rest : 0);
  uint8_t* out = onChip(state, Space::L1, c.r[F::kDst], extent);
  GmRows source(gm, c.r[F::kSrc], regField<F::srcstride>(c), rows, bytes);
  for (uint64_t r = 0; r < rows; ++r, out += 32) {
    const uint8_t* in = source.source(r);
    uint8_t* block = out;
    for (uint64_t b = 0; b < blocks; ++b, in += 32, block += blockStride)
      std::memcpy(block, in, 32);
    std::memcpy(block, in, rest);
  }
}

void fillL1(const core::Command& c, core::CoreState& state) {
  using F = fields::MTE2_FILL_L1;
  uint64_t bytes = regField<F::bytes>(c);
  uint32_t value = static_cast<uint32_t>(c.r[F::kVal]);
  uint8_t* out = onChip(state, Space::L1, c.r[F::kDst], bytes);
  uint64_t i = 0;
  for (; i + 4 <= bytes; i += 4)
    std::memcpy(out + i, &value, 4);
  fillPattern(out + i, bytes - i, value, 4);
}

void gatherRows(const core::Command& c, core::CoreState& state, GlobalMemory& gm) {
  using F = fields::MTE2_GATHER_UB;
  uint64_t count = regField<F::count>(c), length = regField<F::length>(c);
  uint64_t step = regField<F::dststride>(c), stride = regField<F::rowstride>(c);
  if (count == 0 || length == 0)
    return;
  uint8_t* out = onChip(state, Space::UB, c.r[F::kDst], (count - 1) * step + length);
  const uint8_t* indices = onChip(state, Space::UB, c.r[F::kSrc1], count * 4);
  for (uint64_t i = 0; i < count; ++i, out += step) {
    uint32_t index;
    std::memcpy(&index, indices + 4 * i, 4);
    std::memcpy(out, gmSource(gm, c.r[F::kSrc0] + index * stride, length), length);
  }
}

void loadTable(const core::Command& c, Space target, core::CoreState& state) {
  using F = fields::MTE1_LOAD_BT;
  uint64_t bytes = regField<F::bytes>(c);
  uint8_t* out = onChip(state, target, c.r[F::kDst], bytes);
  std::memcpy(out, onChip(state, Space::L1, c.r[F::kSrc], bytes), bytes);
}

} // namespace dlsim::values
