// Flag ids: eight a pair of units.
#pragma once
#include "codegen/passes/sync/edges.h"

#include <optional>

namespace dlsim::codegen {

// A pair of units whose flags are not enough, and where a barrier would help: before item `item` of `block`.
struct NoFlagLeft {
  npu::Unit source, destination;
  mlir::Block* block;
  unsigned item;
};

// Gives every edge an id 0..7 of its pair. Edges share an id when their tokens cannot be mistaken for each
// other and a flag can count them. `barriers` are those that are there already.
std::optional<NoFlagLeft> allocateIds(std::vector<Edge>& edges, const Barriers& barriers);

} // namespace dlsim::codegen
