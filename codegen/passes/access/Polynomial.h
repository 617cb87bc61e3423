// Integer polynomials over scalar values of the program: the normal form of address arithmetic. Two addresses
// are equal when their polynomials are, which is how a loop-carried pointer is recognised as keeping its
// strides.
#pragma once
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>
#include <vector>

namespace dlsim::access {
class Polynomial {
public:
  using Monomial =
      std::vector<unsigned>; // sorted numbers of its factors (see Leaves); empty: the constant term
  Polynomial() = default;
  Polynomial(int64_t constant) {
    if (constant)
      terms[{}] = constant;
  }
  static Polynomial leaf(unsigned number) {
    Polynomial result;
    result.terms[{number}] = 1;
    return result;
  }
  std::optional<int64_t> constant() const;
  bool isZero() const { return terms.empty(); }
  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator-(const Polynomial& other) const { return *this + other * Polynomial(-1); }
  Polynomial operator*(const Polynomial& other) const;
  bool operator==(const Polynomial& other) const { return terms == other.terms; }
  std::map<Monomial, int64_t> terms; // no zero coefficients
};

// Numbers values in the order in which the analysis meets them, so that generated code is the same on every
// run.
class Leaves {
public:
  unsigned number(mlir::Value value) {
    auto [entry, fresh] = numbers.insert({value, unsigned(values.size())});
    if (fresh)
      values.push_back(value);
    return entry->second;
  }
  mlir::Value value(unsigned number) const { return values[number]; }
  // From now on the number of `from` stands for `to`.
  void replace(mlir::Value from, mlir::Value to) {
    if (auto entry = numbers.find(from); entry != numbers.end()) {
      unsigned number = entry->second;
      numbers[to] = number;
      values[number] = to;
    }
  }

private:
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::vector<mlir::Value> values;
};
} // namespace dlsim::access
