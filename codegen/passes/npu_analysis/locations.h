// Locations of Triton's text as people want to read them: the kernel's own file and line.
#pragma once
#include "mlir/IR/Location.h"

#include <optional>
#include <string>

namespace dlsim::codegen {

// The file position a location stands for. Inlined library helpers (a call site) are attributed to the innermost
// position that lies in the same file as the outermost one, which is the kernel's.
std::optional<mlir::FileLineColLoc> filePosition(mlir::Location loc);
// "kernel.py:12", or "unknown" without a position.
std::string sourceLine(mlir::Location loc);
// The variable's name that Triton attached (`loc("offs"(...))`), empty if there is none.
llvm::StringRef variableName(mlir::Location loc);

} // namespace dlsim::codegen
