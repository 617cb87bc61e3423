// Cross-core flags for the channels between the two functions of a mixed kernel.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

namespace dlsim::codegen {

constexpr int64_t crossFlags = 11; // 0..10; the others belong to the launcher's protocols

// Pairs of channels of which one is over before the other begins: their ends are in different loops or
// branches, which follow each other. To be found while a channel has one end in each function.
using ChannelPairs = std::set<std::pair<int64_t, int64_t>>;
ChannelPairs channelsApart(mlir::func::FuncOp cube, mlir::func::FuncOp vector);

// Numbers the flags of both functions below crossFlags. Until here each channel has a number of its own. If
// there are more of them than flags, channels of one direction share one: its tokens count what is under way
// in all of them, so both sides must come to their ends in the same order. Fails with a message if that is
// not enough.
mlir::LogicalResult shareFlags(mlir::func::FuncOp cube, mlir::func::FuncOp vector, const ChannelPairs& apart);

} // namespace dlsim::codegen
