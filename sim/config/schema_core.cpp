// Schema of the chip's cores: kinds, scalar side, units and launch.
#include "sim/config/schema_parts.h"

namespace dlsim::sim {

namespace {

CoreKindSpec& kindNamed(ChipSpec& chip, const std::string& name) {
  for (CoreKindSpec& kind : chip.kinds)
    if (kind.name == name)
      return kind;
  chip.kinds.emplace_back();
  chip.kinds.back().name = name;
  return chip.kinds.back();
}

} // namespace

// A field of the chip, of the kind named by the first star, or of a named part.
#define AT(expr) [](ChipSpec& c, const ChipNames& n) -> ChipSlot { return &(expr); }
#define KIND kindNamed(c, n[0])

void addCoreSchema(std::vector<SchemaEntry>& all) {
  const std::vector<SchemaEntry> entries = {
      {"name", "", 0, 0, "name of the chip", AT(c.name)},
      {"description", "", 0, 0, "one line about it", AT(c.description)},
      {"chip.clock_mhz", "MHz", 1, 10000, "core clock", AT(c.clockMhz)},
      {"chip.clusters", "", 1, 256, "groups of cores; each holds per_cluster cores of every kind",
       AT(c.clusters)},

      {"core.*.per_cluster", "cores", 1, 8, "cores of this kind in a cluster", AT(KIND.perCluster)},
      {"core.*.units", "", 0, 0, "units that have a command queue, by ISA name", AT(KIND.units)},
      {"core.*.queue_depth", "commands", 1, 1024,
       "entries of each unit's queue; a full queue stalls the sequencer", AT(KIND.queueDepth)},
      {"core.*.scope.*.bytes", "bytes", 1, 1 << 24, "size of an on-chip memory", AT(KIND.scopes[n[1]].bytes)},
      {"core.*.scope.*.align", "bytes", 1, 4096, "alignment that commands must keep",
       AT(KIND.scopes[n[1]].align), true},
      {"core.*.path.*.unit", "", 0, 0, "unit that moves data along the path", AT(KIND.paths[n[1]].unit)},
      {"core.*.path.*.from", "", 0, 0, "source scope, or gm", AT(KIND.paths[n[1]].from)},
      {"core.*.path.*.to", "", 0, 0, "destination scope, or gm", AT(KIND.paths[n[1]].to)},
      {"core.*.path.*.bytes_per_cycle", "bytes/cycle", 0.1, 65536, "width of the path",
       AT(KIND.paths[n[1]].bytesPerCycle)},
      {"core.*.icache.bytes", "bytes", 64, 1 << 22, "instruction cache size", AT(KIND.icache.bytes)},
      {"core.*.icache.line_bytes", "bytes", 16, 4096, "instruction cache line", AT(KIND.icache.lineBytes),
       true},
      {"core.*.icache.ways", "", 1, 64, "instruction cache ways", AT(KIND.icache.ways)},
      {"core.*.icache.prefetch_bytes", "bytes", 0, 65536, "fetched from the missing line on",
       AT(KIND.icache.prefetchBytes)},
      {"core.*.dcache.bytes", "bytes", 64, 1 << 22, "scalar data cache size", AT(KIND.dcache.bytes)},
      {"core.*.dcache.line_bytes", "bytes", 16, 4096, "scalar data cache line", AT(KIND.dcache.lineBytes),
       true},
      {"core.*.dcache.ways", "", 1, 64, "scalar data cache ways", AT(KIND.dcache.ways)},
      {"core.*.dcache.hit_cycles", "cycles", 1, 1000, "load hit to result", AT(KIND.dcache.hitCycles)},

      {"scalar.alu_cycles", "cycles", 1, 1000, "result latency of integer ALU operations",
       AT(c.scalar.aluCycles)},
      {"scalar.mul_cycles", "cycles", 1, 1000, "result latency of multiplication", AT(c.scalar.mulCycles)},
      {"scalar.div_cycles", "cycles", 1, 1000, "result latency of integer division", AT(c.scalar.divCycles)},
      {"scalar.fpu_cycles", "cycles", 1, 1000, "result latency of f32 operations", AT(c.scalar.fpuCycles)},
      {"scalar.fdiv_cycles", "cycles", 1, 1000, "result latency of f32 division", AT(c.scalar.fdivCycles)},
      {"scalar.branch_taken_cycles", "cycles", 0, 1000, "bubbles after a taken branch",
       AT(c.scalar.branchTakenCycles)},
      {"scalar.sreg_cycles", "cycles", 1, 1000, "result latency of a special register read",
       AT(c.scalar.sregCycles)},
      {"scalar.ub_load_cycles", "cycles", 1, 1000, "result latency of a scalar load from UB",
       AT(c.scalar.ubLoadCycles)},
      {"scalar.ub_store_cycles", "cycles", 1, 1000, "time a scalar store to UB occupies",
       AT(c.scalar.ubStoreCycles)},
      {"scalar.store_buffer_entries", "", 1, 1024,
       "stores to global memory on the way before the scalar unit stalls", AT(c.scalar.storeBufferEntries)},

      {"sync.set_flag_cycles", "cycles", 0, 1000,
       "set_flag, when all before it has completed, to visible token", AT(c.sync.setFlagCycles)},
      {"sync.wait_flag_cycles", "cycles", 0, 1000, "time a satisfied wait_flag occupies its unit",
       AT(c.sync.waitFlagCycles)},
      {"sync.flag_ids", "", 1, 64, "flag ids of a pair of units", AT(c.sync.flagIds)},
      {"sync.flag_max", "", 1, 255, "highest count of a flag", AT(c.sync.flagMax)},
      {"sync.barrier_cycles", "cycles", 0, 100000, "barrier of all units when all are drained",
       AT(c.sync.barrierCycles)},
      {"sync.cross_core_max", "", 1, 255, "highest count of a cross-core flag", AT(c.sync.crossCoreMax)},
      {"sync.cross_core_cycles", "cycles", 0, 1000000, "cross-core set to visible on the other core",
       AT(c.sync.crossCoreCycles)},

      {"mte1.load2d_startup_cycles", "cycles", 0, 10000, "start-up of a fractal load",
       AT(c.mte1.load2dStartupCycles)},
      {"mte1.load3d_startup_cycles", "cycles", 0, 10000, "start-up of an img2col load",
       AT(c.mte1.load3dStartupCycles)},
      {"mte1.table_startup_cycles", "cycles", 0, 10000, "start-up of a load to BT or FB",
       AT(c.mte1.tableStartupCycles)},
      {"mte1.chained_cycles", "cycles", 0, 10000,
       "part of the start-up that a load pays before the next may start, with overlap_startup",
       AT(c.mte1.chainedCycles)},
      {"mte1.overlap_startup", "", 0, 0, "the next load starts while this one's pipeline drains",
       AT(c.mte1.overlapStartup)},
      {"mte1.l1_write_bytes", "bytes/cycle", 0.1, 65536, "what transfers write into L1",
       AT(c.mte1.l1WriteBytes)},
      {"mte1.l1_banks", "", 0, 64,
       "banks of L1: every so many-th row that a transfer writes beside a load meets it; 0: none does",
       AT(c.mte1.l1Banks)},
      {"cube.type.*.m", "", 1, 1024, "rows multiplied in a cycle", AT(c.cube.types[n[0]].m)},
      {"cube.type.*.n", "", 1, 1024, "columns multiplied in a cycle", AT(c.cube.types[n[0]].n)},
      {"cube.type.*.k", "", 1, 1024, "depth multiplied in a cycle", AT(c.cube.types[n[0]].k)},
      {"cube.startup_cycles", "cycles", 0, 10000, "start-up of an mmad", AT(c.cube.startupCycles)},
      {"cube.chained_cycles", "cycles", 0, 10000,
       "part of the start-up that an mmad pays behind another one, with overlap_startup",
       AT(c.cube.chainedCycles)},
      {"cube.overlap_startup", "", 0, 0, "the next mmad's start-up runs during this one",
       AT(c.cube.overlapStartup)},
      {"cube.a_hold_steps", "", 1, 1024, "N steps for which an A fractal is held before it is read again",
       AT(c.cube.aHoldSteps)},
      {"fix.startup_cycles", "cycles", 0, 10000, "start-up of a fixpipe command", AT(c.fix.startupCycles)},
      {"fix.elements_per_cycle", "elements/cycle", 1, 65536, "elements read from L0C",
       AT(c.fix.elementsPerCycle)},
      {"fix.overlap_startup", "", 0, 0, "the next command's start-up runs during this command's data",
       AT(c.fix.overlapStartup)},

      {"vector.isolated_cycles", "cycles", 0, 10000, "added when the unit was idle before the command",
       AT(c.vector.isolatedCycles)},
      {"vector.count_mode_cycles", "cycles", 0, 10000, "added once to a command in count mode",
       AT(c.vector.countModeCycles)},
      {"vector.mask_cycles", "cycles", 0, 10000, "v.mask and v.count", AT(c.vector.maskCycles)},
      {"vector.op.*.startup_cycles", "cycles", 0, 10000, "cycles of a command before its first repeat",
       AT(c.vector.ops[n[0]].startupCycles)},
      {"vector.op.*.cycles16", "cycles", 0.01, 100000,
       "cycles of a repeat of 16-bit elements without conflicts", AT(c.vector.ops[n[0]].cycles16)},
      {"vector.op.*.cycles32", "cycles", 0.01, 100000,
       "cycles of a repeat of 32-bit elements without conflicts", AT(c.vector.ops[n[0]].cycles32)},
      {"ub.groups", "", 1, 256, "bank groups of UB, chosen by the low address bits above the row",
       AT(c.ub.groups), true},
      {"ub.banks_per_group", "", 1, 64, "banks of a group", AT(c.ub.banksPerGroup)},
      {"ub.row_bytes", "bytes", 1, 4096, "bytes of a row", AT(c.ub.rowBytes), true},
      {"ub.bank_bytes", "bytes", 32, 1 << 20, "bytes of a bank", AT(c.ub.bankBytes), true},
      {"ub.reads_per_group", "rows/cycle", 1, 64, "rows a bank group reads in a cycle",
       AT(c.ub.readsPerGroup)},
      {"ub.writes_per_group", "rows/cycle", 1, 64, "rows a bank group writes in a cycle",
       AT(c.ub.writesPerGroup)},
      {"ub.mte_read_bytes", "bytes/cycle", 1, 65536, "read by MTE3 in a cycle", AT(c.ub.mteReadBytes)},
      {"ub.mte_write_bytes", "bytes/cycle", 1, 65536, "written by MTE2 in a cycle", AT(c.ub.mteWriteBytes)},
      {"ub.conflicts", "", 0, 0,
       "rows of one bank or group wait for each other; false: all are served at once", AT(c.ub.conflicts)},

      {"launch.head_cycles", "cycles", 0, 1e9, "task start to the first core's dispatch",
       AT(c.launch.headCycles)},
      {"launch.dispatch_cycles", "cycles", 0, 1e9, "between the dispatch of two cores",
       AT(c.launch.dispatchCycles)},
      {"launch.core_init_cycles", "cycles", 0, 1e9, "dispatch of a core to its first bundle",
       AT(c.launch.coreInitCycles)},
      {"launch.tail_cycles", "cycles", 0, 1e9, "exit of the last core to the end of the task",
       AT(c.launch.tailCycles)},
      {"launch.mix_cycles", "cycles", 0, 1e9, "added to the head when cores of two kinds start",
       AT(c.launch.mixCycles)},
  };
  all.insert(all.end(), entries.begin(), entries.end());
}

#undef AT
#undef KIND

} // namespace dlsim::sim
