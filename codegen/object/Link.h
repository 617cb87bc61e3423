// A small static linker: relocatable DLNPU objects, at most one a core kind, to the sections of a kernel
// binary.
#pragma once

#include "Object.h"
#include <map>

namespace dlsim::codegen {

/// Device addresses (isa/dlk loads to them).
constexpr uint64_t codeBase = 0x1000'0000;  // the text of a second core kind follows the first
constexpr uint64_t constBase = 0x2000'0000; // constants in global memory

struct LinkedSymbol {
  std::string name;
  std::string section;
  uint64_t address, size;
  bool isFunction;
};

struct LinkedSection {
  std::string name;
  uint64_t address = 0; // 0 for debug information
  std::vector<char> bytes;
};

struct Image {
  std::vector<LinkedSection> sections; // .text.aic, .text.aiv, .rodata, .debug_*
  std::vector<LinkedSymbol> symbols;
  std::map<std::string, uint64_t> entries; // core kind -> byte offset in its text
};

llvm::Expected<Image> link(llvm::ArrayRef<const Object*> objects);

} // namespace dlsim::codegen
