// A line on a terminal that shows that a long run is alive.
#pragma once

#include "sim/observe/observer.h"

#include <chrono>

namespace dlsim::tools {

class Progress final : public observe::Observer {
public:
  explicit Progress(bool enabled);
  ~Progress() override { finish(); }
  void command(const observe::CommandEffect& effect) override;
  void finish(); // takes the line away

private:
  using Clock = std::chrono::steady_clock;
  bool enabled_, shown_ = false;
  unsigned skipped_ = 0;
  uint64_t commands_ = 0;
  Clock::time_point began_, last_;
};

} // namespace dlsim::tools
