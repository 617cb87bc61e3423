#include "sim/config/chip_spec.h"

#include <algorithm>
#include <stdexcept>

namespace dlsim::sim {

bool CoreKindSpec::hasUnit(const std::string& unit) const {
  return std::find(units.begin(), units.end(), unit) != units.end();
}

const ScopeSpec* CoreKindSpec::scope(const std::string& name) const {
  const auto found = scopes.find(name);
  return found == scopes.end() ? nullptr : &found->second;
}

const PathSpec* CoreKindSpec::path(const std::string& unit, const std::string& from,
                                   const std::string& to) const {
  for (const auto& [name, path] : paths)
    if (path.unit == unit && path.from == from && path.to == to)
      return &path;
  return nullptr;
}

const VectorOpSpec& VectorSpec::op(const std::string& mnemonic) const {
  const auto found = ops.find(mnemonic);
  return found != ops.end() ? found->second : ops.at("default");
}

const CoreKindSpec* ChipSpec::kind(const std::string& name) const {
  for (const CoreKindSpec& kind : kinds)
    if (kind.name == name)
      return &kind;
  return nullptr;
}

std::uint32_t ChipSpec::count(const std::string& name) const {
  const CoreKindSpec* found = kind(name);
  return found ? clusters * found->perCluster : 0;
}

std::uint32_t ChipSpec::cores() const {
  std::uint32_t sum = 0;
  for (const CoreKindSpec& kind : kinds)
    sum += clusters * kind.perCluster;
  return sum;
}

std::uint32_t ChipSpec::coreIndex(const std::string& name, std::uint32_t number) const {
  std::uint32_t base = 0;
  for (const CoreKindSpec& kind : kinds) {
    const std::uint32_t count = clusters * kind.perCluster;
    if (kind.name == name) {
      if (number >= count)
        throw std::out_of_range("core " + std::to_string(number) + " of kind '" + name + "': the chip has " +
                                std::to_string(count));
      return base + number;
    }
    base += count;
  }
  throw std::out_of_range("the chip has no core kind '" + name + "'");
}

const CoreKindSpec& ChipSpec::kindOfCore(std::uint32_t index) const {
  for (const CoreKindSpec& kind : kinds) {
    const std::uint32_t count = clusters * kind.perCluster;
    if (index < count)
      return kind;
    index -= count;
  }
  throw std::out_of_range("core index beyond the chip's cores");
}

} // namespace dlsim::sim
