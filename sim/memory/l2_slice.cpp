#include "sim/memory/l2_slice.h"

namespace dlsim::sim {

L2Slice::L2Slice(std::uint32_t index, const L2Spec& l2, const NocSpec& noc, const AddressMap& map, Hbm& hbm)
    : index_(index), l2_(l2), map_(map), hbm_(hbm), port_(l2.portBytes), readLink_(noc.sliceReadBytes),
      writeLink_(noc.sliceWriteBytes), readTicks_(toTick(l2.readCycles)), writeTicks_(toTick(l2.writeCycles)),
      missTicks_(toTick(l2.missCycles)), sameLineTicks_(toTick(l2.sameLineCycles)),
      sharedLineTicks_(toTick(l2.sharedLineCycles)), atomicTicks_(toTick(l2.atomicCycles)),
      useTicks_(toTick(l2.readCycles + noc.responseCycles)), tags_(l2.sets, l2.ways),
      lines_(std::size_t{l2.sets} * l2.ways), fetches_(l2.mshrs) {}

L2Slice::Touched L2Slice::touched(const LineRequest& request) const {
  const std::uint32_t sector = l2_.sectorBytes;
  if (sector == l2_.lineBytes)
    return {1, request.bytes == sector ? 1u : 0u};
  const std::uint32_t begin = request.offset, end = begin + request.bytes;
  const auto below = [](std::uint32_t n) { return static_cast<SectorMask>((std::uint64_t{1} << n) - 1); };
  const SectorMask sectors = below((end + sector - 1) / sector) & ~below(begin / sector);
  const std::uint32_t wholeBegin = (begin + sector - 1) / sector, wholeEnd = end / sector;
  return {sectors, wholeEnd > wholeBegin ? below(wholeEnd) & ~below(wholeBegin) : 0};
}

// Port and link: the time from which the request holds the array.
Tick L2Slice::pass(const LineRequest& request, CoreMemoryCounters& core) {
  const Tick portTime = port_.ticks(request.bytes);
  const Tick portStart = portBusy_.reserve(request.tick, portTime);
  Resource& link = request.write ? writeLinkBusy_ : readLinkBusy_;
  const Tick linkTime = (request.write ? writeLink_ : readLink_).ticks(request.bytes);
  const Tick linkStart = link.reserve(portStart, linkTime);
  counters_.portQueueTicks += portStart - request.tick;
  counters_.linkQueueTicks += linkStart - portStart;
  core.sliceQueueTicks += linkStart - request.tick;
  return std::max(portStart + portTime, linkStart + linkTime);
}

void L2Slice::prefetchLine(const LineRequest& request) const {
  const int way = tags_.find(request.set, static_cast<std::uint32_t>(map_.tag(request.line)));
  const std::uint32_t used = way >= 0 ? static_cast<std::uint32_t>(way) : tags_.victim(request.set);
  __builtin_prefetch(&lines_[std::size_t{request.set} * l2_.ways + used], 1);
}

Tick L2Slice::serve(const LineRequest& request, CoreMemoryCounters& core) {
  ++counters_.requests;
  ++(request.write ? counters_.writeRequests : counters_.readRequests);
  const Tick at = pass(request, core);
  Line* line = find(request);
  return request.write ? write(request, line, at, core) : read(request, line, at, core);
}

L2Slice::Line* L2Slice::find(const LineRequest& request) {
  const int way = tags_.find(request.set, static_cast<std::uint32_t>(map_.tag(request.line)));
  if (way >= 0) {
    tags_.touch(request.set, static_cast<std::uint32_t>(way));
    return &lines_[std::size_t{request.set} * l2_.ways + static_cast<std::uint32_t>(way)];
  }
  const auto found = beyond_.find(request.line);
  return found != beyond_.end() ? &found->second : nullptr;
}

Tick L2Slice::fetch(std::uint64_t line, std::uint32_t bytes, Tick from) {
  Tick& slot = fetches_[nextFetch_];
  nextFetch_ = nextFetch_ + 1 == fetches_.size() ? 0 : nextFetch_ + 1;
  const Tick start = std::max(from, slot);
  counters_.mshrWaitTicks += start - from;
  portBusy_.extend(start); // requests are looked up in order: what comes behind waits, hit or write as well
  return slot = hbm_.read(line, bytes, start + missTicks_);
}

L2Slice::Line& L2Slice::allocate(const LineRequest& request, Tick at) {
  const std::uint32_t set = request.set, way = tags_.victim(set);
  if (!l2_.evictions && !tags_.empty(set, way))
    return beyond_[request.line];
  Line& line = lines_[std::size_t{set} * l2_.ways + way];
  if (!tags_.empty(set, way)) {
    ++counters_.evictions;
    if (line.dirty != 0) {
      ++counters_.dirtyEvictions;
      if (l2_.writeBack)
        hbm_.write(map_.lineAt(index_, set, tags_.tag(set, way)), bytesOf(line.dirty), at + missTicks_);
    }
  }
  tags_.put(set, way, static_cast<std::uint32_t>(map_.tag(request.line)));
  tags_.touch(set, way);
  line = Line{};
  return line;
}

L2Slice::Passing& L2Slice::passing(const LineRequest& request) {
  Passing& entry = passing_[(request.line ^ request.line >> 8) % passing_.size()];
  if (entry.number != request.line) {
    entry = Passing{};
    entry.number = request.line;
  }
  return entry;
}

// A request that finds its line on the way from HBM is kept with the fetch, and holds the slice while it is:
// cores that read new data in step go through one after another. Once a line is there, requests for it cost
// no more than any others, unless another core's answer from it is still on its way: then the line's own
// rate, which is less than the slice's, holds it up. An atomic update holds the slice too: it reads and
// writes the array. Returns when the request goes on.
Tick L2Slice::contend(Line& line, const LineRequest& request, Tick at, CoreMemoryCounters& core) {
  const bool waits = line.ready > at;
  line.sharers = !waits ? 1 : static_cast<std::uint16_t>(std::min(line.sharers + 1, 0xffff));
  countSharers(line.sharers);
  const Tick data = port_.ticks(request.bytes);
  const auto asks = static_cast<std::uint16_t>(request.core);
  const bool shared = line.used > at && line.core != asks;
  const Tick more = waits ? sameLineTicks_ : shared ? sharedLineTicks_ * request.bytes / l2_.lineBytes : 0;
  const Tick hold = std::max(more != 0 || waits ? data + more : 0, request.atomic ? atomicTicks_ : 0);
  line.core = asks;
  line.used = at + useTicks_;
  const Tick until = portBusy_.free() - data + hold;
  if (until <= at)
    return at;
  portBusy_.extend(until);
  counters_.sameLineTicks += until - at;
  core.sameLineTicks += until - at;
  return until;
}

Tick L2Slice::read(const LineRequest& request, Line* line, Tick at, CoreMemoryCounters& core) {
  const SectorMask wanted = touched(request).sectors;
  if (!line && request.bypass) {
    count(request, Outcome::MissNoAllocate, core);
    // Nothing is kept, so no more than the request is fetched; but while a fetch of these bytes is on its
    // way, other requests wait for it.
    Passing& passed = passing(request);
    at = contend(passed.line, request, at, core);
    const std::uint32_t begin = request.offset, end = begin + request.bytes;
    if (passed.line.ready <= at || begin < passed.begin || end > passed.end) {
      passed.line.ready = fetch(request.line, request.bytes, at);
      passed.begin = begin;
      passed.end = end;
    } else {
      ++counters_.merged;
    }
    return std::max(at, passed.line.ready) + readTicks_;
  }
  const bool hit = line && (line->valid & wanted) == wanted;
  count(request, !hit ? Outcome::MissAllocate : line->ready > at ? Outcome::Merged : Outcome::Hit, core);
  if (!line)
    line = &allocate(request, at);
  at = contend(*line, request, at, core);
  if (!hit) {
    line->ready = std::max(line->ready, fetch(request.line, bytesOf(wanted & ~line->valid), at));
    line->valid |= wanted;
  }
  return std::max(at, line->ready) + readTicks_;
}

Tick L2Slice::write(const LineRequest& request, Line* line, Tick at, CoreMemoryCounters& core) {
  const Touched touch = touched(request);
  if (!line && request.bypass && !request.atomic) {
    count(request, Outcome::MissNoAllocate, core);
    Line& passed = passing(request).line;
    at = contend(passed, request, at, core);
    hbm_.write(request.line, request.bytes, at + missTicks_);
    return at + writeTicks_;
  }
  count(request, line ? Outcome::Hit : Outcome::MissAllocate, core);
  if (!line)
    line = &allocate(request, at);
  at = contend(*line, request, at, core);
  const SectorMask missing = touch.sectors & ~line->valid & ~(request.atomic ? 0 : touch.whole);
  if (missing != 0 && (l2_.fetchOnPartialWrite || request.atomic))
    line->ready = std::max(line->ready, fetch(request.line, bytesOf(missing), at));
  line->valid |= touch.sectors;
  line->dirty |= touch.sectors;
  // A plain write does not wait for a fetch of the line: the bytes merge when it arrives.
  return (request.atomic ? std::max(at, line->ready) : at) + writeTicks_;
}

void L2Slice::count(const LineRequest& request, Outcome outcome, CoreMemoryCounters& core) {
  const bool hit = outcome == Outcome::Hit || outcome == Outcome::Merged;
  counters_.hits += hit;
  counters_.misses += !hit;
  counters_.merged += outcome == Outcome::Merged;
  if (request.write) {
    core.writeHit += hit;
    core.writeMissAllocate += outcome == Outcome::MissAllocate;
    core.writeMissNoAllocate += outcome == Outcome::MissNoAllocate;
    return;
  }
  ReadChannelCounters& channel = core.read[request.channel];
  channel.hitWords += hit ? request.words : 0;
  channel.mergedWords += outcome == Outcome::Merged ? request.words : 0;
  channel.missAllocateWords += outcome == Outcome::MissAllocate ? request.words : 0;
  channel.missNoAllocateWords += outcome == Outcome::MissNoAllocate ? request.words : 0;
}

void L2Slice::countSharers(std::uint64_t sharers) {
  ++counters_.sharers[std::min<std::uint64_t>(sharers, kSharerBins)];
  counters_.largestSharers = std::max(counters_.largestSharers, sharers);
  counters_.sharersSum += sharers;
}

void L2Slice::flush() {
  tags_.clear();
  beyond_.clear();
  std::fill(lines_.begin(), lines_.end(), Line{});
  std::fill(passing_.begin(), passing_.end(), Passing{});
}

bool L2Slice::holds(std::uint64_t line) const {
  return tags_.find(map_.set(line), static_cast<std::uint32_t>(map_.tag(line))) >= 0 ||
         beyond_.count(line) != 0;
}

} // namespace dlsim::sim
