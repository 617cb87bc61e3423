// Entry points of the code generator's passes.
#pragma once

#include "isa/mc/DLNPUMCTargetDesc.h"
#include "llvm/Support/CodeGen.h"

namespace llvm {
class DLNPUTargetMachine;
class FunctionPass;
class ImmutablePass;
class PassRegistry;

/// Address spaces of the data layout: 0 is global memory, 6 the unified buffer.
namespace DLNPUAS {
enum : unsigned { GM = 0, UB = 6 };
}

FunctionPass* createDLNPUISelDag(DLNPUTargetMachine& machine, CodeGenOptLevel level);
/// Refuses IR that has no code on a DLNPU, with the source line, before selection could crash on it.
FunctionPass* createDLNPUCheckIRPass();
/// Forms bundles; without packing every word is its own bundle and the pass is not run.
FunctionPass* createDLNPUPacketizer();
/// Checks the slots, branch and hazard rules of every bundle independently of the packetizer, and records
/// how full the bundles of each loop are.
FunctionPass* createDLNPUBundleVerifier(DLNPUTargetMachine& machine);

/// A kernel entry is called by the launcher: it ends in `exit` and saves nothing.
class Function;
bool isDLNPUKernel(const Function& function);
} // namespace llvm
