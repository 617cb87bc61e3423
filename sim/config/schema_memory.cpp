// Schema of everything beyond the cores: DMA engines, NoC, L2 and HBM.
#include "sim/config/schema_parts.h"

namespace dlsim::sim {

#define AT(expr) [](ChipSpec& c, const ChipNames& n) -> ChipSlot { return &(expr); }

void addMemorySchema(std::vector<SchemaEntry>& all) {
  const std::vector<SchemaEntry> entries = {
      {"dma.command_cycles", "cycles", 0, 10000, "an engine takes one command in this many cycles",
       AT(c.dma.commandCycles)},
      {"dma.startup_cycles", "cycles", 0, 10000, "a command's start to its first request",
       AT(c.dma.startupCycles)},
      {"dma.burst_cycles", "cycles", 0, 10000, "least time between the starts of two bursts of a command",
       AT(c.dma.burstCycles)},
      {"dma.nd2nz_row_cycles", "cycles", 0, 10000, "least time between the starts of two rows of nd2nz",
       AT(c.dma.nd2nzRowCycles)},
      {"dma.nd2nz_bytes_per_cycle", "bytes/cycle", 0.1, 65536, "rate at which nd2nz takes rows apart",
       AT(c.dma.nd2nzBytesPerCycle)},
      {"dma.gather_row_cycles", "cycles", 0, 10000, "least time between the starts of two gathered rows",
       AT(c.dma.gatherRowCycles)},
      {"dma.request_cycles", "cycles", 0, 1000, "an engine issues one request in this many cycles",
       AT(c.dma.requestCycles)},
      {"dma.pieces", "bytes", 16, 4096, "request sizes, largest first; a request is aligned to its size",
       AT(c.dma.pieces), true},
      {"dma.read_floor", "bytes", 16, 4096, "least bytes that a read moves", AT(c.dma.readFloor), true},
      {"dma.word_bytes", "bytes", 16, 4096, "unit in which the profiler counts reads", AT(c.dma.wordBytes),
       true},
      {"dma.read_window", "requests", 1, 4096, "reads in flight of one engine", AT(c.dma.readWindow)},
      {"dma.write_window", "requests", 1, 4096, "writes in flight of one engine", AT(c.dma.writeWindow)},
      {"dma.scalar_window", "requests", 1, 4096, "line fills or instruction fetches in flight of one core",
       AT(c.dma.scalarWindow)},
      {"dma.commands_in_flight", "commands", 1, 4096, "commands of one engine that may be unfinished",
       AT(c.dma.commandsInFlight)},

      {"noc.request_cycles", "cycles", 0, 10000, "core to slice", AT(c.noc.requestCycles)},
      {"noc.response_cycles", "cycles", 0, 10000, "slice to core", AT(c.noc.responseCycles)},
      {"noc.read_channel_bytes", "bytes/cycle", 0.1, 65536, "each of the two read channels of a core",
       AT(c.noc.readChannelBytes)},
      {"noc.write_channel_bytes", "bytes/cycle", 0.1, 65536, "the write channel of a core",
       AT(c.noc.writeChannelBytes)},
      {"noc.slice_read_bytes", "bytes/cycle", 0.1, 65536, "out of one slice", AT(c.noc.sliceReadBytes)},
      {"noc.slice_write_bytes", "bytes/cycle", 0.1, 65536, "into one slice", AT(c.noc.sliceWriteBytes)},

      {"l2.slices", "", 1, 1024, "slices, chosen by a hash of the line address", AT(c.l2.slices)},
      {"l2.sets", "", 1, 1 << 22, "sets of one slice", AT(c.l2.sets)},
      {"l2.ways", "", 1, 64, "lines of a set, replaced least recently used first", AT(c.l2.ways)},
      {"l2.line_bytes", "bytes", 32, 4096, "line size", AT(c.l2.lineBytes), true},
      {"l2.sector_bytes", "bytes", 16, 4096, "granule of a fetch from HBM", AT(c.l2.sectorBytes), true},
      {"l2.port_bytes", "bytes/cycle", 0.1, 65536, "read and written by one slice together",
       AT(c.l2.portBytes)},
      {"l2.read_cycles", "cycles", 0, 10000, "a read hit, from the port to the response",
       AT(c.l2.readCycles)},
      {"l2.write_cycles", "cycles", 0, 10000, "a write, from the port to the acknowledgement",
       AT(c.l2.writeCycles)},
      {"l2.miss_cycles", "cycles", 0, 10000, "lookup of a miss to its request at HBM", AT(c.l2.missCycles)},
      {"l2.same_line_cycles", "cycles", 0, 10000,
       "a request for a line that is in use by another core holds the slice this much longer",
       AT(c.l2.sameLineCycles)},
      {"l2.atomic_cycles", "cycles", 0, 10000, "an atomic update holds the slice this long",
       AT(c.l2.atomicCycles)},
      {"l2.mshrs", "", 1, 4096, "fetches in flight of one slice", AT(c.l2.mshrs)},
      {"l2.fetch_on_partial_write", "", 0, 0, "a write miss that covers part of a sector fetches the sector",
       AT(c.l2.fetchOnPartialWrite)},
      {"l2.evictions", "", 0, 0, "a full set gives up a line for a new one; false: L2 has no end",
       AT(c.l2.evictions)},
      {"l2.write_back", "", 0, 0, "a dirty line that L2 gives up is written to HBM; false: it costs nothing",
       AT(c.l2.writeBack)},

      {"hbm.stacks", "", 1, 64, "stacks", AT(c.hbm.stacks)},
      {"hbm.channels_per_stack", "", 1, 256, "channels of a stack", AT(c.hbm.channelsPerStack)},
      {"hbm.banks_per_channel", "", 1, 1024, "banks of a channel, one row open in each",
       AT(c.hbm.banksPerChannel)},
      {"hbm.row_bytes", "bytes", 64, 65536, "bytes of a row", AT(c.hbm.rowBytes), true},
      {"hbm.channel_bytes", "bytes/cycle", 0.1, 65536, "peak of one channel, reads and writes together",
       AT(c.hbm.channelBytes)},
      {"hbm.efficiency", "", 0.01, 1, "share of the peak left by refresh and command overhead",
       AT(c.hbm.efficiency)},
      {"hbm.access_cycles", "cycles", 0, 10000, "request to first data in an open row",
       AT(c.hbm.accessCycles)},
      {"hbm.row_misses", "", 0, 0, "a bank has one row open; false: all of its rows are",
       AT(c.hbm.rowMisses)},
      {"hbm.row_miss_cycles", "cycles", 0, 10000, "added to close a row and open another",
       AT(c.hbm.rowMissCycles)},
      {"hbm.activate_cycles", "cycles", 0, 1000, "least time between two row openings of a channel",
       AT(c.hbm.activateCycles)},
      {"hbm.turnaround_cycles", "cycles", 0, 10000, "a channel changes between reading and writing",
       AT(c.hbm.turnaroundCycles)},
      {"hbm.write_batch", "writes", 1, 4096, "writes that a channel collects before it turns round",
       AT(c.hbm.writeBatch)},
      {"hbm.capacity_bytes", "bytes", 1, 1e15, "device memory size", AT(c.hbm.capacityBytes)},
  };
  all.insert(all.end(), entries.begin(), entries.end());
}

#undef AT

} // namespace dlsim::sim
