#include "sim/tools/progress.h"

#include <cstdio>
#include <unistd.h>

namespace dlsim::tools {

Progress::Progress(bool enabled)
    : enabled_(enabled && ::isatty(STDERR_FILENO)), began_(Clock::now()), last_(began_) {}

void Progress::command(const observe::CommandEffect& effect) {
  if (!enabled_)
    return;
  ++commands_;
  if (++skipped_ < 1024) // looking at the clock costs more than counting
    return;
  skipped_ = 0;
  Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(500))
    return;
  last_ = now;
  double seconds = std::chrono::duration<double>(now - began_).count();
  std::fprintf(stderr, "\r  cycle %llu, %.2f M commands, %.0f s ",
               static_cast<unsigned long long>(effect.completed), static_cast<double>(commands_) / 1e6,
               seconds);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::finish() {
  if (shown_)
    std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

} // namespace dlsim::tools
