#include "sim/config/schema.h"

#include "sim/config/chip_file.h"
#include "sim/config/schema_parts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace dlsim::sim {

const std::vector<SchemaEntry>& chipSchema() {
  static const std::vector<SchemaEntry> all = [] {
    std::vector<SchemaEntry> entries;
    addCoreSchema(entries);
    addMemorySchema(entries);
    return entries;
  }();
  return all;
}

bool matches(std::string_view pattern, std::string_view key, ChipNames* names) {
  if (names)
    names->clear();
  while (true) {
    const std::size_t patternDot = pattern.find('.'), keyDot = key.find('.');
    const std::string_view want = pattern.substr(0, patternDot), have = key.substr(0, keyDot);
    if (want == "*") {
      if (names)
        names->emplace_back(have);
    } else if (want != have) {
      return false;
    }
    if (patternDot == std::string_view::npos || keyDot == std::string_view::npos)
      return patternDot == keyDot;
    pattern.remove_prefix(patternDot + 1);
    key.remove_prefix(keyDot + 1);
  }
}

namespace {

ChipSlot sampleSlot(const SchemaEntry& entry) {
  static ChipSpec scratch; // only the slot's type is looked at
  return entry.slot(scratch, {"x", "x"});
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(15);
  text << value;
  return text.str();
}

} // namespace

std::string typeName(const SchemaEntry& entry) {
  struct Visitor {
    std::string operator()(std::uint32_t*) { return "integer"; }
    std::string operator()(std::uint64_t*) { return "integer"; }
    std::string operator()(double*) { return "number"; }
    std::string operator()(bool*) { return "true or false"; }
    std::string operator()(std::string*) { return "text"; }
    std::string operator()(std::vector<std::string>*) { return "list of texts"; }
    std::string operator()(std::vector<std::uint32_t>*) { return "list of integers"; }
  };
  return std::visit(Visitor{}, sampleSlot(entry));
}

std::string legalRange(const SchemaEntry& entry) {
  const std::string type = typeName(entry);
  if (type == "true or false" || type == "text" || type == "list of texts")
    return type;
  return (entry.powerOfTwo ? "power of two, " : "") + number(entry.least) + ".." + number(entry.most);
}

namespace {

// No chip of this class is larger, and the host must hold what the chip has.
void addSizes(const ChipSpec& chip, std::vector<std::string>& wrong) {
  constexpr std::uint64_t mostCores = 1024, mostOnChip = std::uint64_t{512} << 20,
                          mostLines = std::uint64_t{1} << 24;
  std::uint64_t cores = 0, onChip = 0;
  for (const CoreKindSpec& kind : chip.kinds) {
    const std::uint64_t count = std::uint64_t{chip.clusters} * kind.perCluster;
    cores += count;
    for (const auto& [name, scope] : kind.scopes)
      onChip += count * scope.bytes;
    onChip += count * (kind.icache.bytes + kind.dcache.bytes);
  }
  const auto atMost = [&](const char* keys, std::uint64_t have, const char* what, std::uint64_t most) {
    if (have > most)
      wrong.push_back(std::string(keys) + " give " + std::to_string(have) + what + "; at most " +
                      std::to_string(most) + " are modelled");
  };
  atMost("chip.clusters and core.*.per_cluster", cores, " cores", mostCores);
  atMost("chip.clusters, core.*.per_cluster and the sizes of scopes and caches", onChip, " bytes on chip",
         mostOnChip);
  atMost("l2.slices, l2.sets and l2.ways", std::uint64_t{chip.l2.slices} * chip.l2.sets * chip.l2.ways,
         " lines of L2", mostLines);
}

} // namespace

std::vector<std::string> inconsistencies(const ChipSpec& chip) {
  std::vector<std::string> wrong;
  static const std::set<std::string> units = {"S", "MTE1", "MTE2", "MTE3", "FIX", "M", "V"};
  if (chip.kinds.empty())
    wrong.push_back("core: a chip needs at least one kind of core");
  for (const CoreKindSpec& kind : chip.kinds) {
    const std::string prefix = "core." + kind.name;
    for (const std::string& unit : kind.units)
      if (!units.count(unit))
        wrong.push_back(prefix + ".units: no unit is called '" + unit +
                        "'; the units are S, MTE1, MTE2, MTE3, FIX, M, V");
    for (const auto& [name, path] : kind.paths) {
      const std::string key = prefix + ".path." + name;
      if (!kind.hasUnit(path.unit))
        wrong.push_back(key + ".unit: the core has no unit '" + path.unit + "'");
      for (const auto& [end, scope] : {std::pair{".from", path.from}, std::pair{".to", path.to}})
        if (scope != "gm" && !kind.scope(scope))
          wrong.push_back(key + end + ": the core has no scope '" + scope + "' (and it is not gm)");
    }
    // Commands of these units reach global memory.
    for (const auto& [unit, reads] :
         {std::pair{"MTE2", true}, std::pair{"MTE3", false}, std::pair{"FIX", false}}) {
      const bool found = std::any_of(
          kind.paths.begin(), kind.paths.end(), [&, unit = unit, reads = reads](const auto& path) {
            return path.second.unit == unit && (reads ? path.second.from : path.second.to) == "gm";
          });
      if (kind.hasUnit(unit) && !found)
        wrong.push_back(prefix + ".path.*.unit: the core has unit " + unit + ", but no path " +
                        (reads ? "from" : "to") + " gm that it moves data along");
    }
    if (kind.hasUnit("M") && chip.cube.types.empty())
      wrong.push_back("cube.type: " + prefix + " has unit M, so at least one dtype is needed");
    if (kind.hasUnit("V") && !chip.vector.ops.count("default"))
      wrong.push_back("vector.op.default: " + prefix + " has unit V, so the default cost is needed");
    if (kind.hasUnit("V")) {
      const ScopeSpec* ub = kind.scope("ub");
      const std::uint64_t banks = std::uint64_t{chip.ub.groups} * chip.ub.banksPerGroup * chip.ub.bankBytes;
      if (ub && ub->bytes != banks)
        wrong.push_back(prefix + ".scope.ub.bytes: " + std::to_string(ub->bytes) +
                        " bytes, but ub.groups x "
                        "ub.banks_per_group x ub.bank_bytes is " +
                        std::to_string(banks));
    }
  }
  addSizes(chip, wrong);
  const DmaSpec& dma = chip.dma;
  if (dma.pieces.empty() || !std::is_sorted(dma.pieces.rbegin(), dma.pieces.rend()))
    wrong.push_back("dma.pieces: needs at least one size, largest first");
  else if (dma.pieces.front() > chip.l2.lineBytes)
    wrong.push_back("dma.pieces: a request of " + std::to_string(dma.pieces.front()) +
                    " bytes crosses l2.line_bytes, " + std::to_string(chip.l2.lineBytes));
  else if (dma.pieces.back() != dma.readFloor)
    wrong.push_back("dma.read_floor: " + std::to_string(dma.readFloor) +
                    " must be the smallest of dma.pieces, " + std::to_string(dma.pieces.back()));
  if (chip.l2.sectorBytes > chip.l2.lineBytes || chip.l2.lineBytes / chip.l2.sectorBytes > 32)
    wrong.push_back("l2.sector_bytes: a line of " + std::to_string(chip.l2.lineBytes) +
                    " bytes must hold 1 to 32 sectors");
  return wrong;
}

std::string chipReference() {
  std::ostringstream page;
  page << "# Chip files\n\n"
          "Generated from the schema in `sim/config/schema_*.cpp` by `build/bin/dlsim-chip-reference`; do "
          "not edit.\n\n"
          "A chip file is TOML. Each parameter is `{ value = 24, source = \"where the number is from\" }`; "
          "the source\n"
          "`\"assumed\"` marks a number that nobody publishes. `base = \"other.toml\"` takes every parameter "
          "that the file\n"
          "does not name from another file in the same folder; `name` and `description` are plain texts. A "
          "star stands for a\n"
          "name that the chip file chooses. `-D key=value` on the command line overrides one parameter, with "
          "stars all "
          "that match.\n\n"
          "| key | type | unit | legal | meaning |\n|---|---|---|---|---|\n";
  for (const SchemaEntry& entry : chipSchema())
    page << "| `" << entry.key << "` | " << typeName(entry) << " | " << entry.unit << " | "
         << legalRange(entry) << " | " << entry.meaning << " |\n";
  return page.str();
}

} // namespace dlsim::sim
