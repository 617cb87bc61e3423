#include "sim/core/tags.h"

#include <algorithm>

namespace dlsim::core {

CacheTags::CacheTags(uint64_t bytes, uint32_t line_bytes, uint32_t ways)
    : line_bytes_(line_bytes ? line_bytes : 64), ways_(ways ? ways : 1),
      sets_(std::max<uint64_t>(1, bytes / line_bytes_ / ways_)), table_(sets_ * ways_) {}

const CacheTags::Way* CacheTags::find(uint64_t line) const {
  const Way* first = &table_[line % sets_ * ways_];
  const Way* hit = std::find_if(first, first + ways_, [&](const Way& w) { return w.line == line; });
  return hit == first + ways_ ? nullptr : hit;
}

CacheTags::Way* CacheTags::find(uint64_t line) {
  return const_cast<Way*>(static_cast<const CacheTags*>(this)->find(line));
}

bool CacheTags::touch(uint64_t line) {
  Way* way = find(line);
  if (way)
    way->used = ++clock_;
  return way != nullptr;
}

bool CacheTags::contains(uint64_t line) const { return find(line) != nullptr; }

void CacheTags::markDirty(uint64_t line) {
  if (Way* way = find(line))
    way->dirty = true;
}

std::optional<uint64_t> CacheTags::insert(uint64_t line) {
  if (touch(line))
    return std::nullopt;
  Way* first = &table_[line % sets_ * ways_];
  Way* victim =
      std::min_element(first, first + ways_, [](const Way& a, const Way& b) { return a.used < b.used; });
  const std::optional<uint64_t> displaced =
      victim->used && victim->dirty ? std::optional<uint64_t>(victim->line) : std::nullopt;
  *victim = {line, ++clock_, false};
  return displaced;
}

void CacheTags::clear() { std::fill(table_.begin(), table_.end(), Way{}); }

} // namespace dlsim::core
