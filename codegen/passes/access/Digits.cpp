#include "codegen/passes/access/Digits.h"
#include "codegen/passes/access/Pieces.h"

#include <set>

using namespace mlir;

namespace dlsim::access {

int64_t Digits::lowest() const {
  int64_t sum = 0;
  for (const Digit& digit : digits)
    sum += std::min<int64_t>(0, digit.stride * (digit.size - 1));
  return sum;
}

int64_t Digits::extent() const {
  int64_t places = 1;
  for (const Digit& digit : digits)
    places += std::abs(digit.stride) * (digit.size - 1);
  return places;
}

std::optional<Digits> Digits::inverse() const {
  SmallVector<Digit> sorted(digits);
  llvm::sort(sorted, [](const Digit& a, const Digit& b) { return std::abs(a.stride) < std::abs(b.stride); });
  Digits result;
  int64_t places = 1, first = 0;
  for (const Digit& digit : sorted) {
    if (digit.size == 1)
      continue;
    if (std::abs(digit.stride) != places)
      return std::nullopt;
    bool down = digit.stride < 0;
    result.digits.push_back({places, digit.size, down ? -digit.divisor : digit.divisor});
    first += down ? digit.divisor * (digit.size - 1) : 0;
    places *= digit.size;
  }
  result.base = first;
  return result;
}

std::optional<SmallVector<Digit>> cut(ArrayRef<Digit> digits, int64_t elements, int64_t boundary) {
  std::set<int64_t> begins{1, boundary, elements};
  for (const Digit& digit : digits) {
    begins.insert(digit.divisor);
    begins.insert(digit.divisor * digit.size);
  }
  SmallVector<Digit> result;
  for (auto begin = begins.begin(); *begin != elements; ++begin) {
    int64_t end = *std::next(begin);
    if (end % *begin != 0 || end > elements)
      return std::nullopt;
    Digit part{*begin, end / *begin, 0};
    for (const Digit& digit : digits)
      if (digit.divisor <= *begin && *begin < digit.divisor * digit.size)
        part.stride += digit.stride * (*begin / digit.divisor);
    result.push_back(part);
  }
  return result;
}

namespace {

class Reader {
public:
  Reader(Analysis& analysis, ArrayRef<int64_t> shape) : analysis(analysis), shape(shape) {
    for (int64_t size : shape)
      elements *= size;
  }

  // `dims`: the tile's dimension of each of the index, none for those of one element.
  std::optional<Digits> read(Index index, ArrayRef<std::optional<unsigned>> dims) {
    for (unsigned d = 0; d < dims.size(); ++d)
      index.unwrap(d);
    Digits sum{index.base, {}};
    for (auto [dim, to] : llvm::zip_equal(index.dims, dims)) {
      auto stride = dim.coefficient.constant();
      if (!stride)
        return std::nullopt;
      if (to && *stride != 0)
        sum.digits.push_back(whole(*to, *stride));
    }
    for (const Atom& atom : index.atoms) {
      auto factor = atom.coefficient.constant();
      auto part = factor ? read(atom, dims) : std::nullopt;
      if (!part)
        return std::nullopt;
      sum.base = sum.base + part->base * atom.coefficient;
      for (Digit digit : part->digits)
        sum.digits.push_back({digit.divisor, digit.size, digit.stride * *factor});
    }
    auto digits = cut(sum.digits, elements);
    if (!digits)
      return std::nullopt;
    sum.digits = *digits;
    return sum;
  }

private:
  Digit whole(unsigned dim, int64_t stride) const {
    int64_t divisor = 1;
    for (int64_t size : shape.drop_front(dim + 1))
      divisor *= size;
    return {divisor, shape[dim], stride};
  }

  // A quotient or a remainder.
  std::optional<Digits> read(const Atom& atom, ArrayRef<std::optional<unsigned>> dims) {
    Operation* op = atom.tensor.getDefiningOp();
    StepKind kind = op ? stepKind(analysis, op) : StepKind::None;
    if (kind == StepKind::None)
      return std::nullopt;
    auto rhs = constantOf(analysis, op->getOperand(1));
    auto operand = analysis.index(op->getOperand(0));
    if (!rhs || !operand)
      return std::nullopt;
    int64_t divisor = isa<arith::AndIOp>(op)                    ? *rhs + 1
                      : isa<arith::ShRSIOp, arith::ShRUIOp>(op) ? int64_t(1) << *rhs
                                                                : *rhs;
    SmallVector<std::optional<unsigned>> own(operand->dims.size());
    for (auto [from, to] : atom.lanes)
      own[from] = dims[to];
    auto value = read(*operand, own);
    if (!value || divisor <= 0)
      return std::nullopt;
    return divide(*value, divisor, kind);
  }

  std::optional<Digits> divide(const Digits& value, int64_t divisor, StepKind kind) {
    Digits quotient, rest;
    int64_t most = 0; // of the rest
    if (!analysis.nonNegative(value.base))
      return std::nullopt;
    for (auto& [monomial, factor] : value.base.terms) {
      if (factor % divisor != 0 && !monomial.empty())
        return std::nullopt;
      if (int64_t over = factor % divisor) {
        most += over;
        rest.base = over;
      }
      if (factor / divisor)
        quotient.base.terms[monomial] = factor / divisor;
    }
    for (const Digit& digit : value.digits) {
      if (digit.stride < 0)
        return std::nullopt;
      int64_t below = digit.stride % divisor == 0 ? 1 : digit.size;
      if (below > 1 && digit.stride * (digit.size - 1) >= divisor)
        below = divisor % digit.stride == 0 ? divisor / digit.stride : 0;
      if (below == 0 || digit.size % below != 0)
        return std::nullopt;
      rest.digits.push_back({digit.divisor, below, digit.stride});
      most += digit.stride * (below - 1);
      if (below < digit.size)
        quotient.digits.push_back(
            {digit.divisor * below, digit.size / below, digit.stride * below / divisor});
    }
    if (most >= divisor)
      return std::nullopt;
    return kind == StepKind::Quotient ? quotient : rest;
  }

  Analysis& analysis;
  ArrayRef<int64_t> shape;
  int64_t elements = 1;
};

} // namespace

std::optional<Digits> digitsOf(Analysis& analysis, const Index& index, ArrayRef<int64_t> shape) {
  SmallVector<std::optional<unsigned>> dims;
  for (unsigned d = 0; d < shape.size(); ++d)
    dims.push_back(shape[d] > 1 ? std::optional(d) : std::nullopt);
  return Reader(analysis, shape).read(index, dims);
}

} // namespace dlsim::access
