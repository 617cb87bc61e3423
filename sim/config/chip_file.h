// Reads a chip file: TOML in which each parameter is `{ value = 32, source = "where the number is from" }`;
// source "assumed" marks numbers nobody publishes. `base = "other.toml"` takes every parameter that the file
// does not name from another chip file in the same folder.
#pragma once

#include "sim/config/chip_spec.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace dlsim::sim {

/// A chip file or an override that cannot be used. The text names key, file and line, value and legal range.
class ChipFileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One parameter as loaded, for listings and sensitivity scripts.
struct ChipParameter {
  std::string key;   // "l2.ways"
  std::string value; // as it would be written in TOML
  std::string unit;  // "bytes", "cycles", ...
  std::string range; // "1..64"
  std::string meaning;
  std::string source; // "assumed", "command line", or where the number is from
  std::string file;   // file:line that set it
  bool numeric = false;
};

struct Chip {
  ChipSpec spec;
  std::vector<ChipParameter> parameters; // every parameter, in the order of the schema
};

/// Loads and checks a chip file. `overrides` are "key=value" strings (from -D). Throws ChipFileError.
Chip loadChip(const std::string& path, const std::vector<std::string>& overrides = {});
/// The same from text; `name` stands for the file in messages, `folder` is where `base` files lie.
Chip parseChip(const std::string& text, const std::string& name, const std::string& folder,
               const std::vector<std::string>& overrides = {});
/// The chip file of a built-in chip ("ascend910b1") or the path itself if it ends in .toml. Built-in chips
/// are looked for in $DLSIM_CHIPS, then beside the executable (../share/dlsim/chips), then in the source
/// tree.
std::string chipPath(const std::string& nameOrPath);
/// Names of the built-in chips.
std::vector<std::string> builtinChips();

/// The schema as a Markdown page (docs/chip-reference.md).
std::string chipReference();

} // namespace dlsim::sim
