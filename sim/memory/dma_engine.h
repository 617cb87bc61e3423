// The engine of one (core, unit): takes transfers in order, cuts their bursts into requests, keeps at most a
// window of them in flight, and reports transfers done in order.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/memory/counters.h"
#include "sim/memory/l2_slice.h"
#include "sim/memory/line_request.h"

#include <vector>

namespace dlsim::sim {

/// What the engines of one core share.
struct CorePorts {
  Resource readChannel[2];
  Resource writeChannel;
  std::uint8_t nextReadChannel = 0;
  CoreMemoryCounters counters;
  CoreMemoryCounters fetchCounters; // of instruction fetches, which the profiler's read counters leave out
};

/// What all engines of a chip share.
struct MemoryFabric {
  MemoryFabric(const ChipSpec& chip, Calendar& calendar);

  const ChipSpec& chip;
  Calendar& calendar;
  AddressMap map;
  Hbm hbm;
  std::vector<L2Slice> slices;
  Rate readChannelRate, writeChannelRate;
  Tick requestTicks, responseTicks;
  std::uint64_t inFlight = 0; // transfers
};

class DmaEngine {
public:
  DmaEngine(MemoryFabric& fabric, CorePorts& core, std::uint32_t coreIndex, GmUnit unit,
            double pathBytesPerCycle);
  DmaEngine(const DmaEngine&) = delete;
  DmaEngine& operator=(const DmaEngine&) = delete;

  void start(GmTransfer& transfer);
  std::uint32_t inFlight() const { return unfinished_; }
  /// Bytes that reads have brought to the core so far.
  std::uint64_t bytesArrived() const { return bytesArrived_; }

  /// Events of its requests.
  void arriveAtSlice(LineRequest& request);
  void arriveAtCore(LineRequest& request);

private:
  struct Timing {
    Tick command, startup, burst, nd2nzRow, gatherRow, request;
    std::uint32_t commandsInFlight;
  };
  struct Piece {
    std::uint64_t address;
    std::uint32_t bytes, useful;
  };

  void beginNext(Cycle now);
  void pump();
  void issue(GmTransfer& transfer, LineRequest& request);
  Piece nextPiece(const GmTransfer& transfer) const;
  void advance(GmTransfer& transfer, const Piece& piece);
  Tick burstGap(const GmTransfer& transfer) const;
  void issuedLast(Cycle now);
  void finish(GmTransfer& transfer);
  void reportDone(Cycle now);
  LineRequest* takeSlot();

  MemoryFabric& fabric_;
  CorePorts& core_;
  CoreMemoryCounters& counters_;
  const std::uint32_t coreIndex_;
  const DmaSpec& dma_;
  const unsigned wordShift_;
  Timing timing_;
  Rate nd2nz_, nd2nzUnaligned_;
  Rate path_;
  Resource pathBusy_;

  GmTransfer* oldest_ = nullptr; // not done
  GmTransfer* newest_ = nullptr;
  GmTransfer* issuing_ = nullptr; // has requests to issue, or waits to begin
  bool begun_ = false;            // issuing_ has begun
  std::uint32_t unfinished_ = 0;
  std::uint32_t active_ = 0; // begun and not done
  std::uint32_t requestsInFlight_ = 0;
  Tick commandFree_ = 0;
  Tick nextIssue_ = 0;
  Tick burstStart_ = 0;
  std::uint64_t burstAddress_ = 0;
  std::uint64_t bytesArrived_ = 0;

  LineRequest* latest_ = nullptr; // issued
  std::vector<LineRequest> slots_;
  std::vector<LineRequest*> freeSlots_; // ring, first free slot first
  std::size_t freeHead_ = 0, freeTail_ = 0;

  MemberEvent<DmaEngine, &DmaEngine::issuedLast> issuedEvent_{*this};
  MemberEvent<DmaEngine, &DmaEngine::reportDone> doneEvent_{*this};
};

} // namespace dlsim::sim
