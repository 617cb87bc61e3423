// A chip with round numbers, so that a test can add up cycles by hand.
#pragma once

#include "sim/config/chip_file.h"

namespace dlsim::sim::testing {

inline constexpr std::uint64_t kHeap = 0x1'0000'0000;

/// No start-ups, 10 cycles each way, 128 B/cycle everywhere, a read hit 20 cycles, a write 3; HBM 16 B/cycle
/// a channel with 30 cycles to an open row, 15 more to open one, 5 cycles to get there; a line serves a core
/// for 8 cycles.
inline ChipSpec simpleChip(std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"dma.command_cycles=0",
                                  "dma.startup_cycles=0",
                                  "dma.burst_cycles=1",
                                  "dma.nd2nz_row_cycles=6",
                                  "dma.nd2nz_bytes_per_cycle=64",
                                  "dma.nd2nz_unaligned_bytes_per_cycle=16",
                                  "dma.gather_row_cycles=9",
                                  "dma.request_cycles=1",
                                  "noc.request_cycles=10",
                                  "noc.response_cycles=10",
                                  "noc.read_channel_bytes=128",
                                  "noc.write_channel_bytes=128",
                                  "noc.slice_read_bytes=128",
                                  "noc.slice_write_bytes=128",
                                  "l2.port_bytes=128",
                                  "l2.read_cycles=20",
                                  "l2.write_cycles=3",
                                  "l2.miss_cycles=5",
                                  "l2.same_line_cycles=8",
                                  "l2.shared_line_cycles=0",
                                  "l2.atomic_cycles=12",
                                  "hbm.channel_bytes=16",
                                  "hbm.efficiency=1",
                                  "hbm.access_cycles=30",
                                  "hbm.activate_cycles=0",
                                  "hbm.row_miss_cycles=15",
                                  "hbm.turnaround_cycles=7",
                                  "hbm.write_batch=2"};
  all.insert(all.end(), more.begin(), more.end());
  return loadChip("ascend910b1", all).spec;
}

} // namespace dlsim::sim::testing
