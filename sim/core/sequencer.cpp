#include "sim/core/sequencer.h"

#include "sim/core/core.h"
#include "sim/core/footprints.h"
#include "sim/core/scalar.h"

#include <algorithm>

namespace dlsim::core {

using isa::Opcode;
using observe::Stall;

namespace {

// How far the interpreter may run ahead of the calendar, in cycles: bounds the work done in one event.
constexpr Cycle kAhead = 4096;

} // namespace

Sequencer::Sequencer(Core& core)
    : core_(core), env_(core.env()), icache_(env_, core.id().dense, core.kind().icache,
                                             [this](Cycle now) {
                                               if (blocked_ == Block::ICache)
                                                 wakeAt(now);
                                             }),
      dcache_(env_, core.id().dense, core.kind().dcache, core.chip().scalar.storeBufferEntries,
              [this](Cycle now) {
                if (blocked_ == Block::DCache)
                  wakeAt(now);
              }) {
  buildLatencies();
}

void Sequencer::buildLatencies() {
  const sim::ScalarSpec& spec = core_.chip().scalar;
  for (const isa::InstrInfo& info : isa::instructions()) {
    const Opcode op = info.opcode;
    uint32_t cycles = spec.aluCycles;
    if (op == Opcode::MUL || op == Opcode::MULH || op == Opcode::MULHU || op == Opcode::MULI)
      cycles = spec.mulCycles;
    else if (op >= Opcode::DIV && op <= Opcode::REMU)
      cycles = spec.divCycles;
    else if (op == Opcode::FDIV || op == Opcode::FSQRT)
      cycles = spec.fdivCycles;
    else if (op >= Opcode::FADD && op <= Opcode::CVTBS && op != Opcode::FNEG && op != Opcode::FABS)
      cycles = spec.fpuCycles;
    else if (op == Opcode::SREG)
      cycles = spec.sregCycles;
    else if (op >= Opcode::LDB && op <= Opcode::LDD)
      cycles = core_.kind().dcache.hitCycles;
    else if (op >= Opcode::LUB && op <= Opcode::LUD)
      cycles = spec.ubLoadCycles;
    latency_[static_cast<size_t>(op)] = cycles;
  }
}

void Sequencer::begin(const Program& program, uint32_t entry_offset, const SpecialRegisters& sreg,
                      uint64_t stack_base, uint64_t stack_end, Cycle at) {
  program_ = &program;
  sreg_ = sreg;
  issue_lanes_ = {};
  regs_.fill(0);
  ready_.fill(0);
  poisoned_ = 0;
  regs_[isa::kRegSP] = stack_end;
  stack_base_ = stack_base;
  stack_end_ = stack_end;
  counts_ = {};
  counts_.start = at;
  icache_.begin(program.bytes());
  dcache_.begin();
  time_ = at;
  ub_free_ = 0;
  update_.busy = false;
  blocked_ = Block::None;
  running_ = true;
  exiting_ = fetched_ = barrier_charged_ = false;
  at_ = program.bundleAt(entry_offset);
  env_.calendar.schedule(event_, at);
}

uint32_t Sequencer::pc() const { return program_ && at_ != kNoBundle ? program_->bundle(at_).pc : 0; }

void Sequencer::raise(FaultKind kind, std::string detail, Space space, uint64_t address) const {
  Fault fault = core_.fault(kind, Unit::S, pc(), std::move(detail));
  fault.space = space;
  fault.address = address;
  fault.cycle = time_;
  throw FaultError(fault);
}

void Sequencer::stalled(Stall why, Unit unit, Cycle begin, Cycle end) {
  if (end > begin && env_.observers.any())
    env_.observers.stall({core_.id(), why, unit, blocked_id_, pc(), begin, end});
}

void Sequencer::wakeAt(Cycle at) {
  if (!event_.scheduled())
    env_.calendar.schedule(event_, std::max(at, env_.calendar.now()));
}

void Sequencer::run(Cycle now) {
  core_.guarded([&] {
    resume(now);
    while (running_) {
      if (time_ > now + kAhead) {
        wakeAt(time_);
        return;
      }
      if (!step(now))
        return;
    }
  });
}

void Sequencer::resume(Cycle now) {
  if (blocked_ == Block::None)
    return;
  static constexpr Stall kReason[] = {Stall::None,    Stall::QueueFull, Stall::Flag,   Stall::CrossFlag,
                                      Stall::Barrier, Stall::ICache,    Stall::DCache, Stall::DCache};
  const Cycle until = std::max(time_, now);
  stalled(kReason[static_cast<size_t>(blocked_)], blocked_unit_, time_, until);
  time_ = until;
  blocked_ = Block::None;
}

bool Sequencer::block(Block why, Unit unit, unsigned id) {
  blocked_ = why;
  blocked_unit_ = unit;
  blocked_id_ = static_cast<uint8_t>(id);
  return false;
}

// True when the calendar has reached the sequencer's own time; otherwise comes back then.
bool Sequencer::syncTo(Cycle now) {
  if (time_ <= now)
    return true;
  wakeAt(time_);
  return false;
}

bool Sequencer::step(Cycle now) {
  if (at_ == kNoBundle)
    raise(FaultKind::IllegalWord,
          "control runs past the end of the text section or into the middle of a bundle");
  if (exiting_)
    return leave(now);
  const Bundle& b = program_->bundle(at_);
  if (!b.fault.empty())
    raise(FaultKind::IllegalWord, b.fault);
  const Word* words = program_->words(b);
  if (!fetched_ && !fetch(b, now))
    return false;
  interlock(b, words);
  if (poisoned_ & b.reads)
    refusePoison(b, words);
  if (b.queued_units && !queuesHaveRoom(b))
    return false;
  if (b.sync && !(syncTo(now) && synchronise(b, words, now)))
    return false;
  if (b.memory && !memoryReady(b, words, now))
    return false;
  issue(b, words);
  return true;
}

bool Sequencer::fetch(const Bundle& b, Cycle now) {
  const uint32_t bytes = b.words * isa::kWordBytes;
  if (icache_.busy() && !syncTo(now))
    return false;
  if (!icache_.ready(b.pc, bytes)) {
    if (!syncTo(now))
      return false;
    icache_.request(b.pc, bytes);
    return block(Block::ICache, Unit::S, 0);
  }
  icache_.touch(b.pc, bytes);
  fetched_ = true;
  return true;
}

// Sources must be there; a result must not overtake an older one of the same register.
void Sequencer::interlock(const Bundle& b, const Word* words) {
  Cycle need = time_;
  for (uint32_t set = b.reads; set; set &= set - 1)
    need = std::max(need, ready_[static_cast<unsigned>(__builtin_ctz(set))]);
  for (unsigned i = 0; b.writes && i < b.words; ++i)
    for (unsigned d = 0; d < words[i].info->numDefs; ++d) {
      const Cycle older = ready_[words[i].r[d]], latency = latencyOf(words[i]);
      if (older > need + latency)
        need = older - latency;
    }
  stalled(Stall::ScalarLatency, Unit::S, time_, need);
  time_ = need;
}

bool Sequencer::queuesHaveRoom(const Bundle& b) {
  for (uint32_t set = b.queued_units; set; set &= set - 1) {
    const auto unit = static_cast<Unit>(__builtin_ctz(set));
    if (core_.unit(unit)->full())
      return block(Block::Queue, unit, 0);
  }
  return true;
}

void Sequencer::issue(const Bundle& b, const Word* words) {
  result_count_ = 0;
  taken_ = false;
  next_ = b.next;
  for (unsigned i = 0; i < b.words; ++i) {
    if (words[i].unit != Unit::S)
      pushQueued(words[i], b);
    else
      execute(words[i], b);
  }
  for (unsigned i = 0; i < result_count_; ++i) {
    regs_[results_[i].reg] = results_[i].value;
    ready_[results_[i].reg] = time_ + results_[i].latency;
    poisoned_ = (poisoned_ & ~(1u << results_[i].reg)) | uint32_t{results_[i].poisoned} << results_[i].reg;
  }
  ++counts_.bundles;
  counts_.words += b.words;
  counts_.scalar_words += b.scalars;
  if (env_.observers.any())
    env_.observers.bundle({core_.id(), b.slots, b.pc, time_});
  if (exiting_)
    return;
  const Cycle after = time_ + 1;
  time_ = after;
  if (taken_) {
    const Cycle end = after + core_.chip().scalar.branchTakenCycles;
    stalled(Stall::Branch, Unit::S, after, end);
    time_ = end;
  }
  at_ = next_;
  fetched_ = barrier_charged_ = false;
}

void Sequencer::pushQueued(const Word& word, const Bundle& b) {
  QueueEntry entry;
  entry.what = word.what;
  entry.issued = time_;
  entry.command.op = word.info->opcode;
  entry.command.pc = b.pc;
  switch (word.what) {
  case WordClass::Command:
    entry.command = makeCommand(word, b.pc, regs_);
    entry.footprints = footprintsOf(entry.command, issue_lanes_);
    core_.check(entry.command, word.unit, entry.footprints);
    if (word.info->opcode == Opcode::V_MASK)
      issue_lanes_ = {{entry.command.r[0], entry.command.r[1]}, false, issue_lanes_.count};
    else if (word.info->opcode == Opcode::V_COUNT)
      issue_lanes_ = {{issue_lanes_.mask[0], issue_lanes_.mask[1]}, true, entry.command.r[0]};
    break;
  case WordClass::SetFlag:
  case WordClass::WaitFlag:
    entry.peer = static_cast<Unit>(word.imm >> 4 & 15);
    entry.id = flagId(word);
    break;
  case WordClass::CrossSet:
  case WordClass::CrossWait:
    entry.id = flagId(word);
    entry.mode = static_cast<uint8_t>(word.imm >> 4 & 3);
    break;
  default:
    break;
  }
  core_.unit(word.unit)->push(std::move(entry));
}

void Sequencer::execute(const Word& word, const Bundle& b) {
  const auto reg = [&](unsigned operand) { return regs_[word.r[operand]]; };
  switch (word.what) {
  case WordClass::Nop:
    break;
  case WordClass::BarrierAll:
    env_.observers.barrier({core_.id(), b.pc, time_});
    break;
  case WordClass::Alu:
    writeResult(word.r[0],
                evaluateScalar(word.info->opcode, reg(word.sources), reg(word.sources + 1u),
                               reg(word.sources + 2u), word.imm),
                latencyOf(word), anyPoisoned(word));
    break;
  case WordClass::Sreg:
    if (word.imm < 0 || static_cast<size_t>(word.imm) >= sreg_.value.size())
      raise(FaultKind::BadOperand, "sreg: there is no special register " + std::to_string(word.imm));
    writeResult(word.r[0], word.imm == 4 ? time_ : sreg_.value[static_cast<size_t>(word.imm)],
                latencyOf(word));
    break;
  case WordClass::LoadGm:
  case WordClass::LoadUb:
    load(word);
    break;
  case WordClass::StoreGm:
  case WordClass::StoreUb:
    store(word);
    break;
  case WordClass::Atomic:
    update(word);
    break;
  case WordClass::WaitFlag: {
    const auto peer = static_cast<Unit>(word.imm >> 4 & 15);
    const uint8_t id = flagId(word);
    core_.flags().take(peer, Unit::S, id);
    env_.observers.flag({core_.id(), peer, Unit::S, id, false, false, b.pc, time_, time_});
    break;
  }
  case WordClass::CrossWait:
    env_.cross.take(core_.id(), flagId(word));
    env_.observers.flag({core_.id(), Unit::S, Unit::S, flagId(word), false, true, b.pc, time_, time_});
    break;
  case WordClass::SetFlag:
    core_.setFlag(Unit::S, static_cast<Unit>(word.imm >> 4 & 15), flagId(word), b.pc, time_, time_);
    break;
  case WordClass::CrossSet:
    core_.crossSet(Unit::S, static_cast<unsigned>(word.imm >> 4 & 3), flagId(word), b.pc, time_);
    break;
  case WordClass::Trap:
    raise(FaultKind::Trap, "trap code " + std::to_string(word.imm), Space::GM,
          static_cast<uint64_t>(word.imm));
  case WordClass::Print:
    env_.observers.print({core_.id(), static_cast<uint32_t>(word.imm), reg(0), b.pc, time_});
    break;
  case WordClass::Exit:
    exiting_ = true;
    break;
  default:
    branch(word, b);
    break;
  }
}

// After exit, whose bundle may hold commands too: the core ends when its queues have drained.
bool Sequencer::leave(Cycle now) {
  if (!syncTo(now))
    return false;
  if (!core_.drained())
    return block(Block::Drain, Unit::S, 0);
  running_ = false;
  counts_.end = time_ + 1;
  env_.host.coreFinished(core_, time_);
  return false;
}

} // namespace dlsim::core
