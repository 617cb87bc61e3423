// Typed access to the bit fields of a command's configuration words and of its immediate.
//
// The generated `fields::<INSTRUCTION>` structs (isa_gen.h) name one of these types for every field of
// the .td's Roles and ImmFields, so that a field's place is written nowhere else:
//
//   uint64_t bytes = fields::MTE2_COPY_L1::length::get(command.r);
//   bool bias = fields::MMAD::bias::get(command.imm);
#pragma once
#include <array>
#include <cstdint>

namespace dlsim::isa {

constexpr uint64_t lowBits(unsigned width) { return width >= 64 ? ~0ULL : (1ULL << width) - 1; }

// Bits [Low + Width - 1 : Low] of the value of register operand Reg.
template <unsigned Reg, unsigned Low, unsigned Width> struct RegField {
  static_assert(Reg < 6 && Low + Width <= 64);
  static constexpr unsigned kReg = Reg, kLow = Low, kWidth = Width;

  static constexpr uint64_t get(const std::array<uint64_t, 6>& r) { return r[Reg] >> Low & lowBits(Width); }
  // The field as a signed number.
  static constexpr int64_t getSigned(const std::array<uint64_t, 6>& r) {
    return static_cast<int64_t>(get(r) << (64 - Width)) >> (64 - Width);
  }
  static constexpr bool fits(uint64_t value) { return value <= lowBits(Width); }
  static constexpr uint64_t pack(uint64_t value) { return (value & lowBits(Width)) << Low; }
};

// Bits [Low + Width - 1 : Low] of the immediate.
template <unsigned Low, unsigned Width> struct ImmField {
  static_assert(Low + Width <= 32);
  static constexpr unsigned kLow = Low, kWidth = Width;

  static constexpr uint32_t get(uint64_t imm) { return static_cast<uint32_t>(imm >> Low & lowBits(Width)); }
  static constexpr bool fits(uint64_t value) { return value <= lowBits(Width); }
  static constexpr uint32_t pack(uint64_t value) {
    return static_cast<uint32_t>((value & lowBits(Width)) << Low);
  }
};

} // namespace dlsim::isa
