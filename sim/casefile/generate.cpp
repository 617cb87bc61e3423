#include "sim/casefile/generate.h"

#include "sim/values/number.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace dlsim::casefile {

using isa::DType;

std::optional<Init> parseInit(const std::string& text) {
  Init init;
  if (text == "zeros")
    return init;
  if (text == "arange") {
    init.kind = Init::Kind::Arange;
    return init;
  }
  for (auto [word, kind] :
       {std::pair{"normal(", Init::Kind::Normal}, std::pair{"uniform(", Init::Kind::Uniform}}) {
    size_t length = std::strlen(word);
    if (text.compare(0, length, word) != 0 || text.back() != ')')
      continue;
    std::string digits = text.substr(length, text.size() - length - 1);
    if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    init.kind = kind;
    init.seed = std::stoull(digits);
    return init;
  }
  return std::nullopt;
}

uint64_t hashOf(uint64_t element, uint64_t seed) {
  uint64_t z = (element + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

namespace {

// sqrt(3) / 65536: the deviation of the sum of four uniform 16-bit numbers is 65536 / sqrt(3).
constexpr double kNormalScale = 0x1.bb67ae8584caap-16;

double floatValue(const Init& init, uint64_t i, double factor) {
  switch (init.kind) {
  case Init::Kind::Normal: {
    uint64_t z = hashOf(i, init.seed);
    int64_t sum = static_cast<int64_t>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48));
    return static_cast<double>(sum - 131070) * factor;
  }
  case Init::Kind::Uniform:
    return static_cast<double>(static_cast<int64_t>(hashOf(i, init.seed) >> 40) - (1 << 23)) * factor;
  case Init::Kind::Arange:
    return static_cast<double>(i) * factor;
  default:
    return 0.0;
  }
}

double factorOf(const Init& init) {
  if (init.kind == Init::Kind::Normal)
    return kNormalScale * init.scale;
  return init.kind == Init::Kind::Uniform ? 0x1p-23 * init.scale : init.scale;
}

template <class T, class Narrow>
void fillFloats(const Init& init, uint8_t* out, uint64_t count, Narrow narrow) {
  double factor = factorOf(init);
  for (uint64_t i = 0; i < count; ++i) {
    T x = narrow(static_cast<float>(floatValue(init, i, factor)));
    std::memcpy(out + i * sizeof(T), &x, sizeof(T));
  }
}

template <class T> T intValue(const Init& init, uint64_t i, double factor) {
  switch (init.kind) {
  case Init::Kind::Uniform: {
    uint64_t z = hashOf(i, init.seed);
    if (init.low && init.high && *init.high > *init.low)
      return static_cast<T>(static_cast<uint64_t>(*init.low) +
                            z % (static_cast<uint64_t>(*init.high) - static_cast<uint64_t>(*init.low)));
    return static_cast<T>(z >> (64 - 8 * sizeof(T)));
  }
  case Init::Kind::Normal: {
    constexpr int64_t low = std::is_signed_v<T> ? static_cast<int64_t>(std::numeric_limits<T>::min()) : 0;
    constexpr int64_t high = sizeof(T) == 8 ? std::numeric_limits<int64_t>::max()
                                            : static_cast<int64_t>(std::numeric_limits<T>::max());
    double x = 16.0 * floatValue(init, i, factor);
    return static_cast<T>(values::roundToInteger(values::exactOf(x), values::Round::NearestEven, low, high));
  }
  case Init::Kind::Arange:
    return static_cast<T>(
        values::roundToInteger(values::exactOf(static_cast<double>(i) * factor), values::Round::TowardsZero,
                               std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
  default:
    return 0;
  }
}

template <class T> void fillInts(const Init& init, uint8_t* out, uint64_t count) {
  double factor = factorOf(init);
  for (uint64_t i = 0; i < count; ++i) {
    T x = intValue<T>(init, i, factor);
    std::memcpy(out + i * sizeof(T), &x, sizeof(T));
  }
}

} // namespace

std::vector<uint8_t> generate(const Init& init, DType dtype, uint64_t count) {
  std::vector<uint8_t> bytes(count * isa::dtypeBytes(dtype));
  uint8_t* out = bytes.data();
  if (init.kind == Init::Kind::Zeros)
    return bytes;
  switch (dtype) {
  case DType::F16:
    fillFloats<uint16_t>(init, out, count, [](float x) { return values::f32ToF16(x); });
    break;
  case DType::BF16:
    fillFloats<uint16_t>(init, out, count, [](float x) { return values::f32ToBf16(x); });
    break;
  case DType::F32:
  case DType::HF32:
    fillFloats<float>(init, out, count, [](float x) { return x; });
    break;
  case DType::I8:
    fillInts<int8_t>(init, out, count);
    break;
  case DType::I16:
    fillInts<int16_t>(init, out, count);
    break;
  case DType::I32:
    fillInts<int32_t>(init, out, count);
    break;
  case DType::U8:
    fillInts<uint8_t>(init, out, count);
    break;
  case DType::U16:
    fillInts<uint16_t>(init, out, count);
    break;
  case DType::U32:
    fillInts<uint32_t>(init, out, count);
    break;
  case DType::I64:
    fillInts<int64_t>(init, out, count);
    break;
  case DType::U64:
    fillInts<uint64_t>(init, out, count);
    break;
  }
  return bytes;
}

} // namespace dlsim::casefile
