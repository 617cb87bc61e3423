// The sequencer's jumps, calls and returns.
#include "sim/core/core.h"
#include "sim/core/sequencer.h"

namespace dlsim::core {

void Sequencer::take(uint32_t bundle) {
  if (bundle == kNoBundle)
    raise(FaultKind::IllegalWord, "branch to an address outside the text section or inside a bundle");
  next_ = bundle;
  taken_ = true;
}

void Sequencer::jumpTo(uint64_t address) {
  take(address < isa::kTextBase ? kNoBundle : program_->bundleAt(address - isa::kTextBase));
}

void Sequencer::branch(const Word& word, const Bundle& b) {
  const uint64_t link = isa::kTextBase + b.pc + uint64_t{b.words} * isa::kWordBytes;
  switch (word.what) {
  case WordClass::Jump:
    take(b.target);
    break;
  case WordClass::BranchNonZero:
    if (regs_[word.r[0]] != 0)
      take(b.target);
    break;
  case WordClass::BranchZero:
    if (regs_[word.r[0]] == 0)
      take(b.target);
    break;
  case WordClass::Call:
    writeResult(isa::kRegRA, link, latencyOf(word));
    take(b.target);
    break;
  case WordClass::CallRegister:
    writeResult(isa::kRegRA, link, latencyOf(word));
    jumpTo(regs_[word.r[0]]);
    break;
  case WordClass::JumpRegister:
    jumpTo(regs_[word.r[0]]);
    break;
  case WordClass::Return:
    jumpTo(regs_[isa::kRegRA]);
    break;
  default:
    break;
  }
}

} // namespace dlsim::core
