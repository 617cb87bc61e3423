// HBM: channels with banks that keep one row open. Requests reserve bank and data bus in arrival order; while
// one waits for its row, the controller may fill the bus with later ones. Writes are posted: a channel
// collects a batch and pays the change of direction once; what waits goes out earlier where the bus idles
// long enough, so that reads of a lightly loaded channel never find it turned round.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/memory/address_map.h"
#include "sim/memory/counters.h"

#include <vector>

namespace dlsim::sim {

class Hbm {
public:
  Hbm(const HbmSpec& spec, const AddressMap& map);

  /// Reads `bytes` of a line; the request reaches the channel at `arrive`. Returns when the last byte is
  /// there.
  Tick read(std::uint64_t line, std::uint32_t bytes, Tick arrive);
  /// Writes `bytes` of a line; nobody waits for it.
  void write(std::uint64_t line, std::uint32_t bytes, Tick arrive);

  const HbmCounters& counters() const { return counters_; }
  void resetCounters() { counters_ = {}; }
  /// Closes all rows and drops writes that wait for a batch.
  void reset();

private:
  static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};
  struct Bank {
    std::uint64_t openRow = kNoRow;
    Tick free = 0; // the next row may be opened
  };
  struct Channel {
    ReorderedResource bus;
    Resource activate;
    std::uint32_t waitingWrites = 0;
    std::uint64_t waitingBytes = 0;
    Tick lastWrite = 0; // arrival of the latest that waits
  };
  void writeOut(Channel& channel, Tick from);
  Tick writeTicks(const Channel& channel) const {
    return rate_.ticks(channel.waitingBytes) + 2 * toTick(spec_.turnaroundCycles);
  }
  Bank& bankOf(const AddressMap::Place& place) {
    return banks_[place.channel * spec_.banksPerChannel + place.bank];
  }

  /// Whether the row is open; it is afterwards.
  bool open(Bank& bank, std::uint64_t row);

  const HbmSpec& spec_;
  const AddressMap& map_;
  Rate rate_;
  Tick activateTicks_;
  std::vector<Channel> channels_;
  std::vector<Bank> banks_;
  HbmCounters counters_;
};

} // namespace dlsim::sim
