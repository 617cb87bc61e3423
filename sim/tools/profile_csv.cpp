#include "sim/tools/profile_csv.h"

#include <iterator>

namespace dlsim::tools {

std::vector<std::pair<std::string, std::string>> profileCsvs(const Run& run) {
  static constexpr std::string (*kTexts[])(const Run&) = {
      opBasicInfoCsv, pipeUtilizationCsv, arithmeticUtilizationCsv, memoryCsv,   memoryL0Csv,
      memoryUbCsv,    l2CacheCsv,         resourceConflictCsv,      opSummaryCsv};
  static_assert(std::size(kTexts) == std::size(kProfileCsvNames));
  std::vector<std::pair<std::string, std::string>> files;
  for (size_t i = 0; i < std::size(kTexts); ++i)
    files.emplace_back(kProfileCsvNames[i], kTexts[i](run));
  return files;
}

} // namespace dlsim::tools
