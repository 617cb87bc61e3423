// Which slice, set, channel, bank and row hold a line. Consecutive lines go round all slices and channels;
// the bits above are folded in, so that no power-of-two stride meets one slice only. A slice owns its
// channels if their number is a multiple of the slices'.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/memory/resource.h"

namespace dlsim::sim {

class AddressMap {
public:
  explicit AddressMap(const ChipSpec& chip);

  std::uint64_t line(std::uint64_t address) const { return lineBytes_.quotient(address); }
  std::uint64_t offset(std::uint64_t address) const { return lineBytes_.remainder(address); }

  std::uint32_t slice(std::uint64_t line) const { return slices_.remainder(spread(line)); }
  std::uint32_t set(std::uint64_t line) const { return sets_.remainder(slices_.quotient(line)); }
  /// Unique among the lines of one slice and set.
  std::uint64_t tag(std::uint64_t line) const { return sets_.quotient(slices_.quotient(line)); }

  /// The line of a slice and set that has this tag.
  std::uint64_t lineAt(std::uint32_t slice, std::uint32_t set, std::uint64_t tag) const;

  struct Place {
    std::uint32_t channel, bank;
    std::uint64_t row;
  };
  Place place(std::uint64_t line) const;

private:
  /// Golden-ratio hashing: neighbours and power-of-two strides alike are spread evenly. 32 bits.
  static std::uint64_t scatter(std::uint64_t value) { return value * 0x9E3779B97F4A7C15u >> 32; }

  /// A permutation of each aligned group of lines that differs from group to group.
  std::uint64_t spread(std::uint64_t line) const {
    const std::uint64_t above = scatter(group_.quotient(line));
    if (group_.power())
      return group_.remainder(line ^ above >> (32 - group_.shift()));
    return group_.remainder(line + above);
  }

  Divider lineBytes_, slices_, sets_, channels_, banks_, linesPerRow_, group_;
};

} // namespace dlsim::sim
