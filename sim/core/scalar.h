// The scalar unit's arithmetic: what one scalar word computes, with the bits that isa/isa/DLNPUScalar.td
// defines.
#pragma once

#include "isa/tables/tables.h"

#include <cstdint>

namespace dlsim::core {

// The result of an arithmetic word (everything that has a result and touches no memory, special register or
// control flow). a, b, c are the source registers in operand order (lih: a is the old rd), imm the extended
// immediate. NaN results are the canonical quiet NaN, so that every host computes the same bits.
uint64_t evaluateScalar(isa::Opcode op, uint64_t a, uint64_t b, uint64_t c, int64_t imm);

// Conversions between the 16-bit float formats and f32, on bit patterns, to nearest even.
uint16_t halfFromFloat(uint32_t bits);
uint32_t floatFromHalf(uint16_t bits);
uint16_t bfloatFromFloat(uint32_t bits);

} // namespace dlsim::core
