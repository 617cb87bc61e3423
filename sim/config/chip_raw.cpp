#include "sim/config/chip_raw.h"

#include "sim/config/chip_file.h"
#include "sim/config/schema.h"

#include <fstream>
#include <sstream>
#include <toml++/toml.h>

namespace dlsim::sim {

namespace fs = std::filesystem;

void failChip(const std::string& where, const std::string& text) {
  throw ChipFileError("chip file " + where + ": " + text);
}

std::string showRaw(const RawValue& value) {
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

namespace {

std::string lineOf(const std::string& file, const toml::node& node) {
  return file + ":" + std::to_string(node.source().begin.line);
}

// ------------------------------------------------------------------------------------

RawValue convert(const std::string& key, const std::string& where, const toml::node& node) {
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
        failChip(where, key + ": a list holds integers or texts");
    if (!integers.empty() && !texts.empty())
      failChip(where, key + ": a list holds integers or texts, not both");
    if (texts.empty())
      return integers;
    return texts;
  }
  failChip(where, key + ": not a number, text, switch or list");
}

void collect(const toml::table& table, const std::string& prefix, const std::string& file,
             RawParameters& raw) {
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
      failChip(where,
               key +
                   ": write { value = ..., source = \"...\" }, so that it is known where the number is from");
    const toml::node* value = inner->get("value");
    if (!value) {
      collect(*inner, key, file, raw);
      continue;
    }
    for (const auto& [field, unused] : *inner)
      if (field.str() != "value" && field.str() != "source")
        failChip(where, key + ": unknown field '" + std::string(field.str()) + "' beside value and source");
    const auto source = (*inner)["source"].value<std::string>();
    if (!source || source->empty())
      failChip(where, key + ": has no source; write source = \"assumed\" if nobody publishes the number");
    raw[key] = {convert(key, where, *value), *source, where};
  }
}

} // namespace

void readChipFile(const fs::path& path, RawParameters& raw, unsigned depth) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw ChipFileError("chip file " + path.string() + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  readChipText(text.str(), path.string(), path.parent_path(), raw, depth);
}

void readChipText(const std::string& text, const std::string& name, const fs::path& folder,
                  RawParameters& raw, unsigned depth) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    failChip(name + ":" + std::to_string(error.source().begin.line), std::string(error.description()));
  }
  if (const toml::node* base = table.get("base")) {
    const auto file = base->value<std::string>();
    const std::string where = lineOf(name, *base);
    if (!file || file->find('/') != std::string::npos)
      failChip(where, "base: names a chip file in the same folder, for example \"ascend910b1.toml\"");
    if (depth >= 8)
      failChip(where, "base: more than 8 files deep; do two files name each other?");
    readChipFile(folder / *file, raw, depth + 1);
  }
  collect(table, "", name, raw);
}

void overrideChip(const std::string& text, RawParameters& raw) {
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
  const RawParameter parameter{convert(key, where, *table.get("v")), "command line", where};
  if (key.find('*') == std::string::npos) {
    raw[key] = parameter;
    return;
  }
  bool found = false;
  for (auto& [known, old] : raw)
    if (matches(key, known) && !old.source.empty()) { // the chip's name and description have no source
      old = parameter;
      found = true;
    }
  if (!found)
    throw ChipFileError("override '" + text +
                        "': no parameter of the chip has such a name; a star stands for one part of a "
                        "name, as in l2.*=1");
}

} // namespace dlsim::sim
