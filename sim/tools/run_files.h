// The files that `dlsim run --out` writes, by their names.
#pragma once

#include <string>
#include <vector>

namespace dlsim::tools {

inline constexpr const char* kOutputsName = "outputs.npz";
inline constexpr const char* kSummaryName = "summary.json";
inline constexpr const char* kTraceName = "trace.json";
inline constexpr const char* kHeatName = "heat.json";

// Takes away what earlier runs left in the folder, whatever their options were; other files stay. Throws
// casefile::InputError when that cannot be, or when one of `inputs` (paths) is among them.
void removeRunFiles(const std::string& folder, const std::vector<std::string>& inputs);

} // namespace dlsim::tools
