#include "codegen/passes/sync/edges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr unsigned manyTokens = 3;       // a handful of entries without iterations overflows a flag
constexpr unsigned throttleDistance = 8; // half of what a flag counts, so that rotation slots fit on top

// An op at item n is at position 4n; sets after it at 4n + 1, waits before it at 4n - 1 = 4(n - 1) + 3, so
// that within one gap sets come before waits.
unsigned setPosition(unsigned item) { return 4 * (item + 1) + 1; }
unsigned waitPosition(unsigned item) { return 4 * (item + 1) - 1; }

} // namespace

bool EdgeGraph::Moment::operator<(const Moment& o) const {
  return std::tie(execution, position) < std::tie(o.execution, o.position);
}

void EdgeGraph::add(const Edge& e) {
  auto& groups = from[unsigned(e.source)];
  auto group = llvm::find_if(groups, [&](const Group& g) {
    return g.destination == e.destination && g.distance == e.distance && g.around == e.around;
  });
  if (group == groups.end())
    group = groups.insert(group, {e.destination, e.distance, e.around, {}});
  auto [it, isNew] = group->waitAfterSet.try_emplace(e.setAfter, e.waitBefore);
  if (!isNew)
    it->second = std::min(it->second, e.waitBefore);
}

void EdgeGraph::remove(const Edge& e) {
  for (Group& g : from[unsigned(e.source)])
    if (g.destination == e.destination && g.distance == e.distance && g.around == e.around)
      g.waitAfterSet.erase(e.setAfter);
}

// Along the group's edge that leaves soonest at or after `at`; where sets wait for each other in order, it
// also arrives first.
EdgeGraph::Moment EdgeGraph::along(const Group& group, const Moment& at) {
  if (group.waitAfterSet.empty())
    return {};
  unsigned execution = at.execution + group.distance;
  unsigned soonest = (at.position + 2) / 4 - 1; // the first item whose set is not before `at`
  auto edge = group.waitAfterSet.lower_bound(soonest);
  if (edge == group.waitAfterSet.end()) {
    edge = group.waitAfterSet.begin();
    ++execution;
  }
  return {execution, waitPosition(edge->second)};
}

EdgeGraph::Moment EdgeGraph::nextBarrier(const Moment& at) const {
  if (barriers.empty())
    return {};
  for (unsigned item : barriers)
    if (waitPosition(item) >= at.position)
      return {at.execution, waitPosition(item)};
  return {at.execution + 1, waitPosition(*barriers.begin())};
}

bool EdgeGraph::implies(const Edge& wanted) const {
  // reached[u]: from which moment on unit u is known to run after the source. Bellman-Ford over the units.
  std::array<Moment, unitCount> reached;
  reached[unsigned(wanted.source)] = {0, setPosition(wanted.setAfter)};
  bool changed = true;
  auto arrive = [&](Moment& unit, const Moment& arrival) {
    if (arrival < unit) {
      unit = arrival;
      changed = true;
    }
  };
  while (changed) {
    changed = false;
    for (unsigned u = 0; u < unitCount; ++u) {
      if (reached[u].execution > wanted.distance)
        continue;
      for (const Group& group : from[u])
        arrive(reached[unsigned(group.destination)], along(group, reached[u]));
      Moment barrier = nextBarrier(reached[u]);
      for (Moment& other : reached)
        arrive(other, barrier);
    }
  }
  return !(Moment{wanted.distance, waitPosition(wanted.waitBefore)} < reached[unsigned(wanted.destination)]);
}

static llvm::DenseMap<Block*, EdgeGraph> graphsOf(const std::vector<Edge>& edges, const Barriers& barriers) {
  llvm::DenseMap<Block*, EdgeGraph> graphs;
  for (const Edge& e : edges)
    graphs.try_emplace(e.block, barriers.lookup(e.block)).first->second.add(e);
  return graphs;
}

void reduceEdges(std::vector<Edge>& edges, const Barriers& barriers) {
  // The widest edges first: they are the ones that chains of shorter edges make superfluous.
  auto order = [](const Edge& e) {
    return std::make_tuple(-int(e.distance), int(e.setAfter) - int(e.waitBefore), e.setAfter);
  };
  std::stable_sort(edges.begin(), edges.end(),
                   [&](const Edge& a, const Edge& b) { return order(a) < order(b); });
  llvm::DenseMap<Block*, EdgeGraph> graphs = graphsOf(edges, barriers);
  llvm::erase_if(edges, [&](const Edge& e) {
    EdgeGraph& graph = graphs[e.block];
    graph.remove(e);
    if (graph.implies(e))
      return true;
    graph.add(e);
    return false;
  });
}

static bool iterates(Operation* loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  auto lower = counted ? getConstantIntValue(counted.getLowerBound()) : std::nullopt;
  auto upper = counted ? getConstantIntValue(counted.getUpperBound()) : std::nullopt;
  return lower && upper && *lower < *upper;
}

// Each time that a loop within a loop begins, the source hands over first tokens. Where the loop may have no
// iterations, in which it would wait for the destination, it does not before this one has taken all of the
// time before.
static Edge oneEntryAtATime(const Edge& e, Operation* outer) {
  Operation* inner = e.around;
  while (inner->getParentOp() != outer)
    inner = inner->getParentOp();
  auto item = unsigned(std::distance(inner->getBlock()->begin(), inner->getIterator()));
  Operation* outermost = outer;
  while (Operation* next = loopAround(outermost->getBlock()))
    outermost = next;
  Edge added{e.destination, e.source, inner->getBlock(), item, item, 1, outermost, e.buffer};
  added.outside = true;
  return added;
}

void boundTokens(std::vector<Edge>& edges, const Barriers& barriers) {
  llvm::DenseMap<Block*, EdgeGraph> graphs = graphsOf(edges, barriers);
  auto back = [](const Edge& e, unsigned distance) {
    return Edge{e.destination,       e.source, e.block, e.waitBefore, e.setAfter, distance,
                loopAround(e.block), e.buffer};
  };
  for (size_t i = 0, count = edges.size(); i < count; ++i) {
    Edge added = back(edges[i], throttleDistance);
    if (!added.around || graphs[added.block].implies(added))
      continue;
    graphs[added.block].add(added);
    edges.push_back(added);
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    Operation* outer = edges[i].around ? loopAround(edges[i].around->getBlock()) : nullptr;
    if (!outer || edges[i].distance < manyTokens || iterates(edges[i].around))
      continue;
    Edge added = oneEntryAtATime(edges[i], outer);
    EdgeGraph& graph = graphs.try_emplace(added.block, barriers.lookup(added.block)).first->second;
    if (graph.implies(added))
      continue;
    graph.add(added);
    edges.push_back(added);
  }
  for (Edge& e : edges) {
    unsigned ahead = 1; // executions of the block that the source can run ahead of the destination
    while (loopAround(e.block) && ahead < throttleDistance && !graphs[e.block].implies(back(e, ahead)))
      ++ahead;
    e.tokens = e.distance + ahead;
  }
}

} // namespace dlsim::codegen
