// A command as the sequencer issues it, and the record of what it touched and when.
// Units never format text; the counters, the trace, the checks and the values all read these records.
#pragma once

#include "isa/tables/tables.h"

#include <array>
#include <cstdint>
#include <string>

namespace dlsim::core {

using Cycle = uint64_t;

// Unit numbers are part of the ISA (flag words name them): isa/isa/DLNPUSync.td.
using Unit = isa::Unit;
inline constexpr unsigned kUnits = isa::kNumUnits;
std::string unitText(Unit unit); // "MTE2"

// The address spaces that a command's operands live in.
enum class Space : uint8_t { GM, L1, L0A, L0B, L0C, UB, BT, FB };
inline constexpr unsigned kSpaces = 8;
const char* spaceName(Space space); // "L0A", for messages
std::string spaceKey(Space space);  // "l0a", as chip files write it

// One issued command: register operands as they were when its bundle issued.
struct Command {
  isa::Opcode op{};
  std::array<uint64_t, 6> r{}; // in operand order, absent ones are zero
  uint32_t imm = 0;            // the raw immediate field; isa tables name its parts
  uint32_t pc = 0;             // byte offset in the text section, for the source line
};

struct CoreState; // on-chip memories and vector lane state: sim/core/core_state.h

// A strided region: for j < count1, i < count0: `bytes` bytes at address + j * stride1 + i * stride0.
// Every command's accesses are a few of these (a transfer has one per side, a vector command one per
// operand).
struct Footprint {
  uint64_t address = 0;
  uint64_t bytes = 0;
  int64_t stride0 = 0;
  int64_t stride1 = 0;
  uint32_t count0 = 1;
  uint32_t count1 = 1;
  Space space = Space::GM;
  bool write = false;

  bool empty() const { return bytes == 0 || count0 == 0 || count1 == 0; }
  uint64_t totalBytes() const { return bytes * count0 * count1; }
  // The smallest interval [lowest, end) that holds it.
  uint64_t lowest() const;
  uint64_t end() const;
};

inline constexpr unsigned kMaxFootprints = 8;
struct Footprints {
  std::array<Footprint, kMaxFootprints> items;
  uint8_t count = 0;
  void add(const Footprint& f) { items[count++] = f; }
  const Footprint* begin() const { return items.data(); }
  const Footprint* end() const { return items.data() + count; }
};

// Where a core is: hierarchical, so that chips and clusters can be added.
struct CoreId {
  uint16_t device = 0;
  uint16_t group = 0;  // an AIC and its AIVs form a group
  uint8_t kind = 0;    // index into the chip file's core kinds
  uint8_t subcore = 0; // number within the group and kind
  uint16_t index = 0;  // number among all cores of the kind
  uint16_t dense = 0;  // number among all cores of the device
};

// One command of a unit, reported when it has completed.
struct CommandEffect {
  CoreId core;
  Unit unit = Unit::S;
  const Command* command = nullptr; // valid during the call only
  Footprints footprints;
  Footprint picked;  // v.gather: what its offsets picked; empty when values are skipped
  Cycle issued = 0;  // bundle issue
  Cycle ready = 0;   // reached the head of its unit, which was free
  Cycle started = 0; // after waiting for a flag or a shared resource
  Cycle completed = 0;
  // Timing detail of the unit, in cycles; zero where it does not apply.
  uint32_t work_cycles = 0;         // the rate-bound part of the cost
  uint32_t bankgroup_conflicts = 0; // read-read or write-write in one UB bank group
  uint32_t bank_conflicts = 0;      // read-write in one UB bank
  uint32_t mte_conflicts = 0;       // lost to a transfer that had the bank
  uint32_t repeats = 0;             // vector: repeats walked
  uint16_t lanes = 0;               // vector: elements of a full repeat
  uint8_t read_conflict = 0;        // vector, first repeat: rows read beyond the first in the fullest group
  uint8_t write_conflict = 0;       // the same for rows written
  uint64_t elements = 0;            // vector: active elements over all repeats
  uint64_t bytes_read = 0;          // true bytes, before any request is rounded up
  uint64_t bytes_written = 0;
};

} // namespace dlsim::core
