// The length of a union of intervals that arrive in the order of their ends.
#pragma once

#include "sim/core/command.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dlsim::observe {

class IntervalUnion {
public:
  void add(core::Cycle begin, core::Cycle end) {
    while (!parts_.empty() && parts_.back().second >= begin) {
      begin = std::min(begin, parts_.back().first);
      end = std::max(end, parts_.back().second);
      total_ -= parts_.back().second - parts_.back().first;
      parts_.pop_back();
    }
    parts_.emplace_back(begin, end);
    total_ += end - begin;
  }
  core::Cycle total() const { return total_; }

private:
  std::vector<std::pair<core::Cycle, core::Cycle>> parts_; // disjoint, rising
  core::Cycle total_ = 0;
};

} // namespace dlsim::observe
