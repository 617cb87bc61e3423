// Flag ids: eight a pair of units.
#pragma once
#include "codegen/passes/sync/edges.h"

#include <optional>

namespace dlsim::codegen {

// Gives every edge an id 0..7 of its pair. Edges share an id when their tokens cannot be mistaken for each
// other and a flag can count them. When that is not enough: where a barrier would help, before item `second`
// of block `first`; `barriers` are those that are there already.
std::optional<std::pair<mlir::Block*, unsigned>> allocateIds(std::vector<Edge>& edges,
                                                             const Barriers& barriers);

} // namespace dlsim::codegen
