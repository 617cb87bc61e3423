// The one table that says which keys a chip file has, and where each value goes.
#pragma once

#include "sim/config/chip_spec.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dlsim::sim {

using ChipSlot = std::variant<std::uint32_t*, std::uint64_t*, double*, bool*, std::string*,
                              std::vector<std::string>*, std::vector<std::uint32_t>*>;
using ChipNames = std::vector<std::string>; // what the stars of a key stand for

struct SchemaEntry {
  std::string_view key;  // dotted; a star stands for a name chosen by the chip file
  std::string_view unit; // "" for texts and switches
  double least, most;    // legal range of numbers (of each number of a list)
  std::string_view meaning;
  ChipSlot (*slot)(ChipSpec&, const ChipNames&);
  bool powerOfTwo = false;
};

/// All entries, in the order of the reference page.
const std::vector<SchemaEntry>& chipSchema();

/// Whether `key` fits the entry's pattern; fills the names for its stars.
bool matches(std::string_view pattern, std::string_view key, ChipNames* names = nullptr);

/// "1..64", "a power of two, 32..4096", "text", "true or false", ...
std::string legalRange(const SchemaEntry& entry);
/// "integer", "number", "true or false", "text", "list of texts", "list of integers"
std::string typeName(const SchemaEntry& entry);

/// Checks between parameters. Returns "key: what is wrong" lines, empty if the chip is consistent.
std::vector<std::string> inconsistencies(const ChipSpec& chip);

} // namespace dlsim::sim
