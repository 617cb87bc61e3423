// Generated inputs: the same bits in C++ and in Python (experiments/runner/generate.py).
//
// Element i (row-major number) of a tensor with seed s comes from the 64-bit hash
//   z = (i + 1) * 0x9E3779B97F4A7C15 + s * 0xD1B54A32D192ED03        (mod 2^64)
//   z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB;  z = z ^ z >> 31.
// Floats are computed in double, rounded to f32 and from there to f16 or bf16, to nearest even:
//   uniform: ((z >> 40) - 2^23) * 2^-23 * scale, in [-1, 1)
//   normal:  (sum of the four 16-bit parts of z - 131070) * (sqrt(3) / 65536 * scale): mean 0, deviation 1,
//   within 3.5 arange:  i * scale
// Integers:
//   uniform: the top bits of z; with low and high: low + z mod (high - low)
//   normal:  16 times the float value, rounded to nearest even, clamped to the dtype
//   arange:  i * scale, truncated, low bits
#pragma once

#include "isa/tables/tables.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlsim::casefile {

struct Init {
  enum class Kind : uint8_t { Normal, Uniform, Arange, Zeros } kind = Kind::Zeros;
  uint64_t seed = 0;
  double scale = 1.0;
  std::optional<int64_t> low, high;
};

// "normal(7)", "uniform(3)", "arange", "zeros"; nothing for any other text.
std::optional<Init> parseInit(const std::string& text);

uint64_t hashOf(uint64_t element, uint64_t seed);
std::vector<uint8_t> generate(const Init& init, isa::DType dtype, uint64_t count);

} // namespace dlsim::casefile
