// Outputs against expected ones.
//
// An element of a float tensor is right when |got - expected| <= tolerance * the largest finite magnitude of
// its expected row (the last dimension); equal values, equal infinities and two NaNs are right always.
// Integers must be equal.
#pragma once

#include "isa/tables/tables.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlsim::casefile {

struct Difference {
  uint64_t elements = 0;
  uint64_t mismatches = 0;
  double max_abs = 0; // over all elements; infinite when a NaN or an infinity is on one side only
  double max_rel = 0; // relative to the row's largest magnitude
  double tolerance = 0;
  // The first mismatch in row-major order.
  std::vector<uint64_t> index;
  std::string got, expected;

  bool ok() const { return mismatches == 0; }
};

double defaultTolerance(isa::DType dtype); // f32 2e-5, f16 2e-3, bf16 1.6e-2, integers 0

Difference compare(isa::DType dtype, const std::vector<uint64_t>& shape, const uint8_t* got,
                   const uint8_t* expected, double tolerance);

} // namespace dlsim::casefile
