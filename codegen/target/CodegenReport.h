// What the code generator tells about the code that it made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlsim::codegen {

/// How full the bundles of one innermost-level region are: a loop without its inner loops, or a function
/// without its loops.
struct LoopOccupancy {
  std::string function;
  unsigned depth = 0; // 0: the function's code outside of loops
  std::string file;   // source of the loop's first instruction, empty without debug information
  unsigned line = 0;
  unsigned bundles = 0;
  unsigned words = 0;
  unsigned commands = 0; // words that are commands
  double meanWords() const { return bundles ? double(words) / bundles : 0.0; }
};

struct FunctionFrame {
  std::string function;
  uint64_t bytes = 0;   // own stack frame
  bool dynamic = false; // an alloca of run-time size comes on top
  std::vector<std::string> callees;
};

struct CodegenReport {
  std::vector<LoopOccupancy> loops;
  std::vector<FunctionFrame> frames;

  /// Stack bytes of a call of `entry` with everything that it calls; nullopt-like -1 for recursion, dynamic
  /// frames or unknown callees.
  int64_t stackBytes(const std::string& entry) const;
};

} // namespace dlsim::codegen
