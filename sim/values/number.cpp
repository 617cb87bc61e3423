#include "sim/values/number.h"

#include <algorithm>

namespace dlsim::values {

Exact exactOf(double x) {
  uint64_t bits = bitCast<uint64_t>(x);
  Exact e;
  e.negative = bits >> 63;
  int field = static_cast<int>((bits >> 52) & 0x7ff);
  e.magnitude = bits & ((uint64_t{1} << 52) - 1);
  if (field != 0)
    e.magnitude |= uint64_t{1} << 52;
  e.exponent = (field == 0 ? 1 : field) - 1075;
  return e;
}

Exact exactOf(int64_t x) {
  Exact e;
  e.negative = x < 0;
  e.magnitude = x < 0 ? ~static_cast<uint64_t>(x) + 1 : static_cast<uint64_t>(x);
  return e;
}

namespace {

int highestBit(uint64_t x) { return 63 - __builtin_clzll(x); }

// magnitude / 2^shift rounded to an integer; shift > 0.
uint64_t shiftRounded(uint64_t magnitude, int shift, bool negative, Round mode) {
  uint64_t quotient = shift < 64 ? magnitude >> shift : 0;
  uint64_t rest = shift < 64 ? magnitude & ((uint64_t{1} << shift) - 1) : magnitude;
  // -1, 0, 1: the rest is below, at, above one half.
  int half = shift > 64 ? -1 : 0;
  if (shift <= 64) {
    uint64_t middle = uint64_t{1} << (shift - 1);
    half = rest < middle ? -1 : rest == middle ? 0 : 1;
  }
  bool up = false;
  switch (mode) {
  case Round::NearestEven:
    up = half > 0 || (half == 0 && (quotient & 1));
    break;
  case Round::NearestAway:
    up = half >= 0;
    break;
  case Round::TowardsZero:
    break;
  case Round::Floor:
    up = negative && rest != 0;
    break;
  case Round::Ceil:
    up = !negative && rest != 0;
    break;
  }
  return quotient + up;
}

// The bit pattern without its sign, in a format with `mantissa` stored bits and exponents [lowest, highest].
uint32_t roundToFormat(const Exact& x, Round mode, int mantissa, int lowest, int highest) {
  if (x.magnitude == 0)
    return 0;
  int exponent = std::max(highestBit(x.magnitude) + x.exponent, lowest);
  int shift = exponent - mantissa - x.exponent; // the quantum is 2^(exponent - mantissa)
  uint32_t infinity = static_cast<uint32_t>(highest - lowest + 2) << mantissa;
  if (exponent <= highest) {
    uint64_t n = shift > 0 ? shiftRounded(x.magnitude, shift, x.negative, mode) : x.magnitude << -shift;
    // The hidden bit adds one to the exponent field, and a carry out of the mantissa one more.
    uint32_t bits = (static_cast<uint32_t>(exponent - lowest) << mantissa) + static_cast<uint32_t>(n);
    if (bits < infinity)
      return bits;
  }
  bool toInfinity = mode == Round::NearestEven || mode == Round::NearestAway ||
                    (mode == Round::Floor && x.negative) || (mode == Round::Ceil && !x.negative);
  return toInfinity ? infinity : infinity - 1;
}

} // namespace

float roundToF32(const Exact& x, Round mode) {
  return bitCast<float>(roundToFormat(x, mode, 23, -126, 127) | (x.negative ? 0x80000000u : 0u));
}
uint16_t roundToF16(const Exact& x, Round mode) {
  return static_cast<uint16_t>(roundToFormat(x, mode, 10, -14, 15) | (x.negative ? 0x8000u : 0u));
}
uint16_t roundToBf16(const Exact& x, Round mode) {
  return static_cast<uint16_t>(roundToFormat(x, mode, 7, -126, 127) | (x.negative ? 0x8000u : 0u));
}

int64_t roundToInteger(const Exact& x, Round mode, int64_t low, int64_t high) {
  if (x.magnitude == 0)
    return std::clamp<int64_t>(0, low, high);
  if (highestBit(x.magnitude) + x.exponent >= 63)
    return x.negative ? low : high;
  uint64_t n =
      x.exponent < 0 ? shiftRounded(x.magnitude, -x.exponent, x.negative, mode) : x.magnitude << x.exponent;
  if (n >= uint64_t{1} << 63)
    return x.negative ? low : high;
  int64_t value = x.negative ? -static_cast<int64_t>(n) : static_cast<int64_t>(n);
  return std::clamp(value, low, high);
}

// e^x = 2^n * e^r, |r| <= ln(2)/2, in double: the polynomial's error is below 2^-40, so that the one rounding
// to f32 is all that counts.
float expF32(float x) {
  if (!(x == x))
    return bitCast<float>(kNanF32);
  if (x > 89.0f)
    return bitCast<float>(0x7f800000u);
  if (x < -104.0f)
    return 0.0f;
  double d = x;
  // Adding and subtracting 1.5 * 2^52 rounds to an integer.
  double n = (d * 0x1.71547652b82fep+0 + 0x1.8p52) - 0x1.8p52;
  double r = (d - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  double scale = bitCast<double>(static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52);
  return static_cast<float>(p * scale);
}

// ln(m * 2^e) = e * ln(2) + 2 * atanh(s), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)).
float lnF32(float x) {
  if (!(x == x) || x < 0.0f)
    return bitCast<float>(kNanF32);
  if (x == 0.0f)
    return bitCast<float>(0xff800000u);
  if (bitCast<uint32_t>(x) == 0x7f800000u)
    return x;
  uint64_t bits = bitCast<uint64_t>(static_cast<double>(x)); // subnormals of f32 are normal here
  int64_t exponent = static_cast<int64_t>(bits >> 52) - 1023;
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (mantissa > 0x6a09e667f3bcdull) // above sqrt(2)
    ++exponent, mantissa |= uint64_t{1022} << 52;
  else
    mantissa |= uint64_t{1023} << 52;
  double m = bitCast<double>(mantissa);
  double s = (m - 1.0) / (m + 1.0);
  double t = s * s;
  double p = 1.0 / 19;
  p = p * t + 1.0 / 17;
  p = p * t + 1.0 / 15;
  p = p * t + 1.0 / 13;
  p = p * t + 1.0 / 11;
  p = p * t + 1.0 / 9;
  p = p * t + 1.0 / 7;
  p = p * t + 1.0 / 5;
  p = p * t + 1.0 / 3;
  double atanh2 = 2.0 * s + 2.0 * s * t * p;
  return static_cast<float>(static_cast<double>(exponent) * 0x1.62e42fefa39efp-1 + atanh2);
}

float maxF32(float a, float b) {
  if (!(a == a))
    return canonical(b);
  if (!(b == b))
    return a;
  if (a == b) // equal, or zeros of two signs
    return bitCast<float>(bitCast<uint32_t>(a) & bitCast<uint32_t>(b));
  return a > b ? a : b;
}
float minF32(float a, float b) {
  if (!(a == a))
    return canonical(b);
  if (!(b == b))
    return a;
  if (a == b)
    return bitCast<float>(bitCast<uint32_t>(a) | bitCast<uint32_t>(b));
  return a < b ? a : b;
}

} // namespace dlsim::values
