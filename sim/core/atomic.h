// Atomic updates by the scalar unit: atom.rmw and atom.cas.
#pragma once

#include "isa/tables/tables.h"

#include <cstdint>
#include <optional>

namespace dlsim::core {

// The codes of atom.rmw's field `op`.
enum class AtomicOp : uint8_t { Add = 1, Max, Min, And, Or, Xor, Exchange };

// The element's bits after the update, from those before it and those of the operand. Nothing if the type has
// no such operation.
std::optional<uint64_t> updated(AtomicOp op, isa::DType dtype, uint64_t before, uint64_t operand);

// As a register holds an element: integers sign-extended, floats as bits.
uint64_t extended(isa::DType dtype, uint64_t bits);

} // namespace dlsim::core
