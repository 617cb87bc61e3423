// The fixpipe: L0C to global memory (row-major) or to L1 (Nz), with scale, relu and cast.
//
// An i32 source that is neither scaled nor cast to a float stays an integer (i8, i16, u8 saturate); otherwise
// it becomes f32 first, to nearest even. Floats become integers to nearest even, saturating; a NaN gives 0.
#include "sim/values/fields.h"
#include "sim/values/parts.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace dlsim::values {

using core::Space;

namespace {

constexpr uint64_t kPiece = 16; // columns that are contiguous in L0C, and the unit of conversion

struct Conversion {
  DType dtype;
  unsigned size;
  bool relu, scaled, fromInt;
  float scale;
};

template <class F> Conversion conversion(const core::Command& c) {
  Conversion v{};
  v.dtype = dtypeField<typename F::dtype>(c);
  v.size = isa::dtypeBytes(v.dtype);
  v.relu = immField<typename F::relu>(c);
  v.scaled = immField<typename F::scale>(c);
  v.fromInt = immField<typename F::source>(c);
  v.scale = bitCast<float>(static_cast<uint32_t>(c.r[F::kVal]));
  switch (v.dtype) {
  case DType::F16:
  case DType::BF16:
  case DType::F32:
  case DType::I8:
  case DType::U8:
  case DType::I16:
  case DType::I32:
    return v;
  default:
    throwBadDType("the fixpipe", v.dtype);
  }
}

template <class T> void storeInts(const int64_t* values, uint64_t count, uint8_t* out) {
  for (uint64_t i = 0; i < count; ++i) {
    int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    T x = static_cast<T>(std::clamp(values[i], low, high));
    std::memcpy(out + i * sizeof(T), &x, sizeof(T));
  }
}

void storeInts(const int64_t* values, uint64_t count, DType dtype, uint8_t* out) {
  switch (dtype) {
  case DType::I8:
    return storeInts<int8_t>(values, count, out);
  case DType::U8:
    return storeInts<uint8_t>(values, count, out);
  case DType::I16:
    return storeInts<int16_t>(values, count, out);
  default:
    return storeInts<int32_t>(values, count, out);
  }
}

bool isFloat(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32; }

// Up to 16 neighbouring elements.
void convert(const Conversion& v, const uint8_t* in, uint64_t count, uint8_t* out) {
  float x[kPiece];
  int64_t ints[kPiece];
  if (v.fromInt) {
    int32_t raw[kPiece];
    std::memcpy(raw, in, count * 4);
    for (uint64_t i = 0; i < count; ++i) {
      x[i] = static_cast<float>(raw[i]);
      ints[i] = v.relu ? std::max(raw[i], 0) : raw[i];
    }
    if (!v.scaled && !isFloat(v.dtype))
      return storeInts(ints, count, v.dtype, out);
  } else {
    std::memcpy(x, in, count * 4);
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (v.scaled)
      x[i] = x[i] * v.scale;
    x[i] = v.relu ? maxF32(x[i], 0.0f) : canonical(x[i]);
  }
  if (v.dtype == DType::F32) {
    std::memcpy(out, x, count * 4);
    return;
  }
  if (isFloat(v.dtype)) {
    uint16_t half[kPiece];
    v.dtype == DType::F16 ? f32ToF16(x, half, count) : f32ToBf16(x, half, count);
    std::memcpy(out, half, count * 2);
    return;
  }
  for (uint64_t i = 0; i < count; ++i) {
    constexpr int64_t low = std::numeric_limits<int32_t>::min(), high = std::numeric_limits<int32_t>::max();
    bool finite = x[i] - x[i] == 0.0f;
    ints[i] = finite     ? roundToInteger(exactOf(static_cast<double>(x[i])), Round::NearestEven, low, high)
              : x[i] > 0 ? high
              : x[i] < 0 ? low
                         : 0;
  }
  storeInts(ints, count, v.dtype, out);
}

// L0C of an m x n tile with blockStride bytes between 16-column blocks.
const uint8_t* sourceTile(core::CoreState& state, uint64_t address, uint64_t m, uint64_t n,
                          uint64_t blockStride) {
  uint64_t whole = (n - 1) / kPiece, last = (m - 1) * 64;
  uint64_t extent = whole * blockStride + last + ((n - 1) % kPiece + 1) * 4;
  if (whole)
    extent = std::max(extent, (whole - 1) * blockStride + last + 64);
  return onChip(state, Space::L0C, address, extent);
}

} // namespace

void fixToGm(const core::Command& c, core::CoreState& state, GlobalMemory& gm) {
  using F = fields::FIX_GM;
  uint64_t m = regField<F::m>(c), n = regField<F::n>(c);
  if (m == 0 || n == 0)
    return;
  Conversion v = conversion<F>(c);
  uint64_t blockStride = regField<F::blockstride>(c), stride = regField<F::dststride>(c);
  unsigned atomic = immField<F::atomic>(c);
  const uint8_t* in = sourceTile(state, c.r[F::kSrc], m, n, blockStride);
  for (uint64_t r = 0; r < m; ++r) {
    uint8_t* out = gmTarget(gm, c.r[F::kDst] + r * stride, n * v.size);
    for (uint64_t j = 0; j < n; j += kPiece) {
      uint64_t count = std::min(kPiece, n - j);
      const uint8_t* piece = in + j / kPiece * blockStride + r * 64;
      if (atomic == 0) {
        convert(v, piece, count, out + j * v.size);
        continue;
      }
      uint8_t local[kPiece * 4];
      convert(v, piece, count, local);
      combine(out + j * v.size, local, count * v.size, v.dtype, atomic);
    }
  }
}

void fixToL1(const core::Command& c, core::CoreState& state) {
  using F = fields::FIX_L1;
  uint64_t m = regField<F::m>(c), n = regField<F::n>(c);
  if (m == 0 || n == 0)
    return;
  Conversion v = conversion<F>(c);
  uint64_t blockStride = regField<F::blockstride>(c), step = regField<F::dstblockstride>(c);
  const uint8_t* in = sourceTile(state, c.r[F::kSrc], m, n, blockStride);
  uint64_t c0 = 32 / v.size, whole = (n - 1) / c0, last = (m - 1) * 32;
  uint64_t extent = whole * step + last + ((n - 1) % c0 + 1) * v.size;
  if (whole)
    extent = std::max(extent, (whole - 1) * step + last + 32);
  uint8_t* out = onChip(state, Space::L1, c.r[F::kDst], extent);
  for (uint64_t j = 0; j < n; j += kPiece)
    for (uint64_t r = 0; r < m; ++r) {
      uint64_t count = std::min(kPiece, n - j);
      uint8_t local[kPiece * 4];
      convert(v, in + j / kPiece * blockStride + r * 64, count, local);
      for (uint64_t i = 0; i < count;) { // a piece is a part, one or several of the target's column blocks
        uint64_t column = j + i, run = std::min(c0 - column % c0, count - i);
        std::memcpy(out + column / c0 * step + r * 32 + column % c0 * v.size, local + i * v.size,
                    run * v.size);
        i += run;
      }
    }
}

} // namespace dlsim::values
