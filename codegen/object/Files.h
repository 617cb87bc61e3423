// The files of the command-line tools: input that is text, output that is not the input.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace dlsim::codegen {

/// A file could not be written: no fault of the kernel.
class OutputError : public llvm::ErrorInfo<OutputError> {
public:
  static char ID;
  OutputError(llvm::StringRef path, std::error_code code)
      : path(path == "-" ? "standard output" : path), code(code) {}
  void log(llvm::raw_ostream& out) const override {
    out << path << ": cannot be written: " << code.message();
  }
  std::error_code convertToErrorCode() const override { return code; }

private:
  std::string path;
  std::error_code code;
};

/// The whole file or nothing; "-" is standard output. Returns OutputError.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// The input that `output` would overwrite, under whatever path; empty if there is none.
std::string overwrittenInput(llvm::StringRef output, llvm::ArrayRef<std::string> inputs);

/// Whether the bytes are UTF-8 without control characters other than white space.
bool isText(llvm::StringRef bytes);

} // namespace dlsim::codegen
