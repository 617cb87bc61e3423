// A chip file and those that it is based on, as the simulator reads them too (sim/chips).
#pragma once
#include "codegen/passes/plan_memory/target.h"

#include <toml++/toml.h>

#include <vector>

namespace dlsim::codegen {

class ChipFile {
public:
  // By the name of a chip file in $DLSIM_CHIPS, beside the program (../share/dlsim/chips) or in the source
  // tree, or by path ("mine.toml"). Errors name file and line.
  static llvm::Expected<ChipFile> open(llvm::StringRef nameOrPath);

  // Reads a positive integer; the first one that is missing is remembered.
  void get(llvm::StringRef key, int64_t& to);
  void get(llvm::StringRef key, ScopeMemory& to);
  // A number, or nothing.
  std::optional<double> number(llvm::StringRef key) const;

  std::string name, missing;

private:
  std::vector<toml::table> tables; // the file itself first
};

} // namespace dlsim::codegen
