#include "CodegenReport.h"
#include <algorithm>
#include <set>

namespace dlsim::codegen {

namespace {
int64_t depthOf(const CodegenReport& report, const std::string& name, std::set<std::string>& active) {
  auto it = std::find_if(report.frames.begin(), report.frames.end(),
                         [&](const FunctionFrame& frame) { return frame.function == name; });
  if (it == report.frames.end() || it->dynamic || !active.insert(name).second)
    return -1;
  int64_t deepest = 0;
  for (const std::string& callee : it->callees) {
    int64_t below = depthOf(report, callee, active);
    if (below < 0)
      return -1;
    deepest = std::max(deepest, below);
  }
  active.erase(name);
  return int64_t(it->bytes) + deepest;
}
} // namespace

int64_t CodegenReport::stackBytes(const std::string& entry) const {
  std::set<std::string> active;
  return depthOf(*this, entry, active);
}

} // namespace dlsim::codegen
