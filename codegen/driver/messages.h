// Diagnostics of the passes in the form of a compiler: `file.py:12: error: ...`.
#pragma once
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace dlsim::codegen {

class Messages {
public:
  // Warnings are printed as they come, remarks if `explain`; errors are kept for takeError.
  Messages(mlir::MLIRContext& context, bool explain);
  llvm::Error takeError();

  // From here on warnings and remarks are kept; the release that goes with it prints or forgets them.
  void hold() { holds.push_back(held.size()); }
  void release(bool print);

private:
  void say(std::string text);

  std::vector<size_t> holds; // where in `held` each begins
  std::string held;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
};

void warn(const llvm::Twine& text);

} // namespace dlsim::codegen
