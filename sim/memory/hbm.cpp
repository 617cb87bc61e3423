#include "sim/memory/hbm.h"

namespace dlsim::sim {

Hbm::Hbm(const HbmSpec& spec, const AddressMap& map)
    : spec_(spec), map_(map), rate_(spec.channelBytes * spec.efficiency),
      activateTicks_(static_cast<Tick>(std::llround(std::ldexp(spec.activateCycles, kTickShift)))),
      channels_(spec.channels()), banks_(std::size_t{spec.channels()} * spec.banksPerChannel) {}

bool Hbm::open(Bank& bank, std::uint64_t row) {
  const bool hit = bank.openRow == row || !spec_.rowMisses;
  ++(hit ? counters_.rowHits : counters_.rowMisses);
  bank.openRow = row;
  return hit;
}

Tick Hbm::read(std::uint64_t line, std::uint32_t bytes, Tick arrive) {
  const AddressMap::Place place = map_.place(line);
  Bank& bank = bankOf(place);
  Channel& channel = channels_[place.channel];
  const Tick idle = std::max(channel.bus.free(), channel.lastWrite);
  if (channel.waitingWrites != 0 && idle + writeTicks(channel) <= arrive)
    writeOut(channel, idle);
  const Tick access = toTick(spec_.accessCycles);
  const Tick earliest = arrive + access;
  Tick ready = earliest;
  const Tick length = rate_.ticks(bytes);
  if (!open(bank, place.row)) {
    const Tick opened = std::max(channel.activate.reserve(arrive, activateTicks_), bank.free);
    ready = opened + toTick(spec_.rowMissCycles) + access;
  }
  const Tick start = channel.bus.reserve(ready, length);
  // The bank has put its data out, and may close the row, one access time before they have passed the bus.
  bank.free = start + length - access;
  counters_.queueTicks += start - earliest;
  counters_.readBytes += bytes;
  return start + length;
}

void Hbm::write(std::uint64_t line, std::uint32_t bytes, Tick arrive) {
  const AddressMap::Place place = map_.place(line);
  open(bankOf(place), place.row);
  counters_.writeBytes += bytes;
  Channel& channel = channels_[place.channel];
  channel.waitingBytes += bytes;
  channel.lastWrite = std::max(channel.lastWrite, arrive);
  if (++channel.waitingWrites >= spec_.writeBatch)
    writeOut(channel, arrive);
}

// The controller orders a batch by rows, so only the change of direction, there and back, is not data.
void Hbm::writeOut(Channel& channel, Tick from) {
  channel.bus.reserve(from, writeTicks(channel));
  channel.waitingWrites = 0;
  channel.waitingBytes = 0;
}

void Hbm::reset() {
  for (Bank& bank : banks_)
    bank.openRow = kNoRow;
  for (Channel& channel : channels_)
    channel.waitingWrites = channel.waitingBytes = channel.lastWrite = 0;
}

} // namespace dlsim::sim
