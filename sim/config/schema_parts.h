// The parts of the schema table, private to sim/config.
#pragma once

#include "sim/config/schema.h"

namespace dlsim::sim {

void addCoreSchema(std::vector<SchemaEntry>& all);
void addMemorySchema(std::vector<SchemaEntry>& all);

} // namespace dlsim::sim
