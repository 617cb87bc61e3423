// Bytes whose values were skipped (--timing-only): a set of address ranges.
#pragma once

#include "sim/core/command.h"

#include <cstdint>
#include <map>

namespace dlsim::core {

class Poison {
public:
  void set(uint64_t begin, uint64_t end, bool poison) { poison ? mark(begin, end) : clean(begin, end); }
  void mark(uint64_t begin, uint64_t end);  // [begin, end) becomes poison
  void clean(uint64_t begin, uint64_t end); // a real value was written
  bool touches(uint64_t begin, uint64_t end) const;
  void markFootprint(const Footprint& footprint);
  void clear() { ranges_.clear(); }
  size_t ranges() const { return ranges_.size(); }

private:
  std::map<uint64_t, uint64_t> ranges_; // begin to end, disjoint and not adjacent
};

} // namespace dlsim::core
