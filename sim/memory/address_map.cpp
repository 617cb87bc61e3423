#include "sim/memory/address_map.h"

#include <numeric>

namespace dlsim::sim {

AddressMap::AddressMap(const ChipSpec& chip)
    : lineBytes_(chip.l2.lineBytes), slices_(chip.l2.slices), sets_(chip.l2.sets),
      channels_(chip.hbm.channels()), banks_(chip.hbm.banksPerChannel),
      linesPerRow_(std::max(1u, chip.hbm.rowBytes / chip.l2.lineBytes)),
      group_(std::max<std::uint64_t>(2, std::lcm<std::uint64_t>(chip.l2.slices, chip.hbm.channels()))) {}

AddressMap::Place AddressMap::place(std::uint64_t line) const {
  const std::uint64_t row = linesPerRow_.quotient(group_.quotient(line));
  return {static_cast<std::uint32_t>(channels_.remainder(spread(line))),
          static_cast<std::uint32_t>(banks_.remainder(scatter(row) >> 16)), row};
}

} // namespace dlsim::sim
