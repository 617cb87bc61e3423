#include "sim/memory/dma_engine.h"

#include <stdexcept>
#include <string>

namespace dlsim::sim {

MemoryFabric::MemoryFabric(const ChipSpec& chip, Calendar& calendar)
    : chip(chip), calendar(calendar), map(chip), hbm(chip.hbm, map),
      readChannelRate(chip.noc.readChannelBytes), writeChannelRate(chip.noc.writeChannelBytes),
      requestTicks(toTick(chip.noc.requestCycles)), responseTicks(toTick(chip.noc.responseCycles)) {
  slices.reserve(chip.l2.slices);
  for (std::uint32_t i = 0; i < chip.l2.slices; ++i)
    slices.emplace_back(i, chip.l2, chip.noc, map, hbm);
}

void LineRequest::fire(Cycle) {
  if (atSlice)
    engine->arriveAtSlice(*this);
  else
    engine->arriveAtCore(*this);
}

namespace {

constexpr std::uint64_t kNd2NzAlign = 32; // bytes of a fractal's row

// Line fills and instruction fetches come from a cache, not from a command: no start-up, no command slot.
bool isCacheUnit(GmUnit unit) { return unit == GmUnit::Scalar || unit == GmUnit::Fetch; }

} // namespace

DmaEngine::DmaEngine(MemoryFabric& fabric, CorePorts& core, std::uint32_t coreIndex, GmUnit unit,
                     double pathBytesPerCycle)
    : fabric_(fabric), core_(core), counters_(unit == GmUnit::Fetch ? core.fetchCounters : core.counters),
      coreIndex_(coreIndex), dma_(fabric.chip.dma),
      wordShift_(static_cast<unsigned>(__builtin_ctz(fabric.chip.dma.wordBytes))),
      nd2nz_(dma_.nd2nzBytesPerCycle), nd2nzUnaligned_(dma_.nd2nzUnalignedBytesPerCycle),
      path_(pathBytesPerCycle > 0 ? Rate(pathBytesPerCycle) : Rate()) {
  const bool cache = isCacheUnit(unit);
  timing_.command = cache ? 0 : toTick(dma_.commandCycles);
  timing_.startup = cache ? 0 : toTick(dma_.startupCycles);
  timing_.burst = toTick(dma_.burstCycles);
  timing_.nd2nzRow = toTick(dma_.nd2nzRowCycles);
  timing_.gatherRow = toTick(dma_.gatherRowCycles);
  timing_.request = toTick(dma_.requestCycles);
  const bool writer = unit == GmUnit::Mte3 || unit == GmUnit::Fix;
  const std::uint32_t window = cache ? dma_.scalarWindow : writer ? dma_.writeWindow : dma_.readWindow;
  timing_.commandsInFlight = cache ? ~0u : dma_.commandsInFlight;
  slots_ = std::vector<LineRequest>(window);
  for (LineRequest& slot : slots_) {
    slot.engine = this;
    slot.core = coreIndex_;
    freeSlots_.push_back(&slot);
  }
}

void DmaEngine::start(GmTransfer& transfer) {
  const Cycle now = fabric_.calendar.now();
  transfer.started = now;
  transfer.firstIssue = 0;
  transfer.requests = 0;
  transfer.requestBytes = 0;
  transfer.nextInEngine_ = nullptr;
  transfer.cursor_ = 0;
  transfer.burst_ = 0;
  transfer.inFlight_ = 0;
  transfer.allIssued_ = false;
  transfer.lastEnd_ = toTick(now);
  ++counters_.transfers;
  ++fabric_.inFlight;
  ++unfinished_;
  if (newest_)
    newest_->nextInEngine_ = &transfer;
  else
    oldest_ = &transfer;
  newest_ = &transfer;
  if (!issuing_) {
    issuing_ = &transfer;
    beginNext(now);
  }
}

// Begins issuing_ if the engine may hold another command.
void DmaEngine::beginNext(Cycle now) {
  if (!issuing_ || begun_ || active_ >= timing_.commandsInFlight)
    return;
  begun_ = true;
  ++active_;
  const Tick taken = std::max(toTick(now), commandFree_);
  commandFree_ = taken + timing_.command;
  nextIssue_ = std::max(nextIssue_, taken + timing_.startup);
  burstStart_ = nextIssue_;
  issuing_->firstIssue = toCycle(nextIssue_);
  issuing_->lastEnd_ = nextIssue_;
  if (issuing_->length == 0 || issuing_->count == 0)
    fabric_.calendar.schedule(issuedEvent_, toCycle(nextIssue_));
  else
    pump();
}

LineRequest* DmaEngine::takeSlot() {
  if (requestsInFlight_ == slots_.size())
    return nullptr;
  LineRequest* slot = freeSlots_[freeHead_];
  freeHead_ = freeHead_ + 1 == freeSlots_.size() ? 0 : freeHead_ + 1;
  ++requestsInFlight_;
  return slot;
}

// Issues requests of the current transfer while the window has room. Their times may lie ahead of now: the
// engine owns its issue port, so nothing can come between.
void DmaEngine::pump() {
  GmTransfer& transfer = *issuing_;
  while (transfer.burst_ < transfer.count) {
    LineRequest* slot = takeSlot();
    if (!slot)
      return;
    issue(transfer, *slot);
  }
  fabric_.calendar.schedule(issuedEvent_,
                            std::max(fabric_.calendar.now(), toCycle(nextIssue_ - timing_.request)));
}

DmaEngine::Piece DmaEngine::nextPiece(const GmTransfer& transfer) const {
  const std::uint64_t base =
      transfer.shape == GmShape::Gather
          ? transfer.addresses[transfer.burst_]
          : transfer.address + static_cast<std::uint64_t>(transfer.stride) * transfer.burst_;
  const std::uint64_t begin = base + transfer.cursor_, end = base + transfer.length;
  // Pieces are aligned to their size, so that none crosses a line.
  const std::uint64_t floor = dma_.readFloor; // sizes are powers of two
  const std::uint64_t from = begin & ~(floor - 1);
  const std::uint64_t whole = transfer.write ? end : (end + floor - 1) & ~(floor - 1);
  std::uint32_t size = dma_.pieces.back();
  for (const std::uint32_t piece : dma_.pieces)
    if ((from & (piece - 1)) == 0 && from + piece <= whole) {
      size = piece;
      break;
    }
  const std::uint64_t stop = std::min(from + size, end);
  const auto useful = static_cast<std::uint32_t>(stop - begin);
  return transfer.write ? Piece{begin, useful, useful} : Piece{from, size, useful};
}

void DmaEngine::advance(GmTransfer& transfer, const Piece& piece) {
  transfer.cursor_ += piece.useful;
  if (transfer.cursor_ == transfer.length) {
    transfer.cursor_ = 0;
    ++transfer.burst_;
  }
}

Tick DmaEngine::burstGap(const GmTransfer& transfer) const {
  switch (transfer.shape) {
  case GmShape::Nd2Nz:
    return std::max(timing_.nd2nzRow,
                    (burstAddress_ % kNd2NzAlign ? nd2nzUnaligned_ : nd2nz_).ticks(transfer.length));
  case GmShape::Gather:
    return timing_.gatherRow;
  case GmShape::Copy:
    break;
  }
  return timing_.burst;
}

void DmaEngine::issue(GmTransfer& transfer, LineRequest& request) {
  Tick at = std::max(nextIssue_, request.tick); // the slot may be busy for a moment yet
  if (transfer.cursor_ == 0) {
    if (transfer.burst_ != 0)
      at = std::max(at, burstStart_ + burstGap(transfer));
    burstStart_ = at;
  }
  nextIssue_ = at + timing_.request;
  const Piece piece = nextPiece(transfer);
  if (transfer.cursor_ == 0)
    burstAddress_ = transfer.address + static_cast<std::uint64_t>(transfer.stride) * transfer.burst_;
  advance(transfer, piece);

  if (latest_)
    latest_->following = &request;
  latest_ = &request;
  request.following = nullptr;
  request.transfer = &transfer;
  request.line = fabric_.map.line(piece.address);
  request.slice = fabric_.map.slice(request.line);
  request.set = fabric_.map.set(request.line);
  fabric_.slices[request.slice].prefetch(request.set);
  request.offset = static_cast<std::uint16_t>(fabric_.map.offset(piece.address));
  request.bytes = static_cast<std::uint16_t>(piece.bytes);
  const unsigned word = wordShift_;
  request.words = static_cast<std::uint16_t>(((request.offset + piece.bytes - 1u) >> word) -
                                             (request.offset >> word) + 1);
  request.write = transfer.write;
  request.bypass = transfer.bypass;
  request.atomic = transfer.atomic != GmAtomic::None;
  request.issued = at;
  request.atSlice = true;
  ++transfer.inFlight_;
  ++transfer.requests;
  transfer.requestBytes += piece.bytes;

  if (transfer.write) {
    ++counters_.writeRequests;
    counters_.writeWords += request.words;
    counters_.writeBytes += piece.useful;
    // Data leave through the unit's path and the core's write channel; the slower one sets the pace.
    const Tick pathTime = path_.ticks(piece.bytes), channelTime = fabric_.writeChannelRate.ticks(piece.bytes);
    const Tick pathStart = pathBusy_.reserve(at, pathTime);
    const Tick start = core_.writeChannel.reserve(pathStart, channelTime);
    at = std::max(start + channelTime, pathStart + pathTime);
  } else {
    const std::uint64_t padding = transfer.cursor_ == 0 ? transfer.padding : 0; // with the end of a burst
    request.pathBytes = std::max(piece.bytes, static_cast<std::uint32_t>(piece.useful + padding));
    request.channel = core_.nextReadChannel;
    core_.nextReadChannel ^= 1;
    ReadChannelCounters& channel = counters_.read[request.channel];
    ++channel.requests;
    channel.words += request.words;
    counters_.readBytes += piece.useful;
  }
  request.tick = at + fabric_.requestTicks;
  fabric_.calendar.schedule(request, toCycle(request.tick));
}

void DmaEngine::arriveAtSlice(LineRequest& request) {
  // The request that this engine issued next comes a few events from here. Only the host's caches notice.
  if (const LineRequest* next = request.following; next && next->transfer && next->atSlice)
    fabric_.slices[next->slice].prefetchLine(*next);
  request.tick = fabric_.slices[request.slice].serve(request, counters_) + fabric_.responseTicks;
  request.atSlice = false;
  fabric_.calendar.schedule(request, toCycle(request.tick));
}

void DmaEngine::arriveAtCore(LineRequest& request) {
  Tick end = request.tick;
  if (!request.write) {
    const Tick channelTime = fabric_.readChannelRate.ticks(request.bytes),
               pathTime = path_.ticks(request.pathBytes);
    const Tick start = core_.readChannel[request.channel].reserve(end, channelTime);
    const Tick pathStart = pathBusy_.reserve(start, pathTime);
    end = std::max(start + channelTime, pathStart + pathTime);
    bytesArrived_ += request.bytes;
  }
  counters_.latencyTicks += end - request.issued;
  GmTransfer& transfer = *request.transfer;
  transfer.lastEnd_ = std::max(transfer.lastEnd_, end);
  --transfer.inFlight_;
  request.tick = end;
  request.transfer = nullptr;
  freeSlots_[freeTail_] = &request;
  freeTail_ = freeTail_ + 1 == freeSlots_.size() ? 0 : freeTail_ + 1;
  --requestsInFlight_;
  if (transfer.allIssued_ && transfer.inFlight_ == 0)
    finish(transfer);
  if (begun_ && issuing_->burst_ < issuing_->count && issuing_->length != 0)
    pump();
}

void DmaEngine::issuedLast(Cycle now) {
  GmTransfer& transfer = *issuing_;
  transfer.allIssued_ = true;
  issuing_ = transfer.nextInEngine_;
  begun_ = false;
  if (transfer.inFlight_ == 0)
    finish(transfer);
  beginNext(now); // before the owner hears of it: a transfer that it starts now queues behind
  transfer.answered = now;
  transfer.issued(now);
}

void DmaEngine::finish(GmTransfer& transfer) {
  if (&transfer == oldest_ && !doneEvent_.scheduled())
    fabric_.calendar.schedule(doneEvent_, std::max(fabric_.calendar.now(), toCycle(transfer.lastEnd_)));
}

void DmaEngine::reportDone(Cycle now) {
  GmTransfer& transfer = *oldest_;
  oldest_ = transfer.nextInEngine_;
  if (!oldest_)
    newest_ = nullptr;
  --unfinished_;
  --active_;
  --fabric_.inFlight;
  if (oldest_ && oldest_->allIssued_ && oldest_->inFlight_ == 0)
    finish(*oldest_);
  beginNext(now);
  transfer.answered = now;
  transfer.done(now);
}

} // namespace dlsim::sim
