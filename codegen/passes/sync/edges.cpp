#include "codegen/passes/sync/edges.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr unsigned throttleDistance = 8; // half of what a flag counts, so that rotation slots fit on top

bool isParallelLoop(Operation* loop) { return loop->hasAttr("dl.parallel"); }

class Collector {
public:
  explicit Collector(const AccessTable& table) : table(table) {}

  std::vector<Edge> run() {
    const auto& accesses = table.accesses;
    for (size_t i = 0; i < accesses.size(); ++i)
      for (size_t j = i + 1; j < accesses.size(); ++j)
        addPair(accesses[i], accesses[j]);
    return std::move(edges);
  }

private:
  // `first` comes before `second` in program order.
  void addPair(const Access& first, const Access& second) {
    if (first.unit == second.unit || !(first.write || second.write) ||
        !table.mayOverlap(first.buffer, second.buffer))
      return;
    Block* block = commonBlock(first.op, second.op);
    unsigned i = itemOf(block, first.op);
    unsigned j = itemOf(block, second.op);
    if (i < j)
      add({first.unit, second.unit, block, i, j, 0, nullptr, first.buffer});
    addWrap(block, second, j, first, i);
    if (i == j) // the two branches of a conditional: each may follow the other in the next iteration
      addWrap(block, first, i, second, j);
  }

  // `from` in one execution of the block, `to` in a later one.
  void addWrap(Block* block, const Access& from, unsigned fromItem, const Access& to, unsigned toItem) {
    Operation* loop = loopAround(block);
    if (!loop)
      return;
    bool global = !table.buffers[from.buffer].onChip();
    if (global && isParallelLoop(loop))
      return;
    Operation* root = loop;
    unsigned distance = slotDistance(from, to, block, root);
    Operation* around = loop;
    for (Operation* outer = outerLoop(around); outer; outer = outerLoop(outer)) {
      if ((global && isParallelLoop(outer)) || (distance > 1 && around == root))
        break;
      around = outer;
    }
    add({from.unit, to.unit, block, fromItem, toItem, distance, around, from.buffer});
  }

  // Slots between two uses of the same bytes: the buffer's slots if both accesses rotate with the loop around
  // `block`.
  unsigned slotDistance(const Access& from, const Access& to, Block* block, Operation*& root) {
    if (from.buffer != to.buffer || !from.slot || from.slot != to.slot)
      return 1;
    Operation* loop = block->getParentOp();
    Operation* found = isa<LoopLikeOpInterface>(loop) ? rotationRoot(from.slot, loop) : nullptr;
    if (!found)
      return 1;
    root = found;
    return table.buffers[from.buffer].slots;
  }

  static Operation* outerLoop(Operation* loop) { return loopAround(loop->getBlock()); }

  unsigned itemOf(Block* block, Operation* op) {
    auto [it, isNew] = numbering.try_emplace(block);
    if (isNew)
      for (auto [number, item] : llvm::enumerate(*block))
        it->second[&item] = number;
    return it->second.lookup(ancestorIn(block, op));
  }

  void add(Edge edge) {
    auto same = [&](const Edge& e) {
      return e.samePair(edge) && e.block == edge.block && e.setAfter == edge.setAfter &&
             e.waitBefore == edge.waitBefore && e.distance == edge.distance && e.around == edge.around;
    };
    if (llvm::none_of(edges, same))
      edges.push_back(edge);
  }

  const AccessTable& table;
  std::vector<Edge> edges;
  llvm::DenseMap<Block*, llvm::DenseMap<Operation*, unsigned>> numbering;
};

// A moment in one unit's queue: execution of the block, then position. An op at item n is at position 4n;
// sets after it at 4n + 1, waits before it at 4n - 1 = 4(n - 1) + 3, so that within one gap sets come before
// waits.
struct Moment {
  unsigned execution = std::numeric_limits<unsigned>::max();
  unsigned position = 0;
  bool operator<(const Moment& o) const {
    return std::tie(execution, position) < std::tie(o.execution, o.position);
  }
};
unsigned setPosition(const Edge& e) { return 4 * (e.setAfter + 1) + 1; }
unsigned waitPosition(const Edge& e) { return 4 * (e.waitBefore + 1) - 1; }

} // namespace

std::vector<Edge> collectEdges(const AccessTable& table) { return Collector(table).run(); }

bool implied(llvm::ArrayRef<const Edge*> edges, const Edge& wanted) {
  // reached[u]: from which moment on unit u is known to run after the source. Bellman-Ford over the seven
  // units.
  std::array<Moment, unitCount> reached;
  reached[unsigned(wanted.source)] = {0, setPosition(wanted)};
  for (bool changed = true; changed;) {
    changed = false;
    for (const Edge* e : edges) {
      const Moment& from = reached[unsigned(e->source)];
      if (from.execution > wanted.distance)
        continue;
      unsigned execution = from.execution + (setPosition(*e) >= from.position ? 0 : 1) + e->distance;
      Moment arrival{execution, waitPosition(*e)};
      Moment& to = reached[unsigned(e->destination)];
      if (arrival < to) {
        to = arrival;
        changed = true;
      }
    }
  }
  return !(Moment{wanted.distance, waitPosition(wanted)} < reached[unsigned(wanted.destination)]);
}

static llvm::SmallVector<const Edge*> othersInBlock(const std::vector<Edge>& edges, const Edge* without,
                                                    Block* block) {
  llvm::SmallVector<const Edge*> others;
  for (const Edge& e : edges)
    if (&e != without && e.block == block)
      others.push_back(&e);
  return others;
}

void reduceEdges(std::vector<Edge>& edges) {
  // The widest edges first: they are the ones that chains of shorter edges make superfluous.
  auto width = [](const Edge& e) { return std::make_tuple(e.distance, int(e.waitBefore) - int(e.setAfter)); };
  std::stable_sort(edges.begin(), edges.end(),
                   [&](const Edge& a, const Edge& b) { return width(a) > width(b); });
  for (size_t i = 0; i < edges.size();) {
    auto others = othersInBlock(edges, &edges[i], edges[i].block);
    if (implied(others, edges[i]))
      edges.erase(edges.begin() + i);
    else
      ++i;
  }
}

void boundTokens(std::vector<Edge>& edges) {
  std::vector<Edge> added;
  for (const Edge& e : edges) {
    Operation* loop = loopAround(e.block);
    if (!loop)
      continue;
    Edge back{e.destination, e.source, e.block, e.waitBefore, e.setAfter, throttleDistance, loop, e.buffer};
    auto others = othersInBlock(edges, nullptr, e.block);
    for (const Edge& a : added)
      if (a.block == e.block)
        others.push_back(&a);
    if (!implied(others, back))
      added.push_back(back);
  }
  edges.insert(edges.end(), added.begin(), added.end());
}

} // namespace dlsim::codegen
