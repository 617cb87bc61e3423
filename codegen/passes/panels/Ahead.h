// How far loads run ahead of the products of a loop along K.
#pragma once
#include "codegen/passes/panels/KLoop.h"

namespace dlsim::codegen {

// MTE2 takes loads in their order, so a load that waits for a slot holds up what comes behind. The larger
// operand of a product is loaded first and gets a slot more, if L1 has room for it (`available` bytes;
// `slots` copies of tiles of `steps` steps): then MTE2 is busy with it while the smaller one waits. Attribute
// `dl.slots` of the load says how many. Returns the slots of the larger operand.
int64_t loadLargerAhead(KLoop& k, int64_t steps, int64_t slots, int64_t available);

} // namespace dlsim::codegen
