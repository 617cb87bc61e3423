// How accesses whose fastest dimension is not contiguous in memory are treated: an option of the compiler, so
// that the effect of coalescing can be measured. Values never depend on it.
#pragma once

namespace dlsim::codegen {
enum class Coalesce {
  off,  // element by element through the scalar unit; a row or run of a gather at a time
  copy, // strided burst copies of single elements
  full, // whole runs, then rearranged on chip: deinterleaved, transposed
};
} // namespace dlsim::codegen
