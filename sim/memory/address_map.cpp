#include "sim/memory/address_map.h"

#include <numeric>
#include <stdexcept>

namespace dlsim::sim {

AddressMap::AddressMap(const ChipSpec& chip)
    : lineBytes_(chip.l2.lineBytes), slices_(chip.l2.slices), sets_(chip.l2.sets),
      channels_(chip.hbm.channels()), banks_(chip.hbm.banksPerChannel),
      linesPerRow_(std::max(1u, chip.hbm.rowBytes / chip.l2.lineBytes)),
      group_(std::max<std::uint64_t>(2, std::lcm<std::uint64_t>(chip.l2.slices, chip.hbm.channels()))) {}

std::uint64_t AddressMap::lineAt(std::uint32_t slice, std::uint32_t set, std::uint64_t tag) const {
  // `slices` neighbouring lines go to different slices: one of them is the line.
  const std::uint64_t first = (tag * sets_.by() + set) * slices_.by();
  for (std::uint64_t line = first; line < first + slices_.by(); ++line)
    if (this->slice(line) == slice)
      return line;
  throw std::logic_error("address map: a slice is missing in a group of lines");
}

AddressMap::Place AddressMap::place(std::uint64_t line) const {
  const std::uint64_t row = linesPerRow_.quotient(group_.quotient(line));
  return {static_cast<std::uint32_t>(channels_.remainder(spread(line))),
          static_cast<std::uint32_t>(banks_.remainder(scatter(row) >> 16)), row};
}

} // namespace dlsim::sim
