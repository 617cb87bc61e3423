#include "codegen/dialects/tt/TtDialect.h"
#include "codegen/passes/access/Access.h"
#include "codegen/passes/access/Digits.h"
#include "codegen/passes/access/Divisibility.h"
#include "codegen/passes/access/Irregular.h"
#include "codegen/support/SourceLine.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir;

namespace dlsim::access {
using codegen::Coalesce;
namespace {
std::string maskKind(const Mask& mask) {
  std::string kind;
  for (auto [d, range] : llvm::enumerate(mask.dims))
    if (!range.lo.empty() || !range.hi.empty())
      kind += (kind.empty() ? "range in " : ", ") + std::to_string(d);
  if (!mask.conditions.empty())
    kind += kind.empty() ? "scalar" : " + scalar";
  if (!mask.residuals.empty())
    kind += kind.empty() ? "lane by lane" : " + lane by lane";
  return kind.empty() ? "none" : kind;
}

struct Line {
  std::string kind = "scalar", strategy = "scalar unit";
  int64_t burst = 0, bursts = 1; // bytes, number of a full tile
};

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

// A rectangle.
Line rectangleLine(const Pointer& pointer, ArrayRef<int64_t> shape, int64_t bytes, Coalesce mode, bool isLoad,
                   bool toCube) {
  auto& dims = pointer.offset.dims;
  Line line;
  std::optional<size_t> unit;
  for (auto [d, dim] : llvm::enumerate(dims))
    if (dim.coefficient == Polynomial(1) && shape[d] > 1)
      unit = d;
  int64_t lanes = 1; // that are loaded: one where the index does not change
  for (auto [d, dim] : llvm::enumerate(dims))
    lanes *= dim.coefficient.isZero() ? 1 : shape[d];
  int64_t inner = unit ? shape[*unit] : 1;
  line.burst = bytes * inner;
  line.bursts = std::max<int64_t>(lanes / inner, 1);
  size_t last = dims.size() - 1;
  while (last > 0 && shape[last] == 1)
    --last;
  bool wrapped = llvm::any_of(dims, [](const Dim& dim) { return dim.wrap.has_value(); });
  auto stride = dims[last].coefficient.constant();
  bool few = stride && *stride > 1 && *stride <= 8;
  if (unit == last || lanes == 1 || (stride && *stride == 0)) {
    line.kind = "tile copy";
    line.strategy = "burst copy";
  } else if (unit) {
    line.kind = "transposed tile";
    line.strategy = toCube || mode == Coalesce::full ? "burst copy, transpose" : "";
  } else {
    line.kind = few ? "strided elements, stride " + std::to_string(*stride) : "strided elements";
    line.strategy = "";
    if (isLoad && few && mode == Coalesce::full) {
      line.strategy = "burst copy with gaps, pick elements";
      line.burst = bytes * ((shape[last] - 1) * *stride + 1);
      line.bursts = std::max<int64_t>(lanes / shape[last], 1);
    }
  }
  if (line.strategy.empty()) {
    line.strategy = mode == Coalesce::off ? "element loop" : "a burst an element";
    line.burst = bytes;
    line.bursts = lanes;
  }
  if (wrapped)
    line.kind += ", wrapped";
  return line;
}

Line irregularLine(const Irregular& parts, const Pointer& pointer, ArrayRef<int64_t> shape, int64_t bytes,
                   Coalesce mode, bool isLoad) {
  Line line;
  auto& dims = pointer.offset.dims;
  auto walked = [&](size_t d) { return llvm::is_contained(parts.walk(), int64_t(d)); };
  size_t last = dims.size() - 1;
  while (last > 0 && shape[last] == 1)
    --last;
  bool rows = !walked(last) && dims[last].coefficient == Polynomial(1);
  line.kind = parts.hasRuns() ? "pieces" : rows ? "row gather" : "element gather";
  bool apart = isLoad && mode != Coalesce::off && (bytes == 2 || bytes == 4);
  line.strategy = parts.hasRuns() ? "burst copy a piece"
                  : rows          ? "burst copy a row"
                  : apart         ? "a burst an element"
                                  : "element loop";
  line.burst = rows ? bytes * shape[last] : bytes;
  line.bursts = product(shape) / (rows ? shape[last] : 1);
  return line;
}

std::string advice(const Pointer& pointer, const Mask& mask, const Line& line) {
  if (StringRef(line.strategy).ends_with("burst copy, pick elements"))
    return "";
  for (const Residual& residual : mask.residuals)
    return residual.why;
  if (pointer.start)
    return pointer.start->why;
  for (const Atom& atom : pointer.offset.atoms)
    return atom.why;
  if (line.kind.rfind("strided", 0) == 0)
    return "let the last dimension run along consecutive elements";
  return "";
}
} // namespace

void reportAccess(llvm::raw_ostream& stream, Operation* op, const Pointer& pointer, const Mask& mask,
                  RankedTensorType tile, const Irregular* parts, const Digits* places, int64_t siblings,
                  bool oneByOne, bool toCube, Coalesce mode, Analysis& analysis) {
  Type scalar =
      op->getNumResults() && isa<tt::LoadOp>(op) ? op->getResult(0).getType() : op->getOperand(1).getType();
  Type element = getElementTypeOrSelf(scalar);
  int64_t bytes =
      std::max<int64_t>(1, isa<tt::PointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8);
  Divisibility divisibility(analysis);
  int64_t align = bytes;
  if (auto arg = dyn_cast_if_present<BlockArgument>(pointer.root);
      arg && isa<func::FuncOp>(arg.getOwner()->getParentOp()))
    align = divisibility.of(pointer.root); // bytes
  align = std::gcd(align, bytes * divisibility.of(pointer.offset.base));
  Line line;
  line.burst = bytes;
  std::string shape = "1";
  if (tile) {
    auto& dims = pointer.offset.dims;
    shape.clear();
    for (auto [d, size] : llvm::enumerate(tile.getShape()))
      shape += (d ? "x" : "") + std::to_string(size);
    line = parts ? irregularLine(*parts, pointer, tile.getShape(), bytes, mode, isa<tt::LoadOp>(op))
                 : rectangleLine(pointer, tile.getShape(), bytes, mode, isa<tt::LoadOp>(op), toCube);
    if (places)
      line = {"stretch out of order", "burst copy, pick elements", bytes * places->extent(), 1};
    if (siblings > 1) {
      ArrayRef<int64_t> sizes = tile.getShape();
      line.strategy = "with " + std::to_string(siblings - 1) + " other(s), burst copy, pick elements";
      line.burst = bytes * sizes.back() * siblings;
      line.bursts = product(sizes.drop_back());
    }
    if (oneByOne) {
      line.strategy = "an atomic update an element";
      line.burst = bytes;
      line.bursts = product(tile.getShape());
    }
    for (auto [d, dim] : llvm::enumerate(dims))
      if (!(dim.coefficient == Polynomial(1)) && tile.getShape()[d] > 1)
        align = std::gcd(align, bytes * divisibility.of(dim.coefficient));
    for (const Atom& atom : pointer.offset.atoms)
      align = std::gcd(align, bytes * divisibility.of(atom.coefficient));
    if (pointer.start)
      align = bytes;
  }
  std::string text = llvm::formatv(
      "{0}: {1} {2}x{3}: {4}, burst {5} B, alignment {6} B, mask {7}; {8}, {9}{10} burst(s), {11} B",
      sourceLine(op->getLoc()), op->getName().stripDialect(), shape, element, line.kind, line.burst,
      align ? align : 4096, maskKind(mask), line.strategy,
      parts && parts->hasRuns() && !places ? "up to " : "", line.bursts, line.burst * line.bursts);
  if (std::string why = tile ? advice(pointer, mask, line) : ""; !why.empty())
    text += "; " + why;
  stream << text << "\n";
}
} // namespace dlsim::access
