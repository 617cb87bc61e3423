// Number formats and the elementary functions of the ISA. Nothing here depends on libm, on contraction or on
// the host's vector width. A NaN result is always the canonical quiet NaN (positive, payload zero), because
// hosts differ in the payloads that they propagate.
#pragma once

#include "isa/tables/tables.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dlsim::values {

using isa::DType;

// Rounding modes of v.cast.
enum class Round : uint8_t { NearestEven, TowardsZero, Floor, Ceil, NearestAway };

template <class To, class From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

inline constexpr uint32_t kNanF32 = 0x7fc00000u;
inline constexpr uint16_t kNanF16 = 0x7e00u;
inline constexpr uint16_t kNanBF16 = 0x7fc0u;

inline float canonical(float x) { return x == x ? x : bitCast<float>(kNanF32); }

// ---- Single conversions -----------------------------------------------------------------------------------
inline float f16ToF32(uint16_t h) {
  uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  uint32_t magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u)
    return magnitude == 0x7c00u ? bitCast<float>(sign | 0x7f800000u) : bitCast<float>(kNanF32);
  // Exact: a normal or subnormal f16 pattern, moved up, is the value times 2^-112.
  return bitCast<float>(bitCast<uint32_t>(bitCast<float>(magnitude << 13) * 0x1p112f) | sign);
}
inline float bf16ToF32(uint16_t b) { return canonical(bitCast<float>(static_cast<uint32_t>(b) << 16)); }

// To nearest even.
inline uint16_t f32ToF16(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return kNanF16;
  uint32_t result;
  if (magnitude < 0x38800000u) // below 2^-14: adding 0.5 puts the f16 quantum at the sum's last place
    result = bitCast<uint32_t>(bitCast<float>(magnitude) + 0.5f) - 0x3f000000u;
  else {
    result = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    if (result > 0x7c00u)
      result = 0x7c00u;
  }
  return static_cast<uint16_t>(result | sign);
}
inline uint16_t f32ToBf16(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return kNanBF16;
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
// f32 rounded to 11 significant bits (to nearest even), infinities kept.
inline float toHf32(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u)
    return canonical(x);
  return bitCast<float>((bits + 0xfffu + ((bits >> 13) & 1u)) & 0xffffe000u);
}

// A finite non-zero number as sign * magnitude * 2^exponent, exactly.
struct Exact {
  bool negative = false;
  uint64_t magnitude = 0; // zero for zero
  int exponent = 0;
};
Exact exactOf(double x); // x finite
Exact exactOf(int64_t x);

// Any rounding mode; overflow follows the mode (infinity or the largest finite number).
float roundToF32(const Exact& x, Round mode);
uint16_t roundToF16(const Exact& x, Round mode);
uint16_t roundToBf16(const Exact& x, Round mode);
// Rounded to an integer and clamped to [low, high].
int64_t roundToInteger(const Exact& x, Round mode, int64_t low, int64_t high);

// ---- Elementary functions ---------------------------------------------------------------------------------
float expF32(float x); // at most 1 ulp
float lnF32(float x);  // at most 1 ulp
// A NaN operand yields the other one; +0 is above -0.
float maxF32(float a, float b);
float minF32(float a, float b);

// ---- Bulk conversions, dispatched to the host's conversion instructions
// ------------------------------------
void f16ToF32(const uint16_t* source, float* target, size_t count);
void f32ToF16(const float* source, uint16_t* target, size_t count);
void bf16ToF32(const uint16_t* source, float* target, size_t count);
void f32ToBf16(const float* source, uint16_t* target, size_t count);

} // namespace dlsim::values
