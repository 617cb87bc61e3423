// Flag ids: eight a pair of units.
#pragma once
#include "codegen/passes/sync/edges.h"

namespace dlsim::codegen {

struct IdReport {
  unsigned merged = 0;        // edges that were joined with a stronger one to save an id
  std::vector<Edge> barriers; // edges that got no id: a barrier before item `waitBefore` replaces each
};

// Gives every edge an id 0..7 of its pair. Edges share an id when their tokens cannot be mistaken for each
// other; when that is not enough, edges of one block are merged into a stronger one; the last resort is a
// barrier.
IdReport allocateIds(std::vector<Edge>& edges);

} // namespace dlsim::codegen
