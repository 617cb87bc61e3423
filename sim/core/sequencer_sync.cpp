// The sequencer's flags and barriers, and what wakes it when it is held.
#include "sim/core/core.h"
#include "sim/core/sequencer.h"

namespace dlsim::core {

using observe::Stall;

uint8_t Sequencer::flagId(const Word& word) const {
  const uint64_t base = word.info->numRegs ? regs_[word.r[0]] : 0;
  const uint64_t id = base + (static_cast<uint64_t>(word.imm) & 15);
  const bool cross = word.what == WordClass::CrossSet || word.what == WordClass::CrossWait;
  const uint64_t limit = cross ? CrossFlags::kIds : core_.chip().sync.flagIds;
  if (id >= limit)
    raise(FaultKind::BadOperand, std::string(word.info->mnemonic) + ": flag id " + std::to_string(id) +
                                     ", ids are 0.." + std::to_string(limit - 1));
  return static_cast<uint8_t>(id);
}

// Scalar flags and barriers: true when nothing holds the bundle any more. Flags are set in issue(), taken
// here.
bool Sequencer::synchronise(const Bundle& b, const Word* words, Cycle now) {
  for (unsigned i = 0; i < b.words; ++i) {
    const Word& word = words[i];
    if (word.unit != Unit::S)
      continue;
    switch (word.what) {
    case WordClass::WaitFlag:
    case WordClass::CrossWait: {
      const bool cross = word.what == WordClass::CrossWait;
      const unsigned id = flagId(word);
      const auto peer = cross ? Unit::S : static_cast<Unit>(word.imm >> 4 & 15);
      const Cycle visible =
          cross ? env_.cross.visibleAt(core_.id(), id) : core_.flags().visibleAt(peer, Unit::S, id);
      if (visible > time_) {
        if (visible != sim::kNever)
          wakeAt(visible);
        return block(cross ? Block::CrossFlag : Block::Flag, peer, id);
      }
      break;
    }
    case WordClass::BarrierAll:
      if (!drain(now))
        return false;
      break;
    case WordClass::LoadUb:
    case WordClass::StoreUb:
      if (ub_free_ > time_) {
        stalled(Stall::UbBusy, Unit::S, time_, ub_free_);
        time_ = ub_free_;
        return syncTo(now);
      }
      break;
    default:
      break;
    }
  }
  return true;
}

bool Sequencer::drain(Cycle now) {
  if (barrier_charged_)
    return true;
  if (!core_.drained())
    return block(Block::Drain, Unit::S, 0);
  barrier_charged_ = true;
  const Cycle end = time_ + core_.chip().sync.barrierCycles;
  stalled(Stall::Barrier, Unit::S, time_, end);
  time_ = end;
  return syncTo(now);
}

void Sequencer::queueShrank(Unit unit, Cycle now) {
  if (blocked_ == Block::Queue && blocked_unit_ == unit)
    wakeAt(now);
}

void Sequencer::unitsIdle(Cycle now) {
  if (blocked_ == Block::Drain)
    wakeAt(now);
}

void Sequencer::flagSet(Unit source, unsigned id, Cycle visible) {
  if (blocked_ == Block::Flag && blocked_unit_ == source && blocked_id_ == id)
    wakeAt(visible);
}

void Sequencer::crossFlagSet(unsigned id, Cycle visible) {
  if (blocked_ == Block::CrossFlag && blocked_id_ == id)
    wakeAt(visible);
}

std::string Sequencer::describeWait() const {
  if (!running_)
    return {};
  const std::string id = std::to_string(blocked_id_);
  switch (blocked_) {
  case Block::Queue:
    return std::string("the sequencer waits for room in the queue of ") + unitText(blocked_unit_);
  case Block::Flag:
    return std::string("the sequencer waits for flag ") + unitText(blocked_unit_) + " -> S, id " + id;
  case Block::CrossFlag:
    return "the sequencer waits for cross-core flag " + id;
  case Block::Drain:
    return exiting_ ? "the sequencer has reached exit and waits for its queues to drain"
                    : "the sequencer waits at barrier.all for its queues to drain";
  case Block::ICache:
    return "the sequencer waits for an instruction line";
  case Block::DCache:
    return "the sequencer waits for a data line";
  case Block::Atomic:
    return "the sequencer waits for an atomic update";
  case Block::None:
    break;
  }
  return {};
}

} // namespace dlsim::core
