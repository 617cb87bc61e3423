#include "sim/tools/chips_command.h"

#include "sim/config/chip_file.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace dlsim::tools {

namespace {

sim::Chip load(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return sim::loadChip(sim::chipPath(name), overrides);
}

int list() {
  for (const std::string& name : sim::builtinChips())
    std::printf("%-16s %s\n", name.c_str(), load(name).spec.description.c_str());
  return kOk;
}

int show(const ChipsOptions& options) {
  sim::Chip chip = load(options.show, options.overrides);
  size_t key = 0, value = 0;
  for (const sim::ChipParameter& p : chip.parameters) {
    key = std::max(key, p.key.size());
    value = std::max(value, std::min<size_t>(p.value.size() + 1 + p.unit.size(), 32));
  }
  std::printf("%s: %s\n", chip.spec.name.c_str(), chip.spec.description.c_str());
  for (const sim::ChipParameter& p : chip.parameters)
    std::printf("%-*s  %-*s  %s\n", static_cast<int>(key), p.key.c_str(), static_cast<int>(value),
                (p.value + (p.unit.empty() ? "" : " " + p.unit)).c_str(), p.source.c_str());
  return kOk;
}

int diff(const std::string& a, const std::string& b) {
  std::map<std::string, std::string> left, right;
  std::vector<std::string> order;
  sim::Chip first = load(a), second = load(b);
  std::set<std::string> seen;
  for (const auto* chip : {&first, &second})
    for (const sim::ChipParameter& p : chip->parameters) {
      (chip == &first ? left : right)[p.key] = p.value;
      if (seen.insert(p.key).second)
        order.push_back(p.key);
    }
  unsigned differences = 0;
  for (const std::string& key : order) {
    std::string x = left.count(key) ? left[key] : "-", y = right.count(key) ? right[key] : "-";
    if (x == y)
      continue;
    if (!differences++)
      std::printf("%-36s %-20s %s\n", "", first.spec.name.c_str(), second.spec.name.c_str());
    std::printf("%-36s %-20s %s\n", key.c_str(), x.c_str(), y.c_str());
  }
  if (!differences)
    std::printf("%s and %s have the same parameters\n", a.c_str(), b.c_str());
  return kOk;
}

} // namespace

int chipsCommand(const ChipsOptions& options) {
  if (!options.show.empty())
    return show(options);
  if (options.diff.size() == 2)
    return diff(options.diff[0], options.diff[1]);
  return list();
}

} // namespace dlsim::tools
