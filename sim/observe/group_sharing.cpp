#include "sim/observe/group_sharing.h"

#include <algorithm>

namespace dlsim::observe {

void merge(Clock& into, const Clock& more) {
  for (size_t slot = 0; slot < into.size(); ++slot)
    into[slot] = std::max(into[slot], more[slot]);
}

// The cores of a kind set a flag together; mode 2 goes to the other kind, the others to the same.
void GroupFlags::set(const CoreId& from, unsigned mode, unsigned id, const Clock& clock) {
  arrived_[{memberOf(from), mode, id}].push_back(clock);
  CoreId core = from;
  std::vector<std::deque<Clock>*> together;
  for (unsigned i = 0; i < std::max(coresOf(from.kind), 1u); ++i) {
    core.subcore = static_cast<uint8_t>(i);
    together.push_back(&arrived_[{memberOf(core), mode, id}]);
    if (together.back()->empty())
      return;
  }
  Clock all{};
  for (std::deque<Clock>* one : together) {
    merge(all, one->front());
    one->pop_front();
  }
  core.kind = static_cast<uint8_t>(mode == 2 ? from.kind ^ 1u : from.kind);
  for (unsigned i = 0; i < coresOf(core.kind); ++i) {
    core.subcore = static_cast<uint8_t>(i);
    tokens_[{memberOf(core), id}].push_back(all);
  }
}

Clock GroupFlags::take(const CoreId& to, unsigned id) {
  std::deque<Clock>& tokens = tokens_[{memberOf(to), id}];
  if (tokens.empty())
    return Clock{};
  const Clock clock = tokens.front();
  tokens.pop_front();
  return clock;
}

std::optional<GroupMemory::Conflict> GroupMemory::touch(uint64_t begin, uint64_t end, Mark mine,
                                                        const Clock& clock) {
  std::optional<Conflict> found;
  for (uint64_t granule = begin / kGranule; granule * kGranule < end; ++granule) {
    const uint64_t base = granule * kGranule, from = std::max(begin, base),
                   to = std::min(end, base + kGranule);
    mine.bytes = static_cast<uint32_t>(((uint64_t{1} << (to - from)) - 1) << (from - base));
    std::vector<Mark>& marks = granules_[granule];
    for (Mark& mark : marks) {
      const uint32_t both = mark.bytes & mine.bytes;
      const bool conflict = both && (mark.write || mine.write) && !(mark.atomic && mine.atomic);
      if (conflict && mark.slot != mine.slot && mark.number > clock[mark.slot] && !found)
        found = Conflict{mark, base + static_cast<unsigned>(__builtin_ctz(both))};
      // A write takes the place of all that it covers, a read that of the unit's older reads.
      if (mine.write ? !mine.atomic || mark.slot == mine.slot : mark.slot == mine.slot && !mark.write)
        mark.bytes &= ~mine.bytes;
    }
    marks.erase(std::remove_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.bytes == 0; }),
                marks.end());
    marks.push_back(mine);
  }
  return found;
}

} // namespace dlsim::observe
