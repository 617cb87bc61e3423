#include "codegen/passes/sync/ids.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <map>
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
    const std::vector<Operation*>& ops = items.find(e.block)->second;
    return {exit.lookup(ops[e.setAfter]), entry.lookup(ops[e.waitBefore]), false};
  }

private:
  void number(Operation* op) {
    entry[op] = next++;
    for (Region& region : op->getRegions())
      for (Block& block : region)
        for (Operation& inner : block) {
          items[&block].push_back(&inner);
          number(&inner);
        }
    exit[op] = next++;
  }
  llvm::DenseMap<Operation*, unsigned> entry, exit;
  llvm::DenseMap<Block*, std::vector<Operation*>> items;
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

// The part of its block, between two barriers, that an edge lies in: tokens of two parts do not meet. Around
// a loop the last part goes on as the first.
unsigned partOf(const Edge& e, const std::set<unsigned>& barriers) {
  unsigned part = std::distance(barriers.begin(), barriers.upper_bound(e.setAfter));
  return part == barriers.size() && loopAround(e.block) ? 0 : part;
}

// The ids of one pair of units.
class Allocator {
public:
  Allocator(const Numbering& numbering, const Barriers& barriers)
      : numbering(numbering), barriers(barriers) {}

  void add(Edge& e) { placed.push_back({e, numbering.spanOf(e), partOf(e, barriers.lookup(e.block))}); }

  // The first edge that finds no id.
  const Edge* run() {
    for (size_t i = 0; i < placed.size(); ++i)
      if (!place(placed[i], llvm::ArrayRef(placed).take_front(i)))
        return &placed[i].edge;
    return nullptr;
  }

  // The item before which a barrier splits the part of the block that `full` lies in.
  unsigned middleAround(const Edge& full) const {
    std::set<unsigned> there = barriers.lookup(full.block);
    unsigned part = partOf(full, there), turn = there.empty() ? 0 : *there.begin();
    std::vector<std::pair<unsigned, unsigned>> items; // order along the part, item
    for (const Placed& p : placed)
      if (p.edge.block == full.block && p.edge.distance == full.distance && p.part == part)
        items.push_back(
            {p.edge.setAfter - turn, p.edge.waitBefore}); // wraps around: what comes first is last
    llvm::sort(items);
    return items[items.size() / 2].second;
  }

private:
  struct Placed {
    Edge& edge;
    Span span;
    unsigned part;

    bool meets(const Placed& o) const {
      return edge.block != o.edge.block || edge.distance > 0 || o.edge.distance > 0 || part == o.part;
    }
  };

  // An unused id if there is one, else one whose holders all agree to share.
  static bool place(Placed& it, llvm::ArrayRef<Placed> before) {
    std::array<unsigned, idCount> tokens{};
    std::array<bool, idCount> used{}, agree;
    agree.fill(true);
    for (const Placed& other : before) {
      unsigned id = other.edge.id;
      used[id] = true;
      tokens[id] += it.meets(other) ? other.edge.tokens : 0;
      agree[id] = agree[id] && canShare(it.edge, it.span, other.edge, other.span);
    }
    auto choose = [&](auto fits) {
      for (it.edge.id = 0; it.edge.id < idCount; ++it.edge.id)
        if (fits(it.edge.id))
          return true;
      return false;
    };
    return choose([&](unsigned id) { return !used[id]; }) ||
           choose([&](unsigned id) { return agree[id] && tokens[id] + it.edge.tokens <= mostTokens; });
  }

  const Numbering& numbering;
  const Barriers& barriers;
  std::vector<Placed> placed;
};

} // namespace

std::optional<NoFlagLeft> allocateIds(std::vector<Edge>& edges, const Barriers& barriers) {
  if (edges.empty())
    return std::nullopt;
  Operation* function = edges.front().block->getParentOp();
  while (function->getParentOp() && !isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  Numbering numbering(function);
  std::map<std::pair<npu::Unit, npu::Unit>, Allocator> pairs;
  for (Edge& e : edges)
    pairs.try_emplace({e.source, e.destination}, numbering, barriers).first->second.add(e);
  for (auto& [units, allocator] : pairs)
    if (const Edge* full = allocator.run())
      return NoFlagLeft{units.first, units.second, full->block, allocator.middleAround(*full)};
  return std::nullopt;
}

} // namespace dlsim::codegen
