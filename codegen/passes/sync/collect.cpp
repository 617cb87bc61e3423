#include "codegen/passes/sync/edges.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace dlsim::codegen {
namespace {

bool isParallelLoop(Operation* loop) { return loop->hasAttr("dl.parallel"); }
Operation* outerLoop(Operation* loop) { return loopAround(loop->getBlock()); }

// An op or one of its ancestors, as the number of an op within its block.
struct Place {
  Block* block;
  unsigned item;
};
using Path = llvm::SmallVector<Place, 6>; // from the function's body inwards

class Numbering {
public:
  Path pathOf(Operation* op) {
    Path path;
    for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
      path.push_back({op->getBlock(), itemOf(op)});
    std::reverse(path.begin(), path.end());
    return path;
  }

private:
  unsigned itemOf(Operation* op) {
    if (auto it = items.find(op); it != items.end())
      return it->second;
    for (auto [number, item] : llvm::enumerate(*op->getBlock()))
      items[&item] = number;
    return items.lookup(op);
  }

  llvm::DenseMap<Operation*, unsigned> items;
};

// Of one pair of units, block, distance and loop: only those edges that no other one implies, a later set
// comes with a later wait. So there are no more of them than items, however many accesses conflict.
class Front {
public:
  void add(const Edge& e) {
    auto at = edges.lower_bound(e.setAfter);
    if (at != edges.end() && at->second.waitBefore <= e.waitBefore)
      return;
    if (at != edges.end() && at->first == e.setAfter)
      at = edges.erase(at);
    while (at != edges.begin() && std::prev(at)->second.waitBefore >= e.waitBefore)
      edges.erase(std::prev(at));
    edges.emplace(e.setAfter, e);
  }
  void appendTo(std::vector<Edge>& all) const {
    for (const auto& [set, edge] : edges)
      all.push_back(edge);
  }

private:
  std::map<unsigned, Edge> edges;
};

class Collector {
public:
  explicit Collector(const AccessTable& table) : table(table), accessesOf(table.buffers.size()) {
    for (auto [index, access] : llvm::enumerate(table.accesses)) {
      accessesOf[access.buffer].push_back(index);
      paths.push_back(numbering.pathOf(access.op));
    }
  }

  std::vector<Edge> run() {
    for (unsigned a = 0; a < table.buffers.size(); ++a)
      for (unsigned b = a; b < table.buffers.size(); ++b)
        if (table.mayOverlap(a, b))
          addBuffers(a, b);
    std::vector<Edge> edges;
    for (const auto& [key, front] : fronts)
      front.appendTo(edges);
    return edges;
  }

private:
  void addBuffers(unsigned a, unsigned b) {
    for (unsigned i : accessesOf[a])
      for (unsigned j : accessesOf[b])
        if (a != b || i < j)
          addPair(std::min(i, j), std::max(i, j));
  }

  // `one` comes before `two` in program order.
  void addPair(unsigned one, unsigned two) {
    const Access &first = table.accesses[one], &second = table.accesses[two];
    if (first.unit == second.unit || !(first.write || second.write))
      return;
    const Path &x = paths[one], &y = paths[two];
    size_t level = 0;
    while (x[level].item == y[level].item && level + 1 < std::min(x.size(), y.size()) &&
           x[level + 1].block == y[level + 1].block)
      ++level;
    Block* block = x[level].block;
    unsigned i = x[level].item, j = y[level].item;
    bool here = !byUnitFlags(first, second), wrapped = !byUnitFlags(second, first);
    if (i < j && here)
      add({first.unit, second.unit, block, i, j, 0, nullptr, first.buffer});
    if (wrapped)
      addWrap(block, second, j, first, i);
    if (i == j && here) // the two branches of a conditional: each may follow the other in the next iteration
      addWrap(block, first, i, second, j);
  }

  // Unit flags order the two, or a barrier at the beginning of the branch does (npu-unit-flags).
  bool byUnitFlags(const Access& from, const Access& to) const {
    const Buffer &first = table.buffers[from.buffer], &second = table.buffers[to.buffer];
    return from.unitFlag && to.unitFlag &&
           (waitsForAllBlocks(first, second) || exclusiveBranch(first.alloc, second.alloc));
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

  void add(const Edge& e) {
    unsigned units = unsigned(e.source) * unitCount + unsigned(e.destination);
    fronts[{{e.block, e.around}, {units, e.distance}}].add(e);
  }

  using Key = std::pair<std::pair<Block*, Operation*>, std::pair<unsigned, unsigned>>;

  const AccessTable& table;
  Numbering numbering;
  std::vector<std::vector<unsigned>> accessesOf; // by buffer
  std::vector<Path> paths;                       // by access
  llvm::MapVector<Key, Front> fronts;
};

} // namespace

std::vector<Edge> collectEdges(const AccessTable& table) { return Collector(table).run(); }

} // namespace dlsim::codegen
