#include "codegen/passes/panels/Ahead.h"

using namespace mlir;

namespace dlsim::codegen {

int64_t loadLargerAhead(KLoop& k, int64_t steps, int64_t slots, int64_t available) {
  if (k.dots.size() != 1 || k.operands.size() != 2)
    return slots;
  KOperand *smaller = &k.operands[0], *larger = &k.operands[1];
  if (bytesInL1(smaller->type()) > bytesInL1(larger->type()))
    std::swap(smaller, larger);
  int64_t all = steps * (slots * k.bytesOfStep() + bytesInL1(larger->type()));
  if (!isa<dl::LoadOp>(larger->load) || all > available)
    return slots;
  if (smaller->load->isBeforeInBlock(larger->load))
    smaller->load->moveAfter(larger->load);
  larger->load->setAttr("dl.slots", OpBuilder(larger->load).getI64IntegerAttr(slots + 1));
  return slots + 1;
}

} // namespace dlsim::codegen
