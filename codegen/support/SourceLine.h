// Where in the kernel's own source an operation comes from: every message of the compiler names it.
#pragma once
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace dlsim {
// All source positions of `loc`, innermost first, looking through names, call sites and fusions.
inline void sourcePositions(mlir::Location loc, llvm::SmallVectorImpl<mlir::FileLineColLoc>& found) {
  if (auto position = llvm::dyn_cast<mlir::FileLineColLoc>(loc))
    found.push_back(position);
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
    sourcePositions(name.getChildLoc(), found);
  if (auto site = llvm::dyn_cast<mlir::CallSiteLoc>(loc)) {
    sourcePositions(site.getCallee(), found);
    sourcePositions(site.getCaller(), found);
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(loc))
    for (mlir::Location part : fused.getLocations())
      if (size_t before = found.size(); sourcePositions(part, found), found.size() != before)
        break;
}

// The source position of `loc`. A call into a library (Triton's own, for one) counts as its caller: that is
// the line the user wrote. The user's file is that of the outermost position.
inline mlir::FileLineColLoc sourcePosition(mlir::Location loc) {
  llvm::SmallVector<mlir::FileLineColLoc> found;
  sourcePositions(loc, found);
  for (mlir::FileLineColLoc position : found)
    if (position.getFilename() == found.back().getFilename())
      return position;
  return {};
}

// "file.py:12" (file name without its folder), or "?" when the text carried no location.
inline std::string sourceLine(mlir::Location loc) {
  auto position = sourcePosition(loc);
  if (!position)
    return "?";
  llvm::StringRef file = position.getFilename().getValue();
  return (file.substr(file.find_last_of('/') + 1) + ":" + llvm::Twine(position.getLine())).str();
}

// An error whose printed position is the kernel's source line.
inline mlir::InFlightDiagnostic errorAt(mlir::Operation* op) {
  auto position = sourcePosition(op->getLoc());
  return mlir::emitError(position ? mlir::Location(position) : op->getLoc());
}
inline mlir::InFlightDiagnostic remarkAt(mlir::Operation* op) {
  auto position = sourcePosition(op->getLoc());
  return mlir::emitRemark(position ? mlir::Location(position) : op->getLoc());
}
} // namespace dlsim
