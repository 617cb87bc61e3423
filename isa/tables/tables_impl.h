// Between the generated rows (isa_gen.cpp) and tables.cpp.
#pragma once
#include "isa/tables/tables.h"

namespace dlsim::isa::detail {

extern const Field kFields[];
extern const std::array<InstrInfo, kNumInstructions> kInstructions;
extern const std::array<int16_t, 512> kByOpcode;
extern const std::array<uint16_t, kNumInstructions> kByMnemonic;

} // namespace dlsim::isa::detail
