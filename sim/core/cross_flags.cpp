#include "sim/core/cross_flags.h"

#include <algorithm>

namespace dlsim::core {

void CrossFlags::addCore(const CoreId& id, CrossFlagListener& listener) {
  cores_.emplace_back(id, listener, most_);
}

CrossFlags::Core& CrossFlags::find(const CoreId& id) {
  return *std::find_if(cores_.begin(), cores_.end(), [&](const Core& c) { return c.id.dense == id.dense; });
}
const CrossFlags::Core& CrossFlags::find(const CoreId& id) const {
  return *std::find_if(cores_.begin(), cores_.end(), [&](const Core& c) { return c.id.dense == id.dense; });
}

// Whether b must set the flag together with a.
bool CrossFlags::gathers(const CoreId& a, const CoreId& b, unsigned mode) {
  return a.kind == b.kind && (mode == 0 || a.group == b.group);
}

bool CrossFlags::receives(const CoreId& from, const CoreId& to, unsigned mode) {
  if (mode == 2)
    return from.group == to.group && from.kind != to.kind;
  return gathers(from, to, mode);
}

CrossFlags::Result CrossFlags::set(const CoreId& from, unsigned mode, unsigned id, Cycle now) {
  Core& setter = find(from);
  if (setter.arrivals[mode][id] == most_)
    return Result::Overflow;
  ++setter.arrivals[mode][id];
  for (const Core& core : cores_)
    if (gathers(from, core.id, mode) && core.arrivals[mode][id] == 0)
      return Result::Ok;
  for (Core& core : cores_)
    if (gathers(from, core.id, mode))
      --core.arrivals[mode][id];
  for (Core& core : cores_) {
    if (!receives(from, core.id, mode))
      continue;
    if (!core.tokens.set(id, now + latency_))
      return Result::Overflow;
    core.listener->crossFlagSet(id, now + latency_);
  }
  return Result::Ok;
}

Cycle CrossFlags::visibleAt(const CoreId& id, unsigned flag) const { return find(id).tokens.visibleAt(flag); }
void CrossFlags::take(const CoreId& id, unsigned flag) { find(id).tokens.take(flag); }
unsigned CrossFlags::tokens(const CoreId& id, unsigned flag) const { return find(id).tokens.tokens(flag); }

unsigned CrossFlags::arrived(const CoreId& id, unsigned mode, unsigned flag) const {
  unsigned count = 0;
  for (const Core& core : cores_)
    count += gathers(id, core.id, mode) && core.arrivals[mode][flag] > 0;
  return count;
}

} // namespace dlsim::core
