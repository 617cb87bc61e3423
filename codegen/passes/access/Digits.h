// Where the elements of a tile lie, by the digits of their numbers: quotients and remainders by constants
// that divide the tile's dimensions cut these into more dimensions, each with a stride of its own.
#pragma once
#include "codegen/dialects/dl/DlDialect.h"
#include "codegen/passes/access/Analysis.h"

namespace dlsim::access {

using Digit = dl::PickDigit;

// Element `number` (row by row) of a tile lies at base + the sum of its digits, which are in ascending order
// and cover every number.
struct Digits {
  Polynomial base;
  llvm::SmallVector<Digit> digits;
  // The least of the digits' sums, and how many places there are from there to the greatest.
  int64_t lowest() const;
  int64_t extent() const;
  // The element that lies at each place from `lowest` on, as digits of the place; nothing if some place has
  // no element or several.
  std::optional<Digits> inverse() const;
};

// Nothing if strides, or divisors, are no constants or divisors do not divide what they cut.
std::optional<Digits> digitsOf(Analysis& analysis, const Index& index, llvm::ArrayRef<int64_t> shape);

// The same digits, cut wherever one of them begins and at `boundary`, a divisor of the tile's elements.
std::optional<llvm::SmallVector<Digit>> cut(llvm::ArrayRef<Digit> digits, int64_t elements,
                                            int64_t boundary = 1);

} // namespace dlsim::access
