// v.cast. Every conversion rounds once from the exact source value; integers from floats saturate and a NaN
// gives 0; integers to narrower integers keep the low bits.
#include "sim/values/fields.h"
#include "sim/values/parts.h"
#include "sim/values/vector.h"

#include <cstring>
#include <limits>

namespace dlsim::values {

using isa::Opcode;

namespace {

// A number of any dtype, exactly.
struct Number {
  enum class Kind : uint8_t { Finite, Infinite, Nan } kind = Kind::Finite;
  Exact exact;
};

Number fromFloat(float x) {
  Number n;
  if (!(x == x))
    n.kind = Number::Kind::Nan;
  else if (x - x != 0.0f) {
    n.kind = Number::Kind::Infinite;
    n.exact.negative = x < 0;
  } else
    n.exact = exactOf(static_cast<double>(x));
  return n;
}

template <class T> T element(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

Number read(DType dtype, const uint8_t* bytes) {
  Number n;
  switch (dtype) {
  case DType::F16:
    return fromFloat(f16ToF32(element<uint16_t>(bytes)));
  case DType::BF16:
    return fromFloat(bf16ToF32(element<uint16_t>(bytes)));
  case DType::F32:
    return fromFloat(element<float>(bytes));
  case DType::I8:
    n.exact = exactOf(int64_t{element<int8_t>(bytes)});
    break;
  case DType::U8:
    n.exact = exactOf(int64_t{element<uint8_t>(bytes)});
    break;
  case DType::I16:
    n.exact = exactOf(int64_t{element<int16_t>(bytes)});
    break;
  case DType::I32:
    n.exact = exactOf(int64_t{element<int32_t>(bytes)});
    break;
  default:
    n.exact = exactOf(element<int64_t>(bytes));
    break;
  }
  return n;
}

template <class T> int64_t toInteger(const Number& n, Round mode) {
  constexpr int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  if (n.kind == Number::Kind::Nan)
    return 0;
  if (n.kind == Number::Kind::Infinite)
    return n.exact.negative ? low : high;
  return roundToInteger(n.exact, mode, low, high);
}

template <class T> void put(uint8_t* bytes, T value) { std::memcpy(bytes, &value, sizeof value); }

void writeFloat(DType dtype, const Number& n, Round mode, uint8_t* bytes) {
  uint32_t sign = n.exact.negative;
  bool nan = n.kind == Number::Kind::Nan, infinite = n.kind == Number::Kind::Infinite;
  if (dtype == DType::F16)
    put<uint16_t>(bytes, nan        ? kNanF16
                         : infinite ? static_cast<uint16_t>(0x7c00u | sign << 15)
                                    : roundToF16(n.exact, mode));
  else if (dtype == DType::BF16)
    put<uint16_t>(bytes, nan        ? kNanBF16
                         : infinite ? static_cast<uint16_t>(0x7f80u | sign << 15)
                                    : roundToBf16(n.exact, mode));
  else
    put<float>(bytes, nan        ? bitCast<float>(kNanF32)
                      : infinite ? bitCast<float>(0x7f800000u | sign << 31)
                                 : roundToF32(n.exact, mode));
}

void write(DType dtype, const Number& n, Round mode, uint8_t* bytes) {
  switch (dtype) {
  case DType::I8:
    return put(bytes, static_cast<int8_t>(toInteger<int8_t>(n, mode)));
  case DType::U8:
    return put(bytes, static_cast<uint8_t>(toInteger<uint8_t>(n, mode)));
  case DType::I16:
    return put(bytes, static_cast<int16_t>(toInteger<int16_t>(n, mode)));
  case DType::I32:
    return put(bytes, static_cast<int32_t>(toInteger<int32_t>(n, mode)));
  case DType::I64:
    return put(bytes, toInteger<int64_t>(n, mode));
  default:
    return writeFloat(dtype, n, mode, bytes);
  }
}

bool isFloat(DType t) { return t == DType::F16 || t == DType::BF16 || t == DType::F32; }

// The pairs that the instruction's description lists.
bool exists(DType from, DType to) {
  using D = DType;
  auto pair = [&](D a, D b) { return (from == a && to == b) || (from == b && to == a); };
  return pair(D::F32, D::F16) || pair(D::F32, D::BF16) || pair(D::F32, D::I16) || pair(D::F32, D::I32) ||
         pair(D::F16, D::I8) || pair(D::F16, D::U8) || pair(D::F16, D::I16) || pair(D::F16, D::I32) ||
         pair(D::I32, D::I16) || pair(D::I32, D::I64) || pair(D::F32, D::I64) ||
         (from == D::F32 && to == D::F32);
}

// f32 to an integral f32.
void roundInPlace(const uint8_t* in, Round mode, uint8_t* out) {
  float x = element<float>(in);
  if (!(x - x == 0.0f) ||
      (bitCast<uint32_t>(x) & 0x7fffffffu) >= 0x4b000000u) // not finite, or integral anyway
    return put(out, canonical(x));
  int64_t n = roundToInteger(exactOf(static_cast<double>(x)), mode, std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max());
  uint32_t sign = bitCast<uint32_t>(x) & 0x80000000u;
  put(out, bitCast<float>((bitCast<uint32_t>(static_cast<float>(n)) & 0x7fffffffu) | sign));
}

struct Cast {
  DType from, to;
  Round mode;
};

// Conversions that programs spend their time in, with the host's instructions. False: use the general way.
bool convertFast(const Cast& v, const void* in, void* out, unsigned n) {
  bool nearest = v.mode == Round::NearestEven;
  if (v.from == DType::F16 && v.to == DType::F32)
    f16ToF32(static_cast<const uint16_t*>(in), static_cast<float*>(out), n);
  else if (v.from == DType::BF16 && v.to == DType::F32)
    bf16ToF32(static_cast<const uint16_t*>(in), static_cast<float*>(out), n);
  else if (v.from == DType::F32 && v.to == DType::F16 && nearest)
    f32ToF16(static_cast<const float*>(in), static_cast<uint16_t*>(out), n);
  else if (v.from == DType::F32 && v.to == DType::BF16 && nearest)
    f32ToBf16(static_cast<const float*>(in), static_cast<uint16_t*>(out), n);
  else if (v.from == DType::I32 && v.to == DType::F32 && nearest)
    for (unsigned i = 0; i < n; ++i)
      static_cast<float*>(out)[i] = static_cast<float>(static_cast<const int32_t*>(in)[i]);
  else
    return false;
  return true;
}

void convert(const Cast& v, const void* in, void* out, unsigned n) {
  if (convertFast(v, in, out, n))
    return;
  const uint8_t* source = static_cast<const uint8_t*>(in);
  uint8_t* target = static_cast<uint8_t*>(out);
  unsigned from = isa::dtypeBytes(v.from), to = isa::dtypeBytes(v.to);
  bool narrowing = !isFloat(v.from) && !isFloat(v.to) && to <= from;
  for (unsigned i = 0; i < n; ++i, source += from, target += to) {
    if (narrowing)
      std::memcpy(target, source, to); // little endian: the low bits come first
    else if (v.from == DType::F32 && v.to == DType::F32)
      roundInPlace(source, v.mode, target);
    else
      write(v.to, read(v.from, source), v.mode, target);
  }
}

} // namespace

bool vectorCast(const core::Command& c, core::CoreState& state) {
  if (c.op != Opcode::V_CAST)
    return false;
  using F = fields::V_CAST;
  uint32_t mode = immField<F::round>(c);
  Cast v{dtypeField<F::from>(c), dtypeField<F::to>(c), static_cast<Round>(mode)};
  if (!exists(v.from, v.to))
    throwBadOperand("v.cast has no conversion from " + std::string(isa::dtypeName(v.from)) + " to " +
                    std::string(isa::dtypeName(v.to)));
  if (mode > static_cast<uint32_t>(Round::NearestAway))
    throwBadOperand("v.cast with rounding mode " + std::to_string(mode));
  unsigned from = isa::dtypeBytes(v.from), to = isa::dtypeBytes(v.to);
  Strides s(c.r[2]);
  Side target(c.r[0], to, s, 0), source(c.r[1], from, s, 1);
  Walk walk(state, kRepeatBytes / std::max(from, to), s.repeats());
  walk.target(target);
  walk.source(source);
  walk.forEach([&](const Chunk& chunk) {
    alignas(8) uint8_t in[kChunk * 8];
    alignas(8) uint8_t out[kChunk * 8];
    walk.load(source, chunk, in);
    convert(v, in, out, chunk.count);
    walk.store(target, chunk, out);
  });
  return true;
}

} // namespace dlsim::values
