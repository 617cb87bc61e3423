// Where in the kernel's own source an operation comes from: every message of the compiler names it.
#pragma once
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace dlsim {
// The innermost source position of `loc`, looking through names, call sites and fusions. A call into Triton's own library
// counts as its caller: that is the line the user wrote.
inline mlir::FileLineColLoc sourcePosition(mlir::Location loc) {
  if (auto position = llvm::dyn_cast<mlir::FileLineColLoc>(loc))
    return position;
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
    return sourcePosition(name.getChildLoc());
  if (auto site = llvm::dyn_cast<mlir::CallSiteLoc>(loc)) {
    auto callee = sourcePosition(site.getCallee());
    bool library = !callee || callee.getFilename().getValue().contains("triton/language");
    auto caller = library ? sourcePosition(site.getCaller()) : mlir::FileLineColLoc();
    return caller ? caller : callee;
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(loc))
    for (mlir::Location part : fused.getLocations())
      if (auto position = sourcePosition(part))
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
