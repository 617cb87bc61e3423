// Flag edges: who must wait for whom, found from the access table and reduced to those that nothing else
// implies.
#pragma once
#include "codegen/passes/npu_analysis/accesses.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <limits>
#include <map>
#include <set>

namespace dlsim::codegen {

// The source unit sets a flag right after item `setAfter` of `block`, the destination unit waits for it right
// before item `waitBefore`. Items are op numbers within the block. distance 0: within one execution of the
// block, setAfter < waitBefore. distance d > 0: d executions of the block later; d tokens are set before
// `around` and taken after it.
struct Edge {
  npu::Unit source = npu::Unit::S;
  npu::Unit destination = npu::Unit::S;
  mlir::Block* block = nullptr;
  unsigned setAfter = 0;
  unsigned waitBefore = 0;
  unsigned distance = 0;
  mlir::Operation* around = nullptr; // only for distance > 0
  unsigned buffer = 0;               // for messages: the buffer that asked for it
  unsigned id = 0;
  unsigned tokens = 1;  // most that its flag holds at a time, set by boundTokens
  bool outside = false; // before the first tokens and after the last ones of a loop that is its item
};

// Barriers of all units, before these items of a block.
using Barriers = llvm::DenseMap<mlir::Block*, std::set<unsigned>>;

// The flags and barriers of one block as a graph between units.
class EdgeGraph {
public:
  explicit EdgeGraph(std::set<unsigned> barriers = {}) : barriers(std::move(barriers)) {}
  // Of the edges of one pair of units, distance and loop, none implies another.
  void add(const Edge& e);
  void remove(const Edge& e);
  // Whether the edges order `source` after item `setAfter` before `destination` at item `waitBefore`,
  // `distance` executions of the block later.
  bool implies(const Edge& wanted) const;

private:
  // A moment in one unit's queue: execution of the block, then position.
  struct Moment {
    unsigned execution = std::numeric_limits<unsigned>::max();
    unsigned position = 0;
    bool operator<(const Moment& o) const;
  };
  struct Group {
    npu::Unit destination;
    unsigned distance;
    mlir::Operation* around;
    std::map<unsigned, unsigned> waitAfterSet; // waitBefore by setAfter
  };
  static Moment along(const Group& group, const Moment& at);
  Moment nextBarrier(const Moment& at) const;

  std::set<unsigned> barriers;
  std::array<std::vector<Group>, unitCount> from; // by source
};

// The edges that the accesses ask for, without those that another one of the same kind implies.
std::vector<Edge> collectEdges(const AccessTable& table);

// Drops each edge that the barriers and the remaining edges of its block imply, directly or through other
// units.
void reduceEdges(std::vector<Edge>& edges, const Barriers& barriers);

// A unit that only produces could run ahead of its consumer and overflow a flag's counter (15 tokens). For
// each edge in a loop that no chain of edges leads back from, adds an edge back that lets the source run
// `throttleDistance` ahead; for each edge around a loop within a loop, one that keeps first tokens of one
// entry apart from those of the next. Fills in `tokens`.
void boundTokens(std::vector<Edge>& edges, const Barriers& barriers);

} // namespace dlsim::codegen
