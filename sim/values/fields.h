// Short names for the generated field accessors.
#pragma once

#include "isa/tables/isa_gen.h"
#include "isa/tables/tables.h"
#include "sim/core/command.h"
#include "sim/values/value_fault.h"

namespace dlsim::values {

namespace fields = isa::fields;

template <class Field> uint64_t regField(const core::Command& c) { return Field::get(c.r); }
template <class Field> uint32_t immField(const core::Command& c) { return Field::get(c.imm); }

// A dtype field; a code that does not exist is a fault.
template <class Field> isa::DType dtypeField(const core::Command& c) {
  uint32_t code = Field::get(c.imm);
  if (code >= isa::kNumDTypes)
    throwBadOperand("dtype code " + std::to_string(code) + " does not exist");
  return static_cast<isa::DType>(code);
}
[[noreturn]] inline void throwBadDType(const char* what, isa::DType dtype) {
  throwBadOperand(std::string(what) + " does not take " + std::string(isa::dtypeName(dtype)));
}

} // namespace dlsim::values
