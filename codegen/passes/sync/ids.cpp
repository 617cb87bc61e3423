#include "codegen/passes/sync/ids.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr unsigned idCount = 8;     // flags a pair of units, isa/isa/DLNPUSync.td
constexpr unsigned mostTokens = 15; // what a flag counts

// Where in the function's text an edge sets and waits: numbers of a walk that counts each op on entry and on
// exit.
struct Span {
  unsigned set, wait;
  bool exclusive; // tokens lie in the flag all the time in between (a primed edge)
};

class Numbering {
public:
  explicit Numbering(Operation* root) { number(root); }

  Span spanOf(const Edge& e) const {
    if (e.distance > 0)
      return {entry.lookup(e.around), exit.lookup(e.around), true};
    auto item = [&](unsigned n) { return &*std::next(e.block->begin(), n); };
    return {exit.lookup(item(e.setAfter)), entry.lookup(item(e.waitBefore)), false};
  }

private:
  void number(Operation* op) {
    entry[op] = next++;
    for (Region& region : op->getRegions())
      for (Block& block : region)
        for (Operation& inner : block)
          number(&inner);
    exit[op] = next++;
  }
  llvm::DenseMap<Operation*, unsigned> entry, exit;
  unsigned next = 0;
};

// Tokens are taken in the order in which they are set, so two edges may share a flag if they set and wait in
// the same order. Edges around one loop may as well if their first tokens are as many.
bool canShare(const Edge& x, const Span& a, const Edge& y, const Span& b) {
  if (a.exclusive && b.exclusive && x.block == y.block && x.around == y.around && x.distance == y.distance)
    return (x.setAfter < y.setAfter && x.waitBefore < y.waitBefore) ||
           (y.setAfter < x.setAfter && y.waitBefore < x.waitBefore);
  if (a.exclusive || b.exclusive)
    return a.wait < b.set || b.wait < a.set;
  return (a.set < b.set && a.wait < b.wait) || (b.set < a.set && b.wait < a.wait);
}

std::optional<Edge> merged(const Edge& a, const Edge& b) {
  if (a.block != b.block || (a.distance == 0) != (b.distance == 0))
    return std::nullopt;
  Edge e = a;
  e.setAfter = std::max(a.setAfter, b.setAfter);
  e.waitBefore = std::min(a.waitBefore, b.waitBefore);
  e.distance = std::min(a.distance, b.distance);
  if (e.distance == 0 && e.setAfter >= e.waitBefore)
    return std::nullopt;
  if (e.distance > 0 && b.around->isProperAncestor(a.around))
    e.around = a.around; // the inner loop: draining earlier is always safe
  else if (e.distance > 0)
    e.around = a.around->isProperAncestor(b.around) ? b.around : a.around;
  return e;
}

class Allocator {
public:
  Allocator(std::vector<Edge>& edges, Numbering numbering) : edges(edges), numbering(std::move(numbering)) {}

  IdReport run() {
    for (size_t i = 0; i < edges.size();) {
      if (place(i)) {
        ++i;
      } else if (mergeInto(i)) {
        ++report.merged;
        i = 0; // the merged edge has another span: place everything again
      } else {
        report.barriers.push_back(edges[i]);
        edges.erase(edges.begin() + i);
      }
    }
    return std::move(report);
  }

private:
  // An unused id if there is one, else one whose holders all agree to share.
  bool place(size_t index) {
    Edge& e = edges[index];
    Span span = numbering.spanOf(e);
    std::optional<unsigned> shared;
    for (unsigned id = 0; id < idCount; ++id) {
      bool used = false, agree = true;
      unsigned tokens = e.distance + 1;
      for (size_t k = 0; k < index; ++k) {
        if (!edges[k].samePair(e) || edges[k].id != id)
          continue;
        used = true;
        tokens += edges[k].distance + 1;
        agree &= tokens <= mostTokens && canShare(e, span, edges[k], numbering.spanOf(edges[k]));
      }
      if (!used) {
        e.id = id;
        return true;
      }
      if (agree && !shared)
        shared = id;
    }
    if (shared)
      e.id = *shared;
    return shared.has_value();
  }

  bool mergeInto(size_t index) {
    for (size_t k = 0; k < index; ++k) {
      if (!edges[k].samePair(edges[index]))
        continue;
      if (auto both = merged(edges[k], edges[index])) {
        edges[k] = *both;
        edges.erase(edges.begin() + index);
        return true;
      }
    }
    return false;
  }

  std::vector<Edge>& edges;
  Numbering numbering;
  IdReport report;
};

} // namespace

IdReport allocateIds(std::vector<Edge>& edges) {
  if (edges.empty())
    return {};
  Operation* function = edges.front().block->getParentOp();
  while (function->getParentOp() && !isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  return Allocator(edges, Numbering(function)).run();
}

} // namespace dlsim::codegen
