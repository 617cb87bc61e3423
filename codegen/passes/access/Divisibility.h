// What is known to divide a value: from tt.divisibility of the arguments.
#pragma once
#include "codegen/passes/access/Analysis.h"

namespace dlsim::access {

class Divisibility {
public:
  explicit Divisibility(Analysis& analysis) : analysis(analysis) {}
  // The largest number known to divide it; 0 if the value is 0.
  int64_t of(mlir::Value value, int depth = 0);
  int64_t of(const Polynomial& polynomial, int depth = 0);

private:
  int64_t ofArgument(mlir::BlockArgument arg, int depth);
  Analysis& analysis;
};

} // namespace dlsim::access
