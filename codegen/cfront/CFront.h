// C kernels: clang-19 makes LLVM IR for a generic 64-bit machine, which then becomes a DLNPU module.
#pragma once

#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace dlsim::codegen {

struct COptions {
  unsigned optLevel = 2;
  bool debugInfo = true;
  std::vector<std::string> defines; // NAME or NAME=VALUE
  std::vector<std::string> includeDirs;
  std::string clang;       // empty: the one found when the project was configured
  std::string resourceDir; // folder of dlnpu.h; empty: those of the build
};

/// The module of a C file. Kernel markers of dlnpu.h have become the attributes "dlnpu-kernel" and
/// "dlnpu-args". The compiler's messages go to standard error; the error then says that it failed.
llvm::Expected<std::unique_ptr<llvm::Module>> compileC(const std::string& path, const COptions& options,
                                                       llvm::LLVMContext& context);

} // namespace dlsim::codegen
