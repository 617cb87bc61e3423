// Pictures of a run: what the units of chosen cores did over a window of time, and how busy L2 slices and
// banks of UB were.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dlsim::tools {

// A stretch of time of one unit, in microseconds.
struct Span {
  double begin = 0, length = 0;
  std::string name; // "m.mmad", "wait MTE2 id 1", "stall: queue full MTE2"
};

// The rows of one core: unit -> what it did, in order of time.
struct CoreRows {
  std::string core;
  std::vector<std::pair<std::string, std::vector<Span>>> units;
};

// How much of something in each bin of time (rows) and place (columns).
struct Heat {
  std::string title, place;    // "L2 slices", "slice"
  std::string unit;            // "requests"
  double begin = 0, width = 0; // of the first bin, in microseconds
  std::vector<std::vector<double>> bins;
};

struct Timeline {
  std::string title;
  double begin = 0, end = 0; // of the window, in microseconds
  std::vector<CoreRows> cores;
  std::vector<Heat> heats;
};

// A self-contained SVG of 1000 units' width that follows a light or dark page.
std::string timelineSvg(const Timeline& timeline);

} // namespace dlsim::tools
