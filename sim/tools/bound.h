// The shortest time that the chip allows a kernel of matrix products, from what the run did and the chip
// file's rates.
#pragma once

namespace dlsim::tools {

struct Run;

// Cycles that each resource needs if it never waits; the run cannot be shorter than the longest of them after
// the launch's head. Zeros for a run without products.
struct Bound {
  double head = 0; // before the first core starts
  double cube = 0; // products of the busiest core (waves of tiles) at the cube's rate
  double copies =
      0;          // bytes that the busiest cube core reads from global memory, at dma.nd2nz_bytes_per_cycle
  double l2 = 0;  // bytes that all cores read, at l2.slices * noc.slice_read_bytes
  double hbm = 0; // bytes read and written at HBM, at its sustained bandwidth (hbm.efficiency)

  double longest() const;
  const char* longestName() const;
  double cycles() const { return head + longest(); }
};

Bound boundOf(const Run& run);

} // namespace dlsim::tools
