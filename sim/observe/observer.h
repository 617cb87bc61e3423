// What the model tells the outside: one call per completed command, per flag and per stretch of stalled
// cycles.
#pragma once

#include "sim/core/command.h"

#include <cstdint>

namespace dlsim::observe {

using core::CommandEffect;
using core::CoreId;
using core::Cycle;
using core::Unit;

// Why the sequencer did not issue.
enum class Stall : uint8_t {
  None,
  QueueFull,     // of the unit given
  ScalarLatency, // a register's result is not there yet
  ICache,
  DCache,
  Branch,    // taken-branch penalty
  Flag,      // the scalar unit waits for a flag of the unit given
  Barrier,   // barrier.all
  CrossFlag, // the scalar unit waits for a cross-core flag
  UbBusy,    // a UB load or store lost the bank
};
inline constexpr unsigned kStalls = 10;
const char* stallName(Stall stall);

struct StallRecord {
  CoreId core;
  Stall why = Stall::None;
  Unit unit = Unit::S; // QueueFull: whose queue; Flag: who sets it
  uint8_t id = 0;      // Flag, CrossFlag
  uint32_t pc = 0;
  Cycle begin = 0;
  Cycle end = 0;
};

// A unit (not the sequencer) held by a flag at the head of its queue.
struct WaitRecord {
  CoreId core;
  Unit unit = Unit::S;
  Unit peer = Unit::S;
  uint8_t id = 0;
  bool cross = false; // a cross-core flag: id only
  uint32_t pc = 0;
  Cycle begin = 0;
  Cycle end = 0;
};

struct FlagRecord {
  CoreId core;
  Unit source = Unit::S;
  Unit target = Unit::S;
  uint8_t id = 0;
  bool set = false; // false: a wait took a token
  bool cross = false;
  uint32_t pc = 0;
  Cycle at = 0;
  Cycle position = 0; // set: when its unit's issue stage came to it, before later waits
  uint8_t mode = 0;   // a cross-core flag's set
};

// barrier.all has found all queues of its core empty.
struct BarrierRecord {
  CoreId core;
  uint32_t pc = 0;
  Cycle at = 0;
};

// A load or store of the scalar unit in UB.
struct ScalarAccess {
  CoreId core;
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool write = false;
  uint32_t pc = 0;
  Cycle at = 0;
};

// A value that the program hands to the host, the next one of a message of the kernel binary.
struct PrintRecord {
  CoreId core;
  uint32_t message = 0;
  uint64_t value = 0; // as a register holds it
  uint32_t pc = 0;
  Cycle at = 0;
};

// One issued bundle; slots is a bit per slot: 0 S0, 1 S1, 2 MTE1, 3 MTE2, 4 MTE3, 5 FIX, 6 M, 7 V.
struct BundleRecord {
  CoreId core;
  uint8_t slots = 0;
  uint32_t pc = 0;
  Cycle at = 0;
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual void command(const CommandEffect&) {}
  virtual void stall(const StallRecord&) {}
  virtual void wait(const WaitRecord&) {}
  virtual void flag(const FlagRecord&) {}
  virtual void bundle(const BundleRecord&) {}
  virtual void barrier(const BarrierRecord&) {}
  virtual void access(const ScalarAccess&) {}
  virtual void print(const PrintRecord&) {}
};

} // namespace dlsim::observe
