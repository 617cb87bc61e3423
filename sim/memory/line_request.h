// One request of at most a line, on its way from a DMA engine to a slice and back. Each engine owns a fixed
// array of them (its window), so a request costs no allocation.
#pragma once

#include "sim/calendar/calendar.h"
#include "sim/memory/gm_transfer.h"

namespace dlsim::sim {

class DmaEngine;

class LineRequest final : public Event {
public:
  void fire(Cycle now) override;

  DmaEngine* engine = nullptr;
  GmTransfer* transfer = nullptr;
  LineRequest* following = nullptr; // what the engine issued next
  std::uint64_t line = 0;           // line number
  Tick issued = 0;
  Tick tick = 0; // exact time of the event that it waits for; free: when the slot may be used again
  std::uint32_t core = 0;
  std::uint32_t slice = 0, set = 0; // where the line lives
  std::uint16_t offset = 0;         // within the line
  std::uint16_t bytes = 0;          // moved
  std::uint32_t pathBytes = 0;      // reads: what passes the unit's path
  std::uint16_t words = 0;          // counter words it covers
  std::uint8_t channel = 0;         // read channel
  bool write = false, bypass = false, atomic = false;
  bool atSlice = false; // the next event is the arrival at the slice; else the response at the core
};

} // namespace dlsim::sim
