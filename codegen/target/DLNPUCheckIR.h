#pragma once

namespace llvm {
class Function;
/// False, after reports to the context's diagnostic handler, if the function contains what has no code.
bool checkDLNPUFunction(const Function& function, bool hasUB);
} // namespace llvm
