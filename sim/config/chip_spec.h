// Every parameter of a chip, as plain data. Filled from a TOML chip file by loadChip (chip_file.h); the table
// in schema.cpp names each key with its unit, range and meaning. Units: bytes, core cycles, bytes per cycle.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlsim::sim {

/// An on-chip memory of a core kind: L1, L0A, L0B, L0C, UB, BT, FB, or a chip's own.
struct ScopeSpec {
  std::uint64_t bytes = 0;
  std::uint32_t align = 0; // required alignment of a command's address
};

/// A path a unit can move data along, e.g. MTE1 from L1 to L0A.
struct PathSpec {
  std::string unit, from, to; // unit as in CoreKindSpec::units, scopes by name, "gm" for global memory
  double bytesPerCycle = 0;
};

struct InstructionCacheSpec {
  std::uint32_t bytes = 0, lineBytes = 0, ways = 0;
  std::uint32_t prefetchBytes = 0; // fetched ahead of a miss, in lines
};

struct DataCacheSpec {
  std::uint32_t bytes = 0, lineBytes = 0, ways = 0;
  std::uint32_t hitCycles = 0;
};

/// A kind of core. Nothing outside the chip file decides what an "aic" or "aiv" is.
struct CoreKindSpec {
  std::string name;
  std::uint32_t perCluster = 0;
  std::vector<std::string> units; // "S", "MTE1", ...: the ISA's unit names
  std::uint32_t queueDepth = 0;   // entries of each unit's command queue
  std::map<std::string, ScopeSpec> scopes;
  std::map<std::string, PathSpec> paths;
  InstructionCacheSpec icache;
  DataCacheSpec dcache;

  bool hasUnit(const std::string& unit) const;
  const ScopeSpec* scope(const std::string& name) const;
  /// The path of `unit` from `from` to `to`, or null.
  const PathSpec* path(const std::string& unit, const std::string& from, const std::string& to) const;
};

/// The sequencer's scalar side. Cycles are result latencies; the interlock waits for them.
struct ScalarSpec {
  std::uint32_t aluCycles = 0, mulCycles = 0, divCycles = 0, fpuCycles = 0, fdivCycles = 0;
  std::uint32_t branchTakenCycles = 0; // bubbles after a taken branch
  std::uint32_t sregCycles = 0;
  std::uint32_t ubLoadCycles = 0, ubStoreCycles = 0;
  std::uint32_t storeBufferEntries = 0;
};

struct SyncSpec {
  std::uint32_t setFlagCycles = 0, waitFlagCycles = 0;
  std::uint32_t flagIds = 0, flagMax = 0; // ids a unit pair, highest count
  std::uint32_t barrierCycles = 0;        // a drained barrier of all units
  std::uint32_t crossCoreMax = 0;         // highest count of a cross-core flag
  std::uint32_t crossCoreCycles = 0;      // set on one core to visible on another
};

/// MTE1: L1 to L0A, L0B, BT, FB. Widths are the paths'; start-ups by kind of load.
struct Mte1Spec {
  std::uint32_t load2dStartupCycles = 0;
  std::uint32_t load3dStartupCycles = 0; // of an img2col load
  std::uint32_t tableStartupCycles = 0;  // to BT and FB
  std::uint32_t chainedCycles = 0;       // part of the start-up that passes before the next load may start
  bool overlapStartup = false;           // the next load starts while this one's pipeline drains
  double l1WriteBytes = 0;               // a cycle, into L1
  std::uint32_t l1Banks = 0;             // every so many-th row written beside a load meets it; 0: none does
};

struct CubeTypeSpec {
  std::uint32_t m = 0, n = 0, k = 0; // multiplied in one cycle: m x k by k x n
};

struct CubeSpec {
  std::map<std::string, CubeTypeSpec> types; // by dtype name: f16 bf16 f32 hf32 i8
  std::uint32_t startupCycles = 0;           // of an mmad that finds the array empty
  std::uint32_t chainedCycles = 0;           // part of it that an mmad behind another one still pays
  bool overlapStartup = false;               // false: every mmad pays the whole start-up
  std::uint32_t aHoldSteps = 0; // N steps for which an A fractal stays in the array before it is read again
};

struct FixSpec {
  std::uint32_t startupCycles = 0;
  std::uint32_t elementsPerCycle = 0; // read from L0C
  bool overlapStartup = false;
};

/// A class of vector operations: cycles of a command = startup + the sum over its repeats.
struct VectorOpSpec {
  std::uint32_t startupCycles = 0;
  double cycles16 = 0; // per 256-byte repeat of 16-bit elements, without bank conflicts
  double cycles32 = 0; // of 32-bit elements
};

struct VectorSpec {
  std::uint32_t isolatedCycles = 0;        // added when the unit was idle before the command
  std::uint32_t countModeCycles = 0;       // added once in count mode
  std::uint32_t maskCycles = 0;            // v.mask, v.count
  std::map<std::string, VectorOpSpec> ops; // by mnemonic without "v.": add, exp, ...; "default" for the rest

  const VectorOpSpec& op(const std::string& mnemonic) const;
};

/// UB banks: group = address[8:5], bank = address[17:16] for the 910B.
struct UbSpec {
  std::uint32_t groups = 0, banksPerGroup = 0, rowBytes = 0, bankBytes = 0;
  std::uint32_t readsPerGroup = 0, writesPerGroup = 0; // rows a cycle
  std::uint32_t mteReadBytes = 0, mteWriteBytes = 0;   // a cycle, for MTE3 and MTE2
  bool conflicts = false;                              // rows of one bank or group wait for each other
};

/// The DMA engines that move bursts between a core and global memory.
struct DmaSpec {
  std::uint32_t commandCycles = 0;        // an engine takes one command in this many cycles
  std::uint32_t startupCycles = 0;        // from a command's start to its first request
  std::uint32_t burstCycles = 0;          // least cycles between the first requests of two bursts
  std::uint32_t nd2nzRowCycles = 0;       // the same for the rows of nd2nz
  double nd2nzBytesPerCycle = 0;          // rate at which nd2nz takes rows apart
  double nd2nzUnalignedBytesPerCycle = 0; // of rows that do not begin at a multiple of 32 bytes
  std::uint32_t gatherRowCycles = 0;      // the same for gathered rows
  std::uint32_t requestCycles = 0;        // an engine issues one request in this many cycles
  std::vector<std::uint32_t> pieces;      // request sizes, largest first
  std::uint32_t readFloor = 0;            // a read moves at least this, aligned to it
  std::uint32_t wordBytes = 0;            // unit of the read counters
  std::uint32_t readWindow = 0;           // requests in flight for one engine
  std::uint32_t writeWindow = 0;
  std::uint32_t scalarWindow = 0;     // line fills and instruction fetches in flight
  std::uint32_t commandsInFlight = 0; // commands an engine may have unfinished
};

struct NocSpec {
  std::uint32_t requestCycles = 0;  // core to slice
  std::uint32_t responseCycles = 0; // slice to core
  double readChannelBytes = 0;      // a cycle, each of the two read channels of a core
  double writeChannelBytes = 0;     // a cycle, the write channel of a core
  double sliceReadBytes = 0;        // a cycle, out of a slice
  double sliceWriteBytes = 0;       // a cycle, into a slice
};

struct L2Spec {
  std::uint32_t slices = 0, sets = 0, ways = 0; // sets of one slice
  std::uint32_t lineBytes = 0;
  std::uint32_t sectorBytes = 0;      // granule of a fill
  double portBytes = 0;               // a cycle, reads and writes of one slice together
  std::uint32_t readCycles = 0;       // a read hit: port to response
  std::uint32_t writeCycles = 0;      // a write: port to acknowledgement
  std::uint32_t missCycles = 0;       // a miss found: lookup to HBM request, and fill to response
  std::uint32_t sameLineCycles = 0;   // a line on its way from HBM: a request holds the slice so much longer
  std::uint32_t sharedLineCycles = 0; // another core's answer on its way: a read of a whole line does
  std::uint32_t atomicCycles = 0;     // an atomic update holds the slice this long
  std::uint32_t mshrs = 0;            // fetches in flight of one slice
  bool fetchOnPartialWrite = false;   // a write miss that covers part of a sector fetches it
  bool evictions = false;             // a full set gives up a line for a new one; false: L2 has no end
  bool writeBack = false;             // a dirty line given up is written to HBM; false: it costs nothing
  std::uint64_t bytes() const { return std::uint64_t{slices} * sets * ways * lineBytes; }
};

struct HbmSpec {
  std::uint32_t stacks = 0, channelsPerStack = 0, banksPerChannel = 0;
  std::uint32_t rowBytes = 0;
  double channelBytes = 0;            // a cycle, peak of one channel
  double efficiency = 0;              // share of the peak left by refresh and command overhead
  std::uint32_t accessCycles = 0;     // open row: request to first data
  double activateCycles = 0;          // least time between two row openings of a channel
  bool rowMisses = false;             // a bank has one row open; false: all of its rows
  std::uint32_t rowMissCycles = 0;    // added to close a row and open another
  std::uint32_t turnaroundCycles = 0; // a channel changes between reading and writing
  std::uint32_t writeBatch = 0;       // writes a channel collects before it turns round
  std::uint64_t capacityBytes = 0;
  std::uint32_t channels() const { return stacks * channelsPerStack; }
};

struct LaunchSpec {
  std::uint32_t headCycles = 0;     // host-visible start to the first core's dispatch
  std::uint32_t dispatchCycles = 0; // between the dispatch of two cores
  std::uint32_t coreInitCycles = 0; // dispatch to the first bundle of a core
  std::uint32_t tailCycles = 0;     // last core's exit to the end of the task
  std::uint32_t mixCycles = 0;      // added to the head when both core kinds start
};

struct ChipSpec {
  std::string name, description;
  double clockMhz = 0;
  std::uint32_t clusters = 0;
  std::vector<CoreKindSpec> kinds; // in the order of the chip file
  ScalarSpec scalar;
  SyncSpec sync;
  Mte1Spec mte1;
  CubeSpec cube;
  FixSpec fix;
  VectorSpec vector;
  UbSpec ub;
  DmaSpec dma;
  NocSpec noc;
  L2Spec l2;
  HbmSpec hbm;
  LaunchSpec launch;

  const CoreKindSpec* kind(const std::string& name) const;
  /// Cores of one kind.
  std::uint32_t count(const std::string& kind) const;
  /// Cores of all kinds.
  std::uint32_t cores() const;
  /// Index over all cores: kinds one after another, cores of a kind by number (aic 0..23, then aiv 0..47).
  std::uint32_t coreIndex(const std::string& kind, std::uint32_t number) const;
  const CoreKindSpec& kindOfCore(std::uint32_t coreIndex) const;
};

} // namespace dlsim::sim
