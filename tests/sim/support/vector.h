// Vector commands for tests that ask for their cost without running them.
#pragma once

#include "sim/core/command.h"

#include <string>

namespace dlsim::test {

inline uint64_t strides(uint64_t repeats, uint64_t dst_block = 1, uint64_t src0_block = 1,
                        uint64_t src1_block = 1, uint64_t dst_repeat = 8, uint64_t src0_repeat = 8,
                        uint64_t src1_repeat = 8) {
  return dst_block | src0_block << 8 | src1_block << 16 | dst_repeat << 24 | src0_repeat << 32 |
         src1_repeat << 40 | repeats << 48;
}

// `word`: the strides.
inline core::Command command(const char* mnemonic, uint64_t dst, uint64_t src0, uint64_t src1, uint64_t word,
                             int64_t imm) {
  const isa::InstrInfo* info = isa::lookup(std::string("v.") + mnemonic);
  core::Command c;
  c.op = info->opcode;
  c.imm = static_cast<uint32_t>(imm);
  unsigned sources = 0;
  for (unsigned i = 0; i < info->numRegs; ++i) {
    const auto role = info->regs[i].role;
    c.r[i] = role == isa::RoleKind::Dst   ? dst
             : role == isa::RoleKind::Cfg ? word
                                          : (sources++ == 0 ? src0 : src1);
  }
  return c;
}

} // namespace dlsim::test
