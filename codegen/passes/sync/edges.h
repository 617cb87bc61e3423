// Flag edges: who must wait for whom, found from the access table and reduced to those that nothing else
// implies.
#pragma once
#include "codegen/passes/npu_analysis/accesses.h"

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

  bool samePair(const Edge& other) const {
    return source == other.source && destination == other.destination;
  }
};

// Every edge that the accesses ask for, duplicates removed.
std::vector<Edge> collectEdges(const AccessTable& table);

// Drops each edge that the remaining ones of its block imply, directly or through other units.
void reduceEdges(std::vector<Edge>& edges);

// A unit that only produces could run ahead of its consumer and overflow a flag's counter (15 tokens). For
// each edge in a loop that no chain of edges leads back from, adds an edge back that lets the source run
// `throttleDistance` ahead.
void boundTokens(std::vector<Edge>& edges);

// Whether `edges` (of one block) order `source` after item `setAfter` before `destination` at item
// `waitBefore`, `distance` executions of the block later.
bool implied(llvm::ArrayRef<const Edge*> edges, const Edge& wanted);

} // namespace dlsim::codegen
