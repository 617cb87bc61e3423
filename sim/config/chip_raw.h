// Chip files as key and value, before the schema is applied. Private to sim/config.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace dlsim::sim {

using RawValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>,
                              std::vector<std::string>>;

struct RawParameter {
  RawValue value;
  std::string source;
  std::string where; // file:line
};
using RawParameters = std::map<std::string, RawParameter>; // by dotted key

/// Throws ChipFileError.
[[noreturn]] void failChip(const std::string& where, const std::string& text);
/// As it would be written in TOML.
std::string showRaw(const RawValue& value);

/// Adds a file's parameters, those of its base first.
void readChipFile(const std::filesystem::path& path, RawParameters& raw, unsigned depth = 0);
void readChipText(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                  RawParameters& raw, unsigned depth = 0);
/// Applies "key=value"; a star in the key stands for any name between two dots:
/// "vector.op.*.startup_cycles=0".
void overrideChip(const std::string& text, RawParameters& raw);

} // namespace dlsim::sim
