#include "sim/config/chip_file.h"

#include "sim/config/schema.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <toml++/toml.h>

namespace dlsim::sim {

namespace fs = std::filesystem;

namespace {

using Value = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>,
                           std::vector<std::string>>;

struct Raw {
  Value value;
  std::string source;
  std::string where; // file:line
};
using RawMap = std::map<std::string, Raw>;

[[noreturn]] void fail(const std::string& where, const std::string& text) {
  throw ChipFileError("chip file " + where + ": " + text);
}

std::string lineOf(const std::string& file, const toml::node& node) {
  return file + ":" + std::to_string(node.source().begin.line);
}

std::string show(const Value& value) {
  std::ostringstream text;
  text.precision(15);
  const auto list = [&](const auto& items, const char* quote) {
    text << '[';
    for (std::size_t i = 0; i < items.size(); ++i)
      text << (i ? ", " : "") << quote << items[i] << quote;
    text << ']';
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    text << *integer;
  else if (const auto* real = std::get_if<double>(&value))
    text << *real;
  else if (const auto* flag = std::get_if<bool>(&value))
    text << (*flag ? "true" : "false");
  else if (const auto* string = std::get_if<std::string>(&value))
    text << '"' << *string << '"';
  else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value))
    list(*integers, "");
  else
    list(std::get<std::vector<std::string>>(value), "\"");
  return text.str();
}

// ---- TOML to raw values
// ------------------------------------------------------------------------------------

Value convert(const std::string& key, const std::string& where, const toml::node& node) {
  if (const auto* integer = node.as_integer())
    return integer->get();
  if (const auto* real = node.as_floating_point())
    return real->get();
  if (const auto* flag = node.as_boolean())
    return flag->get();
  if (const auto* text = node.as_string())
    return text->get();
  if (const auto* array = node.as_array()) {
    std::vector<std::int64_t> integers;
    std::vector<std::string> texts;
    for (const toml::node& item : *array)
      if (const auto* integer = item.as_integer())
        integers.push_back(integer->get());
      else if (const auto* text = item.as_string())
        texts.push_back(text->get());
      else
        fail(where, key + ": a list holds integers or texts");
    if (!integers.empty() && !texts.empty())
      fail(where, key + ": a list holds integers or texts, not both");
    if (texts.empty())
      return integers;
    return texts;
  }
  fail(where, key + ": not a number, text, switch or list");
}

void collect(const toml::table& table, const std::string& prefix, const std::string& file, RawMap& raw) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix.empty() ? std::string(name.str()) : prefix + "." + std::string(name.str());
    const std::string where = lineOf(file, node);
    if (prefix.empty() && key == "base")
      continue;
    if (prefix.empty() && (key == "name" || key == "description")) {
      raw[key] = {convert(key, where, node), "", where};
      continue;
    }
    const toml::table* inner = node.as_table();
    if (!inner)
      fail(where,
           key + ": write { value = ..., source = \"...\" }, so that it is known where the number is from");
    const toml::node* value = inner->get("value");
    if (!value) {
      collect(*inner, key, file, raw);
      continue;
    }
    for (const auto& [field, unused] : *inner)
      if (field.str() != "value" && field.str() != "source")
        fail(where, key + ": unknown field '" + std::string(field.str()) + "' beside value and source");
    const auto source = (*inner)["source"].value<std::string>();
    if (!source || source->empty())
      fail(where, key + ": has no source; write source = \"assumed\" if nobody publishes the number");
    raw[key] = {convert(key, where, *value), *source, where};
  }
}

void read(const std::string& text, const std::string& name, const fs::path& folder, RawMap& raw,
          unsigned depth);

void readFile(const fs::path& path, RawMap& raw, unsigned depth) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw ChipFileError("chip file " + path.string() + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  read(text.str(), path.string(), path.parent_path(), raw, depth);
}

void read(const std::string& text, const std::string& name, const fs::path& folder, RawMap& raw,
          unsigned depth) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    fail(name + ":" + std::to_string(error.source().begin.line), std::string(error.description()));
  }
  if (const toml::node* base = table.get("base")) {
    const auto file = base->value<std::string>();
    const std::string where = lineOf(name, *base);
    if (!file || file->find('/') != std::string::npos)
      fail(where, "base: names a chip file in the same folder, for example \"ascend910b1.toml\"");
    if (depth >= 8)
      fail(where, "base: more than 8 files deep; do two files name each other?");
    readFile(folder / *file, raw, depth + 1);
  }
  collect(table, "", name, raw);
}

void override(const std::string& text, RawMap& raw) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ChipFileError("override '" + text + "': write key=value, for example l2.ways=16");
  const std::string key = text.substr(0, equals), value = text.substr(equals + 1);
  const std::string where = "(command line)";
  toml::table table;
  try {
    table = toml::parse("v = " + value);
  } catch (const toml::parse_error&) {
    table.insert_or_assign("v", value); // a text without quotes
  }
  raw[key] = {convert(key, where, *table.get("v")), "command line", where};
}

// ---- raw values to the spec
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

std::string nearestKey(const std::string& key, const RawMap& raw) {
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
  Assigner(const SchemaEntry& entry, const std::string& key, const Raw& raw)
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
      fail(raw_.where, key_ + " = " + show(raw_.value) + ": legal is " + legalRange(entry_) +
                           (entry_.unit.empty() ? "" : " " + std::string(entry_.unit)));
  }
  [[noreturn]] void wrongType() const {
    fail(raw_.where,
         key_ + " = " + show(raw_.value) + ": legal is " + typeName(entry_) + ", " + legalRange(entry_));
  }

  const SchemaEntry& entry_;
  const std::string& key_;
  const Raw& raw_;
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

void requireAll(const RawMap& raw, const std::string& file) {
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
      fail(file, key + " is missing: " + std::string(entry.meaning) + " (" + typeName(entry) + ", " +
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

Chip build(const RawMap& raw, const std::string& file) {
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
          {key, show(value.value), std::string(entry.unit), legalRange(entry), std::string(entry.meaning),
           value.source, value.where,
           std::holds_alternative<std::int64_t>(value.value) || std::holds_alternative<double>(value.value)});
    }
  for (const auto& [key, value] : raw)
    if (!known.count(key)) {
      const std::string nearest = nearestKey(key, raw);
      fail(value.where, "unknown key " + key + " = " + show(value.value) +
                            (nearest.empty() ? "; docs/chip-reference.md lists the legal keys"
                                             : "; did you mean " + nearest + "?"));
    }
  requireAll(raw, file);
  const std::vector<std::string> wrong = inconsistencies(chip.spec);
  if (!wrong.empty()) {
    std::string text;
    for (const std::string& line : wrong)
      text += (text.empty() ? "" : "\n  ") + line;
    fail(file, text);
  }
  return chip;
}

Chip finish(RawMap& raw, const std::string& file, const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides)
    override(text, raw);
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
  RawMap raw;
  readFile(chipPath(path), raw, 0);
  return finish(raw, path, overrides);
}

Chip parseChip(const std::string& text, const std::string& name, const std::string& folder,
               const std::vector<std::string>& overrides) {
  RawMap raw;
  read(text, name, folder, raw, 0);
  return finish(raw, name, overrides);
}

std::string chipPath(const std::string& nameOrPath) {
  const fs::path given(nameOrPath);
  if (given.extension() == ".toml")
    return nameOrPath;
  std::string tried;
  for (const fs::path& folder : chipFolders()) {
    const fs::path file = folder / (nameOrPath + ".toml");
    if (fs::exists(file))
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
