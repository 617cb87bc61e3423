#include "sim/compare/metric_names.h"

#include <algorithm>
#include <array>

namespace dlsim::compare {

namespace {

struct Alias {
  std::string_view theirs, ours;
  double factor;
};

// Factors bring times to microseconds and traffic to MB; a unit that is given separately comes on top.
constexpr std::array<Alias, 14> kAliases{{{"Task Duration(us)", "time_us", 1},
                                          {"time_us", "time_us", 1},
                                          {"time_ms", "time_us", 1e3},
                                          {"gpu__time_duration.sum", "time_us", 1},
                                          {"dram__bytes_read.sum", "hbm_read_MB", 1},
                                          {"dram__bytes_write.sum", "hbm_write_MB", 1},
                                          {"dram_read_bytes", "hbm_read_MB", 1e-6},
                                          {"dram_write_bytes", "hbm_write_MB", 1e-6},
                                          {"hbm_read_MB", "hbm_read_MB", 1},
                                          {"hbm_write_MB", "hbm_write_MB", 1},
                                          {"lts__t_sectors_op_read.sum", "l2_read_MB", 32e-6},
                                          {"l2_read_bytes", "l2_read_MB", 1e-6},
                                          {"lts__t_sector_hit_rate.pct", "l2_sector_hit_ratio", 1e-2},
                                          {"l2_sector_hit_rate", "l2_sector_hit_ratio", 1}}};

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 10> kUnits{{{"ns", 1e-3},
                                       {"nsecond", 1e-3},
                                       {"us", 1},
                                       {"usecond", 1},
                                       {"ms", 1e3},
                                       {"msecond", 1e3},
                                       {"byte", 1e-6},
                                       {"Kbyte", 1e-3},
                                       {"Mbyte", 1},
                                       {"Gbyte", 1e3}}};

constexpr std::array<std::string_view, 22> kEndings{
    "_us",  "_ms",    "_ns",   "_cycles", "_bytes",      "_KB",    "_MB",  "_GB",
    "_GBs", "_ratio", "_rate", "_busy",   "_efficiency", "tflops", "(us)", "(%)",
    "(KB)", "(GB/s)", ".sum",  ".pct",    ".avg",        "_macs"};

bool endsWith(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

} // namespace

std::optional<Named> commonName(std::string_view name, std::string_view unit) {
  const auto alias =
      std::find_if(kAliases.begin(), kAliases.end(), [&](const Alias& a) { return a.theirs == name; });
  if (alias == kAliases.end())
    return std::nullopt;
  const auto scale =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == unit; });
  return Named{std::string(alias->ours), alias->factor * (scale == kUnits.end() ? 1 : scale->factor)};
}

bool isMetric(std::string_view column) {
  return column == "cycles" || commonName(column) ||
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view e) { return endsWith(column, e); });
}

bool addsUp(std::string_view column) {
  constexpr std::array<std::string_view, 8> kCounts{"(KB)",           "(KB)(estimate)", "_instructions",
                                                    "_number",        "_fops",          "_cache_hit",
                                                    "_miss_allocate", "_total_cycles"};
  return std::any_of(kCounts.begin(), kCounts.end(), [&](std::string_view e) { return endsWith(column, e); });
}

} // namespace dlsim::compare
