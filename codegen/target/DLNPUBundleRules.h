// Which instructions may share a bundle, apart from slots and registers.
#pragma once

namespace llvm {
class MachineInstr;

/// Two instructions that must stay in order may still issue in one bundle if the order is one of queues or
/// memory, not of the sequencer: commands act in their own units, and a scalar access acts at issue, before
/// any command of the same bundle. What holds or observes the sequencer may not.
bool orderAllowsSharedBundle(const MachineInstr& first, const MachineInstr& second);
} // namespace llvm
