#include "sim/config/chip_file.h"

#include "sim/config/chip_raw.h"
#include "sim/config/schema.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <set>

namespace dlsim::sim {

namespace fs = std::filesystem;

namespace {

// ----------------------------------------------------------------------------------

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

std::string nearestKey(const std::string& key, const RawParameters& raw) {
  std::string best;
  std::size_t least = 5; // further away it is no spelling mistake
  const auto look = [&](std::string_view candidate) {
    const std::size_t d = candidate == key ? least : distance(key, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  };
  for (const SchemaEntry& entry : chipSchema())
    look(entry.key);
  const auto legal = [](const std::string& known) {
    return std::any_of(chipSchema().begin(), chipSchema().end(),
                       [&](const SchemaEntry& entry) { return matches(entry.key, known); });
  };
  for (const auto& [known, unused] : raw)
    if (legal(known))
      look(known);
  return best;
}

class Assigner {
public:
  Assigner(const SchemaEntry& entry, const std::string& key, const RawParameter& raw)
      : entry_(entry), key_(key), raw_(raw) {}

  void operator()(std::uint32_t* to) { *to = static_cast<std::uint32_t>(integer()); }
  void operator()(std::uint64_t* to) { *to = static_cast<std::uint64_t>(integer()); }
  void operator()(double* to) {
    const auto* integer = std::get_if<std::int64_t>(&raw_.value);
    const auto* real = std::get_if<double>(&raw_.value);
    if (!integer && !real)
      wrongType();
    *to = integer ? static_cast<double>(*integer) : *real;
    check(*to);
  }
  void operator()(bool* to) { *to = get<bool>(); }
  void operator()(std::string* to) { *to = get<std::string>(); }
  void operator()(std::vector<std::string>* to) {
    if (std::holds_alternative<std::vector<std::int64_t>>(raw_.value) &&
        std::get<std::vector<std::int64_t>>(raw_.value).empty())
      to->clear();
    else
      *to = get<std::vector<std::string>>();
  }
  void operator()(std::vector<std::uint32_t>* to) {
    to->clear();
    for (const std::int64_t item : get<std::vector<std::int64_t>>()) {
      check(static_cast<double>(item), item);
      to->push_back(static_cast<std::uint32_t>(item));
    }
  }

private:
  template <class T> const T& get() const {
    const T* value = std::get_if<T>(&raw_.value);
    if (!value)
      wrongType();
    return *value;
  }
  std::int64_t integer() const {
    const std::int64_t value = get<std::int64_t>();
    check(static_cast<double>(value), value);
    return value;
  }
  void check(double value, std::int64_t integer = 1) const {
    // Written so that NaN fails too.
    const bool inside = value >= entry_.least && value <= entry_.most;
    if (!inside || (entry_.powerOfTwo && (integer & (integer - 1)) != 0))
      failChip(raw_.where, key_ + " = " + showRaw(raw_.value) + ": legal is " + legalRange(entry_) +
                               (entry_.unit.empty() ? "" : " " + std::string(entry_.unit)));
  }
  [[noreturn]] void wrongType() const {
    failChip(raw_.where, key_ + " = " + showRaw(raw_.value) + ": legal is " + typeName(entry_) + ", " +
                             legalRange(entry_));
  }

  const SchemaEntry& entry_;
  const std::string& key_;
  const RawParameter& raw_;
};

/// The part of a pattern up to and with its last star, filled with names; "" if it has none.
std::string group(std::string_view pattern, const ChipNames& names, std::string_view* rest) {
  const std::size_t star = pattern.rfind('*');
  if (star == std::string_view::npos)
    return "";
  std::string filled;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= star; ++i)
    if (pattern[i] == '*')
      filled += names[next++];
    else
      filled += pattern[i];
  *rest = pattern.substr(star + 1);
  return filled;
}

void requireAll(const RawParameters& raw, const std::string& file) {
  // For every named group that the file begins, all keys of that group.
  std::set<std::pair<std::string, std::string>> groups; // filled group, pattern up to the star
  for (const auto& [key, value] : raw)
    for (const SchemaEntry& entry : chipSchema()) {
      ChipNames names;
      std::string_view rest;
      if (matches(entry.key, key, &names) && !names.empty())
        groups.insert(
            {group(entry.key, names, &rest), std::string(entry.key.substr(0, entry.key.rfind('*') + 1))});
    }
  const auto require = [&raw, &file](const std::string& key, const SchemaEntry& entry) {
    if (!raw.count(key))
      failChip(file, key + " is missing: " + std::string(entry.meaning) + " (" + typeName(entry) + ", " +
                         legalRange(entry) + (entry.unit.empty() ? "" : " " + std::string(entry.unit)) + ")");
  };
  for (const SchemaEntry& entry : chipSchema()) {
    const std::size_t star = entry.key.rfind('*');
    if (star == std::string_view::npos) {
      require(std::string(entry.key), entry);
      continue;
    }
    for (const auto& [filled, pattern] : groups)
      if (entry.key.substr(0, star + 1) == pattern)
        require(filled + std::string(entry.key.substr(star + 1)), entry);
  }
}

Chip build(const RawParameters& raw, const std::string& file) {
  Chip chip;
  std::set<std::string> known;
  for (const SchemaEntry& entry : chipSchema())
    for (const auto& [key, value] : raw) {
      ChipNames names;
      if (!matches(entry.key, key, &names))
        continue;
      known.insert(key);
      const ChipSlot slot = entry.slot(chip.spec, names);
      std::visit(Assigner(entry, key, value), slot);
      chip.parameters.push_back(
          {key, showRaw(value.value), std::string(entry.unit), legalRange(entry), std::string(entry.meaning),
           value.source, value.where,
           std::holds_alternative<std::int64_t>(value.value) || std::holds_alternative<double>(value.value)});
    }
  for (const auto& [key, value] : raw)
    if (!known.count(key)) {
      const std::string nearest = nearestKey(key, raw);
      failChip(value.where, "unknown key " + key + " = " + showRaw(value.value) +
                                (nearest.empty() ? "; docs/chip-reference.md lists the legal keys"
                                                 : "; did you mean " + nearest + "?"));
    }
  requireAll(raw, file);
  const std::vector<std::string> wrong = inconsistencies(chip.spec);
  if (!wrong.empty()) {
    std::string text;
    for (const std::string& line : wrong)
      text += (text.empty() ? "" : "\n  ") + line;
    failChip(file, text);
  }
  return chip;
}

Chip finish(RawParameters& raw, const std::string& file, const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides)
    overrideChip(text, raw);
  return build(raw, file);
}

std::vector<fs::path> chipFolders() {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("DLSIM_CHIPS"))
    folders.emplace_back(named);
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (!self.empty()) {
    folders.push_back(self.parent_path() / "../share/dlsim/chips");
    // In a build tree: build/bin/dlsim and the sources beside build.
    folders.push_back(self.parent_path() / "../../sim/chips");
  }
  return folders;
}

} // namespace

Chip loadChip(const std::string& path, const std::vector<std::string>& overrides) {
  RawParameters raw;
  readChipFile(chipPath(path), raw, 0);
  return finish(raw, path, overrides);
}

Chip parseChip(const std::string& text, const std::string& name, const std::string& folder,
               const std::vector<std::string>& overrides) {
  RawParameters raw;
  readChipText(text, name, folder, raw, 0);
  return finish(raw, name, overrides);
}

std::string chipPath(const std::string& nameOrPath) {
  const fs::path given(nameOrPath);
  if (given.extension() == ".toml")
    return nameOrPath;
  std::string tried;
  for (const fs::path& folder : chipFolders()) {
    const fs::path file = folder / (nameOrPath + ".toml");
    if (std::error_code ignored; fs::exists(file, ignored))
      return file.lexically_normal().string();
    tried += " " + folder.lexically_normal().string();
  }
  throw ChipFileError("no chip is called '" + nameOrPath + "'; looked in" + tried +
                      "; give a .toml file, or set DLSIM_CHIPS to the folder");
}

std::vector<std::string> builtinChips() {
  std::set<std::string> names;
  for (const fs::path& folder : chipFolders()) {
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(folder, ignored))
      if (file.path().extension() == ".toml")
        names.insert(file.path().stem().string());
  }
  return {names.begin(), names.end()};
}

} // namespace dlsim::sim
