#include "sim/core/scalar.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace dlsim::core {

namespace {

using isa::Opcode;

constexpr uint32_t kQuietNaN = 0x7fc00000u;

float asFloat(uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  float f;
  std::memcpy(&f, &low, sizeof f);
  return f;
}

uint64_t asBits(float f) {
  if (std::isnan(f))
    return kQuietNaN;
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

int64_t divSigned(int64_t a, int64_t b) {
  if (b == 0)
    return -1;
  if (b == -1)
    return static_cast<int64_t>(0 - static_cast<uint64_t>(a)); // also the overflow case: gives a
  return a / b;
}

int64_t remSigned(int64_t a, int64_t b) {
  if (b == 0)
    return a;
  return b == -1 ? 0 : a % b;
}

float minFloat(float a, float b, bool wantMax) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b) // zeros: -0 is the smaller one
    return std::signbit(a) != wantMax ? a : b;
  return (a < b) != wantMax ? a : b;
}

// Exponents are small enough to compare exactly in f32: 2^63 and 2^64 are representable.
int64_t toSigned(float f) {
  if (std::isnan(f))
    return 0;
  if (f >= 9223372036854775808.0f)
    return std::numeric_limits<int64_t>::max();
  if (f < -9223372036854775808.0f)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(f);
}

uint64_t toUnsigned(float f) {
  if (std::isnan(f) || f <= 0.0f)
    return 0;
  if (f >= 18446744073709551616.0f)
    return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(f);
}

int64_t s(uint64_t v) { return static_cast<int64_t>(v); }
uint64_t u(int64_t v) { return static_cast<uint64_t>(v); }
uint64_t mulHigh(int64_t a, int64_t b) { return static_cast<uint64_t>(static_cast<__int128>(a) * b >> 64); }
uint64_t mulHighU(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}

uint64_t evaluateInteger(Opcode op, uint64_t a, uint64_t b) {
  switch (op) {
  case Opcode::ADD:
  case Opcode::ADDI:
    return a + b;
  case Opcode::SUB:
    return a - b;
  case Opcode::MUL:
  case Opcode::MULI:
    return a * b;
  case Opcode::MULH:
    return mulHigh(s(a), s(b));
  case Opcode::MULHU:
    return mulHighU(a, b);
  case Opcode::DIV:
    return u(divSigned(s(a), s(b)));
  case Opcode::DIVU:
    return b ? a / b : ~uint64_t{0};
  case Opcode::REM:
    return u(remSigned(s(a), s(b)));
  case Opcode::REMU:
    return b ? a % b : a;
  case Opcode::AND:
  case Opcode::ANDI:
    return a & b;
  case Opcode::OR:
  case Opcode::ORI:
    return a | b;
  case Opcode::XOR:
  case Opcode::XORI:
    return a ^ b;
  case Opcode::SHL:
  case Opcode::SHLI:
    return a << (b & 63);
  case Opcode::SHR:
  case Opcode::SHRI:
    return a >> (b & 63);
  case Opcode::SAR:
  case Opcode::SARI:
    return u(s(a) >> (b & 63));
  case Opcode::MIN:
    return s(a) < s(b) ? a : b;
  case Opcode::MAX:
    return s(a) > s(b) ? a : b;
  case Opcode::MINU:
    return a < b ? a : b;
  case Opcode::MAXU:
    return a > b ? a : b;
  case Opcode::SEQ:
  case Opcode::SEQI:
    return a == b;
  case Opcode::SNE:
  case Opcode::SNEI:
    return a != b;
  case Opcode::SLT:
  case Opcode::SLTI:
    return s(a) < s(b);
  case Opcode::SLE:
    return s(a) <= s(b);
  case Opcode::SLTU:
    return a < b;
  case Opcode::SLEU:
    return a <= b;
  case Opcode::SXTB:
    return u(static_cast<int8_t>(a));
  case Opcode::SXTH:
    return u(static_cast<int16_t>(a));
  case Opcode::SXTW:
    return u(static_cast<int32_t>(a));
  case Opcode::ZXTW:
    return static_cast<uint32_t>(a);
  default:
    return 0;
  }
}

uint64_t evaluateFloat(Opcode op, uint64_t a, uint64_t b) {
  const float x = asFloat(a), y = asFloat(b);
  switch (op) {
  case Opcode::FADD:
    return asBits(x + y);
  case Opcode::FSUB:
    return asBits(x - y);
  case Opcode::FMUL:
    return asBits(x * y);
  case Opcode::FDIV:
    return asBits(x / y);
  case Opcode::FMIN:
    return asBits(minFloat(x, y, false));
  case Opcode::FMAX:
    return asBits(minFloat(x, y, true));
  case Opcode::FSQRT:
    return asBits(std::sqrt(x));
  case Opcode::FNEG:
    return static_cast<uint32_t>(a) ^ 0x80000000u;
  case Opcode::FABS:
    return static_cast<uint32_t>(a) & 0x7fffffffu;
  case Opcode::FEQ:
    return x == y;
  case Opcode::FLT:
    return x < y;
  case Opcode::FLE:
    return x <= y;
  case Opcode::FUNO:
    return std::isnan(x) || std::isnan(y);
  case Opcode::CVTSW:
    return asBits(static_cast<float>(s(a)));
  case Opcode::CVTSU:
    return asBits(static_cast<float>(a));
  case Opcode::CVTWS:
    return u(toSigned(x));
  case Opcode::CVTUS:
    return toUnsigned(x);
  case Opcode::CVTSH:
    return floatFromHalf(static_cast<uint16_t>(a));
  case Opcode::CVTHS:
    return halfFromFloat(static_cast<uint32_t>(a));
  case Opcode::CVTSB:
    return asBits(asFloat((a & 0xffff) << 16));
  case Opcode::CVTBS:
    return bfloatFromFloat(static_cast<uint32_t>(a));
  default:
    return 0;
  }
}

} // namespace

uint16_t halfFromFloat(uint32_t bits) {
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7e00; // NaN
  if (magnitude >= 0x47800000)
    return sign | 0x7c00; // 65536 and more
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent < -25)
    return sign;
  // The significand with its hidden bit, shifted to half precision; subnormal halves shift further.
  const uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  const int shift = exponent < -14 ? 13 - 14 - exponent : 13;
  const uint32_t kept = significand >> shift, rest = significand & ((1u << shift) - 1),
                 half = 1u << (shift - 1);
  const uint32_t rounded = kept + (rest > half || (rest == half && (kept & 1)));
  // A carry out of the significand increments the exponent field, up to infinity.
  const uint32_t base = exponent < -14 ? 0 : static_cast<uint32_t>(exponent + 14) << 10;
  return static_cast<uint16_t>(sign | (base + rounded));
}

uint32_t floatFromHalf(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return fraction ? kQuietNaN : sign | 0x7f800000;
  if (exponent)
    return sign | (exponent + 112) << 23 | fraction << 13;
  if (!fraction)
    return sign;
  const int lead = 31 - __builtin_clz(fraction); // value = fraction * 2^-24
  return sign | static_cast<uint32_t>(lead + 103) << 23 | (fraction << (23 - lead) & 0x7fffff);
}

uint16_t bfloatFromFloat(uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint64_t evaluateScalar(Opcode op, uint64_t a, uint64_t b, uint64_t c, int64_t imm) {
  const isa::InstrInfo& info = isa::info(op);
  switch (op) {
  case Opcode::LI:
    return u(imm);
  case Opcode::LIH:
    return (a & 0xffffffffu) | u(imm) << 32;
  case Opcode::MOV:
    return a;
  case Opcode::SEL:
    return a ? b : c;
  default:
    break;
  }
  if (op >= Opcode::FADD)
    return evaluateFloat(op, a, b);
  return evaluateInteger(op, a, info.immKind == isa::ImmKind::S24 ? u(imm) : b);
}

} // namespace dlsim::core
