#include "codegen/passes/npu_analysis/locations.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlsim::codegen {

// Innermost position first.
static void positions(Location loc, llvm::SmallVectorImpl<FileLineColLoc>& found) {
  llvm::TypeSwitch<LocationAttr>(loc)
      .Case([&](FileLineColLoc l) { found.push_back(l); })
      .Case([&](NameLoc l) { positions(l.getChildLoc(), found); })
      .Case([&](CallSiteLoc l) {
        positions(l.getCallee(), found);
        positions(l.getCaller(), found);
      })
      .Case([&](FusedLoc l) {
        for (Location part : l.getLocations()) {
          size_t before = found.size();
          positions(part, found);
          if (found.size() != before)
            break;
        }
      });
}

std::optional<FileLineColLoc> filePosition(Location loc) {
  llvm::SmallVector<FileLineColLoc> found;
  positions(loc, found);
  if (found.empty())
    return std::nullopt;
  for (FileLineColLoc l : found)
    if (l.getFilename() == found.back().getFilename())
      return l;
  return found.back();
}

std::string sourceLine(Location loc) {
  auto position = filePosition(loc);
  if (!position)
    return "unknown";
  return (llvm::sys::path::filename(position->getFilename().strref()) + ":" + llvm::Twine(position->getLine())).str();
}

llvm::StringRef variableName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().strref();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return variableName(call.getCaller());
  return {};
}

} // namespace dlsim::codegen
