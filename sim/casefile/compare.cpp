#include "sim/casefile/compare.h"

#include "sim/casefile/array.h"
#include "sim/values/number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace dlsim::casefile {

using isa::DType;

namespace {

template <class T> T element(const uint8_t* bytes, uint64_t i) {
  T x;
  std::memcpy(&x, bytes + i * sizeof(T), sizeof(T));
  return x;
}

bool isFloat(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32 || dtype == DType::HF32;
}

double floatAt(DType dtype, const uint8_t* bytes, uint64_t i) {
  switch (dtype) {
  case DType::F16:
    return static_cast<double>(values::f16ToF32(element<uint16_t>(bytes, i)));
  case DType::BF16:
    return static_cast<double>(values::bf16ToF32(element<uint16_t>(bytes, i)));
  default:
    return static_cast<double>(element<float>(bytes, i));
  }
}

// As a signed 128-bit number, so that u64 and i64 both fit.
__int128 intAt(DType dtype, const uint8_t* bytes, uint64_t i) {
  switch (dtype) {
  case DType::I8:
    return element<int8_t>(bytes, i);
  case DType::U8:
    return element<uint8_t>(bytes, i);
  case DType::I16:
    return element<int16_t>(bytes, i);
  case DType::U16:
    return element<uint16_t>(bytes, i);
  case DType::I32:
    return element<int32_t>(bytes, i);
  case DType::U32:
    return element<uint32_t>(bytes, i);
  case DType::I64:
    return element<int64_t>(bytes, i);
  default:
    return element<uint64_t>(bytes, i);
  }
}

std::string text(DType dtype, const uint8_t* bytes, uint64_t i) {
  if (!isFloat(dtype))
    return dtype == DType::U64 ? std::to_string(element<uint64_t>(bytes, i))
                               : std::to_string(static_cast<int64_t>(intAt(dtype, bytes, i)));
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", floatAt(dtype, bytes, i));
  return buffer;
}

// Row-major number to index.
std::vector<uint64_t> unflatten(uint64_t number, const std::vector<uint64_t>& shape) {
  std::vector<uint64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = number % shape[d];
    number /= shape[d];
  }
  return index;
}

void mismatch(Difference& d, DType dtype, const std::vector<uint64_t>& shape, const uint8_t* got,
              const uint8_t* expected, uint64_t i) {
  if (d.mismatches++)
    return;
  d.index = unflatten(i, shape);
  d.got = text(dtype, got, i);
  d.expected = text(dtype, expected, i);
}

} // namespace

double defaultTolerance(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return 2e-3;
  case DType::BF16:
    return 1.6e-2;
  case DType::F32:
  case DType::HF32:
    return 2e-5; // the looser of the two for exp, rsqrt and long sums
  default:
    return 0;
  }
}

Difference compare(DType dtype, const std::vector<uint64_t>& shape, const uint8_t* got,
                   const uint8_t* expected, double tolerance) {
  Difference d;
  d.elements = elementCount(shape);
  d.tolerance = tolerance;
  uint64_t width = shape.empty() ? 1 : shape.back();
  for (uint64_t row = 0; row < d.elements; row += width) {
    double largest = 0;
    if (isFloat(dtype))
      for (uint64_t i = row; i < row + width; ++i)
        if (double x = std::fabs(floatAt(dtype, expected, i)); std::isfinite(x))
          largest = std::max(largest, x);
    for (uint64_t i = row; i < row + width; ++i) {
      if (!isFloat(dtype)) {
        __int128 error = intAt(dtype, got, i) - intAt(dtype, expected, i);
        d.max_abs = std::max(d.max_abs, std::fabs(static_cast<double>(error)));
        if (error != 0)
          mismatch(d, dtype, shape, got, expected, i);
        continue;
      }
      double a = floatAt(dtype, got, i), b = floatAt(dtype, expected, i);
      if (a == b || (std::isnan(a) && std::isnan(b)))
        continue;
      double error = std::fabs(a - b);
      if (!std::isfinite(error))
        error = std::numeric_limits<double>::infinity();
      d.max_abs = std::max(d.max_abs, error);
      d.max_rel =
          std::max(d.max_rel, largest > 0 ? error / largest : std::numeric_limits<double>::infinity());
      if (!(error <= tolerance * largest))
        mismatch(d, dtype, shape, got, expected, i);
    }
  }
  return d;
}

} // namespace dlsim::casefile
