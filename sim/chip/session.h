// Loading and launching kernels. A System is the hardware: calendar, chip, caches. A Session is what a host
// program holds: global memory with its allocations, which lives on, like caches and calendar, from launch to
// launch.
#pragma once

#include "sim/core/command.h"
#include "sim/core/fault.h"
#include "sim/observe/counters.h"
#include "sim/observe/observer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlsim::dlk {
struct Kernel;
}
namespace dlsim::sim {
class GlobalMemory;
class Calendar;
class MemorySystem;
struct ChipSpec;
} // namespace dlsim::sim

namespace dlsim::chip {

using core::Cycle;

struct SystemOptions {
  bool systemc = true;      // SystemC hosts the calendar; false: it runs by itself, with the same results
  Cycle quantum = 0;        // calendar cycles per SystemC activation; changes speed only
  bool timing_only = false; // bulk commands move no values, their destinations become poison
};

class System {
public:
  explicit System(const sim::ChipSpec& spec, SystemOptions options = {});
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  const sim::ChipSpec& spec() const;
  const SystemOptions& options() const;
  Cycle now() const;
  sim::Calendar& calendar();
  const sim::MemorySystem& memorySystem() const;

private:
  friend class Session;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct Launch {
  const dlk::Kernel* kernel = nullptr;
  std::vector<uint64_t> args; // 8-byte slots in the order of the kernel's arguments
  std::array<uint64_t, 3> grid{1, 1, 1};
  Cycle max_cycles = 0; // 0: no limit
  unsigned cores = 0;   // use only the first so many cores of the kernel's kind; 0: all
};

struct RunResult {
  Cycle cycles = 0;   // task time: head, dispatch and blocks
  Cycle head = 0;     // before the first core starts
  unsigned cores = 0; // cores of the kernel's main kind
  Cycle start = 0;    // calendar cycle at which the task began; observers' records are in calendar cycles
  unsigned flags_left = 0;    // tokens that the cores left in their flags: sets without a wait
  observe::Counters counters; // of this launch alone
  std::optional<core::Fault> fault;
};

class Session {
public:
  explicit Session(System& system);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  System& system();
  sim::GlobalMemory& memory();

  // Device memory for a tensor or workspace: 4 KiB aligned, a guard page behind it, bytes read as "never
  // written".
  uint64_t allocate(uint64_t bytes, const std::string& name);
  void write(uint64_t address, const void* data, uint64_t bytes);
  void zero(uint64_t address, uint64_t bytes); // between launches
  void read(uint64_t address, void* data, uint64_t bytes) const;

  // Observers see every launch from here on, in the order of subscription; the caller keeps them alive.
  void subscribe(observe::Observer& observer);
  void unsubscribe(observe::Observer& observer);

  // Cold L2 and closed rows, as at the start.
  void coolDown();

  // Runs the kernel to its end, a fault or the cycle limit. Throws std::runtime_error for a launch that
  // cannot start (argument count, core kind that the chip lacks, workspace).
  RunResult launch(const Launch& launch);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace dlsim::chip
