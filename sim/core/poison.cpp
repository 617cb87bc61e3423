#include "sim/core/poison.h"

#include <algorithm>

namespace dlsim::core {

void Poison::mark(uint64_t begin, uint64_t end) {
  if (begin >= end)
    return;
  auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin()) {
    auto before = std::prev(next);
    if (before->second >= begin) {
      begin = before->first;
      end = std::max(end, before->second);
      next = ranges_.erase(before);
    }
  }
  while (next != ranges_.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ranges_.erase(next);
  }
  ranges_.emplace_hint(next, begin, end);
}

void Poison::clean(uint64_t begin, uint64_t end) {
  if (begin >= end)
    return;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin())
    --at;
  while (at != ranges_.end() && at->first < end) {
    const auto [first, last] = *at;
    if (last <= begin) {
      ++at;
      continue;
    }
    at = ranges_.erase(at);
    if (first < begin)
      ranges_.emplace(first, begin);
    if (last > end) {
      ranges_.emplace(end, last);
      return;
    }
  }
}

bool Poison::touches(uint64_t begin, uint64_t end) const {
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second > begin)
    return true;
  return at != ranges_.end() && at->first < end;
}

void Poison::markFootprint(const Footprint& f) {
  for (uint32_t j = 0; j < f.count1; ++j)
    for (uint32_t i = 0; i < f.count0; ++i) {
      const uint64_t at = f.address + static_cast<uint64_t>(f.stride0 * i + f.stride1 * j);
      mark(at, at + f.bytes);
    }
}

} // namespace dlsim::core
