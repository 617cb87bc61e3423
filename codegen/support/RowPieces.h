// What a function tells about tiles whose rows are computed one piece after the other.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace dlsim::codegen {

// i64 on a function: the number of pieces that its rows are computed in, if more than one.
inline constexpr llvm::StringLiteral rowPieces = "dl.row_pieces";

} // namespace dlsim::codegen
