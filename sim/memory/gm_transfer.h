// One burst command's traffic with global memory: what a unit hands to the MemorySystem. Timing only; the
// bytes themselves move in sim/values when done() is called. Units: bytes, core cycles.
#pragma once

#include "sim/calendar/calendar.h"

#include <cstdint>

namespace dlsim::sim {

/// Who on a core talks to global memory. The first seven are the ISA's unit numbers.
enum class GmUnit : std::uint8_t {
  Scalar = 0,
  Mte1 = 1,
  Mte2 = 2,
  Mte3 = 3,
  Fix = 4,
  Cube = 5,
  Vector = 6,
  Fetch = 7
};
inline constexpr unsigned kGmUnits = 8;

enum class GmShape : std::uint8_t {
  Copy,   // `count` bursts of `length` bytes, `stride` apart
  Nd2Nz,  // the same bursts, each a row that the layout unit takes apart: see dma.nd2nz_*
  Gather, // `count` bursts of `length` bytes at `addresses[i]`
};

enum class GmAtomic : std::uint8_t { None = 0, Add = 1, Max = 2, Min = 3 };

/// The owner derives from it, fills the request fields, calls MemorySystem::start and keeps the object alive
/// until done(). Transfers of one (core, unit) issue their requests in start order and are done in start
/// order.
struct GmTransfer {
  virtual ~GmTransfer() = default;

  /// The last request has left the unit: its DMA engine takes the next transfer's requests from here on. A
  /// unit that overlaps commands starts the next transfer from here; a unit that does not waits for done().
  virtual void issued(Cycle now) {}
  /// All data have arrived (read) or all writes were accepted by the L2 slices (write). The object may be
  /// reused or destroyed here.
  virtual void done(Cycle now) = 0;

  // ---- request -------------------------------------------------------------------------------------------
  std::uint32_t core = 0; // index over all cores of the chip, see ChipSpec::coreIndex
  GmUnit unit = GmUnit::Mte2;
  GmShape shape = GmShape::Copy;
  GmAtomic atomic = GmAtomic::None;
  bool write = false;
  bool bypass = false; // hint: do not allocate in L2
  std::uint64_t address = 0;
  std::uint64_t length = 0;  // bytes of a burst
  std::uint32_t count = 1;   // bursts
  std::uint64_t padding = 0; // reads: bytes that the unit writes beside a burst's, through the same path
  std::int64_t stride = 0;   // bytes between the starts of two bursts
  const std::uint64_t* addresses =
      nullptr; // Gather: `count` start addresses, kept by the owner until issued()

  // ---- result, valid in done()
  // -----------------------------------------------------------------------------
  Cycle started = 0;              // start() was called
  Cycle firstIssue = 0;           // the first request left the core
  std::uint32_t requests = 0;     // 128..512-byte requests made
  std::uint64_t requestBytes = 0; // bytes they moved, with the read floor

  Cycle answered = 0; // when the latest of issued() and done() was called

  std::uint64_t totalBytes() const { return length * count; }
  void copyRequest(const GmTransfer& other) {
    core = other.core;
    unit = other.unit;
    shape = other.shape;
    atomic = other.atomic;
    write = other.write;
    bypass = other.bypass;
    address = other.address;
    length = other.length;
    count = other.count;
    padding = other.padding;
    stride = other.stride;
    addresses = other.addresses;
  }

private:
  friend class DmaEngine;
  GmTransfer* nextInEngine_ = nullptr;
  std::uint64_t cursor_ = 0;   // offset in the current burst
  std::uint32_t burst_ = 0;    // current burst
  std::uint32_t inFlight_ = 0; // requests without an answer
  bool allIssued_ = false;
  Tick lastEnd_ = 0;
};

} // namespace dlsim::sim
