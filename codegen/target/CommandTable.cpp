#include "CommandTable.h"
#include "isa/mc/DLNPUMCTargetDesc.h"
#include "llvm/ADT/STLExtras.h"

namespace llvm::DLNPU {

namespace {
const CommandInfo table[] = {
#include "DLNPUGenCommands.inc"
};
} // namespace

std::optional<StringRef> commandMnemonic(StringRef functionName) {
  functionName.consume_front("\1");
  if (!functionName.consume_front("dlnpu."))
    return std::nullopt;
  return functionName;
}

const CommandInfo* findCommand(StringRef mnemonic) {
  const auto* it = llvm::lower_bound(
      table, mnemonic, [](const CommandInfo& info, StringRef name) { return info.mnemonic < name; });
  return it != std::end(table) && it->mnemonic == mnemonic ? it : nullptr;
}

StringRef nearestCommand(StringRef mnemonic) {
  StringRef best;
  unsigned bestDistance = 4;
  for (const CommandInfo& info : table) {
    unsigned distance = info.mnemonic.edit_distance(mnemonic, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = info.mnemonic;
    }
  }
  return best;
}

} // namespace llvm::DLNPU
