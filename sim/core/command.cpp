#include "sim/core/command.h"

#include <algorithm>
#include <cctype>

namespace dlsim::core {

std::string unitText(Unit unit) { return std::string(isa::unitName(unit)); }

const char* spaceName(Space space) {
  static constexpr const char* kNames[kSpaces] = {"GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB"};
  return kNames[static_cast<unsigned>(space)];
}

std::string spaceKey(Space space) {
  std::string key = spaceName(space);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

namespace {

// Offset of the last step of one stride level.
int64_t reach(int64_t stride, uint32_t count) { return count ? stride * static_cast<int64_t>(count - 1) : 0; }

} // namespace

uint64_t Footprint::lowest() const {
  return address + static_cast<uint64_t>(std::min<int64_t>(0, reach(stride0, count0)) +
                                         std::min<int64_t>(0, reach(stride1, count1)));
}

uint64_t Footprint::end() const {
  return address + bytes +
         static_cast<uint64_t>(std::max<int64_t>(0, reach(stride0, count0)) +
                               std::max<int64_t>(0, reach(stride1, count1)));
}

} // namespace dlsim::core
