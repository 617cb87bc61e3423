// The timing of everything beyond a core: DMA engines, NoC, L2 slices and HBM. Units start GmTransfers here,
// directly or through a GmPort (TLM-2.0).
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/memory/counters.h"
#include "sim/memory/gm_transfer.h"

#include <memory>

namespace dlsim::sim {

class MemorySystem {
public:
  MemorySystem(const ChipSpec& chip, Calendar& calendar);
  ~MemorySystem();
  MemorySystem(const MemorySystem&) = delete;
  MemorySystem& operator=(const MemorySystem&) = delete;

  /// Begins a transfer at calendar.now(). Any number may be started before the first is done; those of one
  /// (core, unit) issue and finish in order. Throws std::invalid_argument for a core or shape that does not
  /// exist.
  void start(GmTransfer& transfer);

  /// Transfers started and not done.
  std::uint64_t inFlight() const;
  /// Transfers of one unit that are started and not done.
  std::uint32_t inFlight(std::uint32_t core, GmUnit unit) const;

  /// Bytes that the reads of one unit have brought since the system was made.
  std::uint64_t bytesArrived(std::uint32_t core, GmUnit unit) const;

  const CoreMemoryCounters& counters(std::uint32_t core) const;
  const SliceCounters& sliceCounters(std::uint32_t slice) const;
  std::uint32_t slices() const;
  const HbmCounters& hbmCounters() const;
  MemoryTotals totals() const;

  /// Sets every counter to zero; caches, rows and reservations stay (a warm second launch).
  void resetCounters();
  /// Cold L2 and closed rows; dirty lines are dropped without traffic. Only while nothing is in flight.
  void flush();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace dlsim::sim
