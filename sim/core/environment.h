// What surrounds a core: time, memory, values and the ones who watch. One per launch, shared by its cores.
#pragma once

#include "sim/calendar/calendar.h"
#include "sim/config/chip_spec.h"
#include "sim/core/core_state.h"
#include "sim/core/cross_flags.h"
#include "sim/core/fault.h"
#include "sim/core/poison.h"
#include "sim/memory/global_memory.h"
#include "sim/memory/gm_transfer.h"
#include "sim/observe/observers.h"

#include <functional>
#include <string>

namespace dlsim::core {

class Core;

// The launch that owns the cores.
class CoreHost {
public:
  virtual ~CoreHost() = default;
  virtual void coreFinished(Core& core, Cycle now) = 0;
  // Stops the run; the first fault is the one that is reported.
  virtual void coreFaulted(const Fault& fault) = 0;
  // "file.py:12" of a byte offset in the text section that a core of this kind runs, empty if unknown.
  virtual std::string sourceLine(unsigned kind, uint32_t pc) const = 0;
};

// The way to the memory system: takes transfers of any core.
class MemoryPath {
public:
  virtual ~MemoryPath() = default;
  virtual void start(sim::GmTransfer& transfer) = 0;
  // Bytes that a unit's reads have brought so far.
  virtual uint64_t bytesArrived(uint32_t core, sim::GmUnit unit) const = 0;
};

// Computes the values of a command: reads sources, writes destinations.
using Executor = std::function<void(const Command&, CoreState&, sim::GlobalMemory&)>;

struct Environment {
  const sim::ChipSpec& chip;
  sim::Calendar& calendar;
  MemoryPath& path;
  sim::GlobalMemory& memory;
  observe::Observers& observers;
  CrossFlags& cross;
  CoreHost& host;
  Executor execute;
  Poison* poison = nullptr; // not null: --timing-only, of global memory
};

} // namespace dlsim::core
