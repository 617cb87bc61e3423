// Performance counters: what the profiler's columns are made of, and what a device cannot show.
#pragma once

#include "sim/core/command.h"
#include "sim/observe/observer.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlsim::observe {

struct UnitCounters {
  uint64_t instructions = 0; // commands, without flags and barriers
  Cycle busy = 0;            // cycles in which a command was in execution
  Cycle wait = 0;            // cycles held by a flag or barrier at the head of the queue
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

// Kinds of elements that the profiler tells apart.
enum class VectorKind : uint8_t { Fp32, Fp16, Int32, Int16, Misc };
inline constexpr unsigned kVectorKinds = 5;
const char* vectorKindName(VectorKind kind); // "fp32"

struct VectorWork {
  Cycle cycles = 0;     // of work, conflicts included
  uint64_t repeats = 0; // of 256 bytes
  uint64_t elements = 0;
};

// One core's counters for one launch; cycles are core cycles.
struct CoreCounters {
  core::CoreId core;
  bool used = false;
  Cycle start = 0; // first bundle, relative to the launch
  Cycle end = 0;   // queues drained
  Cycle total() const { return end - start; }

  std::array<UnitCounters, core::kUnits> unit{};
  std::array<Cycle, kStalls> stall{};                 // sequencer, by reason
  std::array<Cycle, core::kUnits> queue_full{};       // sequencer, by unit
  std::array<Cycle, core::kUnits> scalar_flag_wait{}; // sequencer, by the unit that sets the flag
  std::array<Cycle, 16> wait_id{}; // cycles in which something waited for a flag of this id
  uint64_t bundles = 0, words = 0, single_issue = 0, dual_issue = 0;
  std::array<uint64_t, 8> slot_words{};
  uint64_t scalar_instructions = 0;
  Cycle scalar_busy = 0;
  uint64_t icache_requests = 0, icache_misses = 0, dcache_requests = 0, dcache_misses = 0;

  // Global memory requests as the memory system counted them: read channels 0 and 1 in 128-byte words, writes
  // in requests. Misses with and without allocation.
  uint64_t r0_hit = 0, r0_miss = 0, r1_hit = 0, r1_miss = 0, write_hit = 0, write_miss = 0;
  uint64_t r0_miss_no_allocate = 0, r1_miss_no_allocate = 0, write_miss_no_allocate = 0;
  uint64_t gm_read_bytes = 0, gm_write_bytes = 0; // requested, request floors included

  // By space, true bytes.
  std::array<uint64_t, core::kSpaces> space_read{}, space_written{};

  // Cube: mmad by kind and the true and the charged multiply-accumulates.
  uint64_t mmad_fp = 0, mmad_int = 0, macs = 0, macs_charged = 0;
  Cycle cube_fp_cycles = 0, cube_int_cycles = 0;
  // Traffic of the cube: fractals of 512 bytes read from L0A and L0B, of 1024 bytes read and written in L0C.
  uint64_t l0a_reads = 0, l0b_reads = 0, l0c_reads = 0, l0c_writes = 0;
  uint64_t fix_l1_bytes = 0; // written into L1 by the fixpipe
  bool hf32 = false;         // an mmad in hf32 was executed
  // Vector: by the kind of element, and of the cycles those lost to conflicts.
  std::array<VectorWork, kVectorKinds> vec{};
  Cycle bankgroup_conflict = 0, bank_conflict = 0, resource_conflict = 0, mte_conflict = 0;
  uint64_t ub_scalar_reads = 0, ub_scalar_writes = 0;
};

// Memory system totals of a launch.
struct MemoryCounters {
  uint64_t l2_read_hit = 0, l2_read_miss = 0, l2_write_hit = 0, l2_write_miss = 0;
  uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
  uint64_t hbm_row_hits = 0, hbm_row_misses = 0;
  uint64_t same_line_max = 0; // most requests waiting on one line at a time
  double same_line_mean = 0;  // mean over requests
  Cycle same_line_wait = 0;
  std::vector<uint64_t>
      same_line_sharers; // [n]: requests that were the n-th of one fetch; the last holds all above
};

struct SourceStall {
  std::array<Cycle, kStalls> cycles{};
  Cycle issue = 0; // bundles issued
};

struct Counters {
  std::vector<CoreCounters> cores;
  MemoryCounters memory;
  // Sequencer cycles by place: core kind (its number in the chip file) << 32 | byte offset in that kind's
  // text.
  std::map<uint64_t, SourceStall> by_pc;
};

} // namespace dlsim::observe
