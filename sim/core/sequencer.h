// The sequencer: issues one bundle a cycle, executes its scalar words and pushes its commands into the units'
// queues.
//
// It is a state machine that runs ahead of the calendar over cycles in which nothing outside the core can
// matter (register arithmetic, pushes into queues with room) and returns to the calendar's time for flags,
// barriers, shared memory and cache misses. Cycle accounting does not depend on how far it ran ahead.
#pragma once

#include "sim/core/caches.h"
#include "sim/core/environment.h"
#include "sim/core/program.h"

#include <array>
#include <string>

namespace dlsim::core {

class Core;
struct QueueEntry;

// sreg numbers, isa/isa/DLNPUScalar.td; 4, the cycle counter, is computed when it is read.
struct SpecialRegisters {
  std::array<uint64_t, 7> value{};
};

struct SequencerCounts {
  uint64_t bundles = 0;
  uint64_t words = 0;
  uint64_t scalar_words = 0;
  uint64_t ub_reads = 0, ub_writes = 0;
  Cycle start = 0; // first bundle
  Cycle end = 0;   // queues drained after exit
};

class Sequencer {
public:
  explicit Sequencer(Core& core);

  void begin(const Program& program, uint32_t entry_offset, const SpecialRegisters& sreg, uint64_t stack_base,
             uint64_t stack_end, Cycle at);
  bool running() const { return running_; }

  // Units, flags and caches of the core report here.
  void queueShrank(Unit unit, Cycle now);
  void unitsIdle(Cycle now);
  void flagSet(Unit source, unsigned id, Cycle visible);
  void crossFlagSet(unsigned id, Cycle visible);

  const SequencerCounts& counts() const { return counts_; }
  const CacheCounts& icacheCounts() const { return icache_.counts; }
  const CacheCounts& dcacheCounts() const { return dcache_.counts; }
  uint64_t reg(unsigned number) const { return regs_[number]; }
  uint32_t pc() const;
  // What it waits for in words, empty if it does not.
  std::string describeWait() const;

private:
  enum class Block : uint8_t { None, Queue, Flag, CrossFlag, Drain, ICache, DCache, Atomic };
  // The atomic update that the present bundle waits for; it issues when the answer is there.
  struct Update final : sim::GmTransfer {
    explicit Update(Sequencer& s) : owner(s) {}
    void done(Cycle now) override {
      answeredAt = now;
      owner.wakeAt(now);
    }
    Sequencer& owner;
    bool busy = false;
    Cycle answeredAt = sim::kNever;
  };
  struct Result {
    uint8_t reg;
    bool poisoned;
    uint32_t latency;
    uint64_t value;
  };

  void run(Cycle now);
  bool step(Cycle now);
  void resume(Cycle now);
  bool block(Block why, Unit unit, unsigned id);
  bool syncTo(Cycle now);
  bool fetch(const Bundle& b, Cycle now);
  void buildLatencies();
  void interlock(const Bundle& b, const Word* words);
  bool queuesHaveRoom(const Bundle& b);
  bool synchronise(const Bundle& b, const Word* words, Cycle now);
  bool memoryReady(const Bundle& b, const Word* words, Cycle now);
  bool cacheReady(const Word& word, Cycle now);
  void issue(const Bundle& b, const Word* words);
  void pushQueued(const Word& word, const Bundle& b);
  void execute(const Word& word, const Bundle& b);
  void branch(const Word& word, const Bundle& b);
  void take(uint32_t bundle);
  void jumpTo(uint64_t address);
  void load(const Word& word);
  void store(const Word& word);
  bool atomicReady(const Word& word, Cycle now);
  void update(const Word& word);
  [[noreturn]] void raise(FaultKind kind, std::string detail, Space space = Space::GM,
                          uint64_t address = 0) const;
  void writeResult(uint8_t reg, uint64_t value, uint32_t latency, bool poisoned = false) {
    results_[result_count_++] = {reg, poisoned, latency, value};
  }
  bool poisoned(uint8_t reg) const { return poisoned_ >> reg & 1; }
  bool anyPoisoned(const Word& word) const;
  void refusePoison(const Bundle& b, const Word* words) const;
  bool leave(Cycle now);
  void stalled(observe::Stall why, Unit unit, Cycle begin, Cycle end);
  uint64_t effectiveAddress(const Word& word) const;
  bool isPrivate(uint64_t address) const;
  uint32_t latencyOf(const Word& word) const { return latency_[static_cast<size_t>(word.info->opcode)]; }
  uint8_t flagId(const Word& word) const;
  bool drain(Cycle now);
  void wakeAt(Cycle at);

  Core& core_;
  Environment& env_;
  sim::MemberEvent<Sequencer, &Sequencer::run> event_{*this};
  InstructionCache icache_;
  DataCache dcache_;
  std::array<uint32_t, 512> latency_{}; // by opcode
  Update update_{*this};

  const Program* program_ = nullptr;
  SpecialRegisters sreg_;
  CoreState::Lanes issue_lanes_; // vector lane state behind everything issued
  std::array<uint64_t, isa::kNumRegs> regs_{};
  std::array<Cycle, isa::kNumRegs> ready_{}; // result there for a bundle of this cycle
  uint32_t poisoned_ = 0;                    // bit per register: --timing-only did not compute its value
  std::array<Result, 8> results_{};
  unsigned result_count_ = 0;
  uint32_t at_ = 0;   // bundle
  uint32_t next_ = 0; // bundle after it
  Cycle time_ = 0;    // cycle in which it can issue, may lie ahead of the calendar
  uint64_t stack_base_ = 0, stack_end_ = 0;
  bool running_ = false;
  bool exiting_ = false;
  bool taken_ = false;
  bool fetched_ = false;         // the present bundle's instruction fetch is done
  bool barrier_charged_ = false; // the present barrier.all has paid its cycles
  Cycle ub_free_ = 0;            // scalar port of UB

  Block blocked_ = Block::None;
  Unit blocked_unit_ = Unit::S;
  uint8_t blocked_id_ = 0;
  SequencerCounts counts_;
};

} // namespace dlsim::core
