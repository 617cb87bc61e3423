#include "codegen/passes/access/Polynomial.h"
#include <algorithm>

namespace dlsim::access {
std::optional<int64_t> Polynomial::constant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial result = *this;
  for (auto& [monomial, coefficient] : other.terms)
    if ((result.terms[monomial] += coefficient) == 0)
      result.terms.erase(monomial);
  return result;
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial result;
  for (auto& [a, ca] : terms)
    for (auto& [b, cb] : other.terms) {
      Monomial product(a.size() + b.size());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), product.begin());
      if ((result.terms[product] += ca * cb) == 0)
        result.terms.erase(product);
    }
  return result;
}
} // namespace dlsim::access
