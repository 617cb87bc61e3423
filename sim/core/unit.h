// A unit of a core: an in-order command queue, an issue stage and an in-order retire stage.
//
// Commands start in order, may overlap as far as the unit says, and complete in order; a set_flag takes
// effect when everything before it has completed, a wait_flag holds what comes after it. Values move at
// completion.
#pragma once

#include "sim/core/environment.h"
#include "sim/core/program.h"

#include <deque>
#include <memory>

namespace dlsim::core {

struct QueueEntry {
  WordClass what = WordClass::Command;
  Unit peer = Unit::S; // flags
  uint8_t id = 0;      // flags and cross flags
  uint8_t mode = 0;    // cross flags
  Cycle issued = 0;    // cycle of its bundle; the unit sees it one cycle later
  Command command;     // flags: pc only
  Footprints footprints;
};

// Issued by the unit, not yet completed.
struct Flight {
  QueueEntry entry;
  Cycle ready = 0;
  Cycle started = 0;
  Cycle completes = sim::kNever; // kNever: told by finish()
  uint32_t work = 0;
  uint32_t bankgroup_conflicts = 0;
  uint32_t bank_conflicts = 0;
  uint32_t mte_conflicts = 0;
  // Of vector commands.
  uint32_t repeats = 0;
  uint16_t lanes = 0;
  uint8_t read_conflict = 0;
  uint8_t write_conflict = 0;
  uint64_t elements = 0;
  bool moved = false;        // its values moved before it completed
  uint64_t behind_store = 0; // M: number of the store that still reads where it writes; 0: none
  // Transfers with UB: port cycles that vector commands have already waited for. A transfer takes its rows
  // once, however many commands run beside it.
  mutable uint64_t port_charged = 0;
};

class UnitEngine {
public:
  UnitEngine(Core& core, Unit unit, uint32_t depth);
  virtual ~UnitEngine() = default;
  UnitEngine(const UnitEngine&) = delete;
  UnitEngine& operator=(const UnitEngine&) = delete;

  Unit unit() const { return unit_; }
  bool full() const { return queue_.size() >= depth_; }
  bool idle() const { return queue_.empty() && flights_.empty(); }
  void push(QueueEntry&& entry);
  // Something that the head of the queue may wait for is there at `at`.
  void wake(Cycle at);
  // The entry that holds the queue, if a flag or barrier does; for the deadlock report.
  const QueueEntry* blockedOn() const { return waiting_ ? &queue_.front() : nullptr; }
  // Commands in execution.
  const std::deque<Flight>& flights() const { return flights_; }
  size_t queued() const { return queue_.size(); }
  // What a command in execution waits for that may never come; for the deadlock report.
  virtual std::string describeFlight() const { return {}; }

protected:
  // Instants in 1/256 cycle, so that a rate of 153 B/cycle does not round at every command.
  struct Started {
    sim::Tick next;      // the issue stage takes the next entry from here on
    sim::Tick completes; // kNever: finish() will be called
  };
  // `from` is the instant at which the command starts; it lies within the present cycle.
  virtual Started start(Flight& flight, sim::Tick from) = 0;
  // The first cycle at which the command may start, as far as this unit knows; kNever: ask again when one
  // retires.
  virtual Cycle startable(const QueueEntry& entry, Cycle now) { return now; }
  void finish(Flight& flight, Cycle at);
  // The values of a command are about to move.
  virtual void beforeValues(const Flight& flight) {}
  // An entry has completed and leaves.
  virtual void completed(const Flight& flight) {}

  Core& core_;
  const Unit unit_;

private:
  void issue(Cycle now);
  bool issueHead(Cycle now);
  bool takeToken(const QueueEntry& entry, Cycle now);
  void hold();
  void endWait(const QueueEntry& entry, Cycle now);
  void popHead(Cycle now);
  void retire(Cycle now);
  void complete(Flight& flight, Cycle now);
  void settle(Cycle now);
  void reportCommand(const Flight& flight, const Footprint& picked, Cycle now);

  sim::MemberEvent<UnitEngine, &UnitEngine::issue> issue_event_{*this};
  sim::MemberEvent<UnitEngine, &UnitEngine::retire> retire_event_{*this};
  const uint32_t depth_;
  std::deque<QueueEntry> queue_;
  std::deque<Flight> flights_;
  sim::Tick issue_free_ = 0; // the issue stage is busy until here
  Cycle head_ready_ = 0;     // the head reached the front and the stage was free
  bool head_seen_ = false;   // head_ready_ belongs to the present head
  bool waiting_ = false;     // the head waits for a flag, a barrier or a retire
  Cycle waiting_since_ = 0;
};

} // namespace dlsim::core
