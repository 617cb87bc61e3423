// Shared by the steps from module to code.
#pragma once

#include "Object.h"
#include "codegen/target/DLNPUTargetMachine.h"

namespace llvm {
class TargetLibraryInfoImpl;
}

namespace dlsim::codegen {

std::unique_ptr<llvm::DLNPUTargetMachine> makeTargetMachine(const CompileOptions& options);
/// No library at all: nothing may turn a loop into a call.
llvm::TargetLibraryInfoImpl noLibrary(const llvm::Module& module);
/// Triple, layout, entry, attributes of commands.
llvm::Error prepareModule(llvm::Module& module, const CompileOptions& options);

} // namespace dlsim::codegen
