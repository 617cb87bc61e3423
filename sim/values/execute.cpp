#include "sim/values/execute.h"

#include "sim/values/fields.h"
#include "sim/values/parts.h"

#include <stdexcept>

namespace dlsim::values {

using core::Space;
using isa::Opcode;

namespace {

bool vector(const core::Command& c, core::CoreState& state) {
  switch (c.op) {
  case Opcode::V_MASK:
    state.lanes.mask[0] = c.r[0];
    state.lanes.mask[1] = c.r[1];
    state.lanes.count_mode = false;
    return true;
  case Opcode::V_COUNT:
    state.lanes.count_mode = true;
    state.lanes.count = c.r[0];
    return true;
  default:
    return vectorElementwise(c, state) || vectorCast(c, state) || vectorMove(c, state) ||
           vectorReduce(c, state);
  }
}

} // namespace

void execute(const core::Command& c, core::CoreState& state, GlobalMemory& gm) {
  switch (c.op) {
  case Opcode::MTE2_COPY_L1:
    return copyIn(c, Space::L1, state, gm);
  case Opcode::MTE2_COPY_UB:
    return copyIn(c, Space::UB, state, gm);
  case Opcode::MTE2_ND2NZ:
    return nd2nz(c, state, gm);
  case Opcode::MTE2_FILL_L1:
    return fillL1(c, state);
  case Opcode::MTE2_GATHER_UB:
    return gatherRows(c, state, gm);
  case Opcode::MTE3_COPY_L1:
    return copyOut(c, Space::L1, state, gm);
  case Opcode::MTE3_COPY_UB:
    return copyOut(c, Space::UB, state, gm);
  case Opcode::MTE1_LOAD_L0A:
    return loadL0A(c, state);
  case Opcode::MTE1_IMG2COL_L0A:
    return img2ColL0A(c, state);
  case Opcode::MTE1_LOAD_L0B:
    return loadL0B(c, state);
  case Opcode::MTE1_LOAD_BT:
    return loadTable(c, Space::BT, state);
  case Opcode::MTE1_LOAD_FB:
    return loadTable(c, Space::FB, state);
  case Opcode::MMAD:
    return mmad(c, state);
  case Opcode::FIX_GM:
    return fixToGm(c, state, gm);
  case Opcode::FIX_L1:
    return fixToL1(c, state);
  default:
    if (!vector(c, state))
      throw std::logic_error("values::execute: " + std::string(isa::info(c.op).mnemonic) +
                             " is not a command that moves or computes values");
  }
}

} // namespace dlsim::values
