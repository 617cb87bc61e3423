#include "sim/core/unit.h"

#include "sim/core/core.h"

#include <algorithm>

namespace dlsim::core {

UnitEngine::UnitEngine(Core& core, Unit unit, uint32_t depth) : core_(core), unit_(unit), depth_(depth) {}

void UnitEngine::push(QueueEntry&& entry) {
  const Cycle visible = entry.issued + 1;
  queue_.push_back(std::move(entry));
  if (queue_.size() == 1)
    wake(std::max({visible, sim::toCycle(issue_free_), core_.env().calendar.now()}));
}

// An event that already waits is never too late: it stands for the issue stage or the head's own arrival.
void UnitEngine::wake(Cycle at) {
  if (!issue_event_.scheduled())
    core_.env().calendar.schedule(issue_event_, at);
}

void UnitEngine::issue(Cycle now) {
  core_.guarded([&] {
    while (!queue_.empty()) {
      const Cycle from = std::max(queue_.front().issued + 1, sim::toCycle(issue_free_));
      if (from > now) {
        wake(from);
        return;
      }
      if (!head_seen_) {
        head_seen_ = true;
        head_ready_ = from;
      }
      if (!issueHead(now))
        return;
    }
    settle(now);
  });
}

void UnitEngine::hold() {
  if (waiting_)
    return;
  waiting_ = true;
  waiting_since_ = core_.env().calendar.now();
}

void UnitEngine::endWait(const QueueEntry& entry, Cycle now) {
  if (!waiting_)
    return;
  waiting_ = false;
  if (entry.what == WordClass::Command)
    return;
  observe::WaitRecord record;
  record.core = core_.id();
  record.unit = unit_;
  record.peer = entry.what == WordClass::Barrier ? unit_ : entry.peer;
  record.id = entry.id;
  record.cross = entry.what == WordClass::CrossWait;
  record.pc = entry.command.pc;
  record.begin = waiting_since_;
  record.end = now;
  core_.env().observers.wait(record);
}

// True if the token was there and has been taken; otherwise the head keeps waiting.
bool UnitEngine::takeToken(const QueueEntry& entry, Cycle now) {
  const bool cross = entry.what == WordClass::CrossWait;
  const Cycle visible = cross ? core_.env().cross.visibleAt(core_.id(), entry.id)
                              : core_.flags().visibleAt(entry.peer, unit_, entry.id);
  if (visible > now) {
    hold();
    if (visible != sim::kNever)
      wake(visible);
    return false;
  }
  if (cross)
    core_.env().cross.take(core_.id(), entry.id);
  else
    core_.flags().take(entry.peer, unit_, entry.id);
  endWait(entry, now);
  observe::FlagRecord record;
  record.core = core_.id();
  record.source = entry.peer;
  record.target = unit_;
  record.id = entry.id;
  record.cross = cross;
  record.pc = entry.command.pc;
  record.at = now;
  core_.env().observers.flag(record);
  issue_free_ = sim::toTick(now + core_.chip().sync.waitFlagCycles);
  return true;
}

bool UnitEngine::issueHead(Cycle now) {
  QueueEntry& head = queue_.front();
  switch (head.what) {
  case WordClass::WaitFlag:
  case WordClass::CrossWait:
    if (!takeToken(head, now))
      return false;
    break;
  case WordClass::Barrier:
    if (!flights_.empty()) {
      hold();
      return false;
    }
    endWait(head, now);
    issue_free_ = std::max(issue_free_, sim::toTick(now));
    break;
  case WordClass::Command: {
    const Cycle from = startable(head, now);
    if (from > now) {
      hold();
      if (from != sim::kNever)
        wake(from);
      return false;
    }
    // It starts where the one before it left the stage, unless it came later or had to wait.
    const sim::Tick tick = std::max(issue_free_, sim::toTick(waiting_ ? now : head.issued + 1));
    endWait(head, now);
    Flight& flight = flights_.emplace_back();
    flight.entry = std::move(head);
    flight.ready = head_ready_;
    flight.started = now;
    const Started started = start(flight, tick);
    issue_free_ = std::max(issue_free_, started.next);
    if (started.completes != sim::kNever)
      finish(flight, sim::toCycle(started.completes));
    break;
  }
  default: { // set_flag, xset: they ride behind what is in flight
    Flight& flight = flights_.emplace_back();
    flight.entry = std::move(head);
    flight.started = now;
    finish(flight, now);
    break;
  }
  }
  popHead(now);
  return true;
}

void UnitEngine::popHead(Cycle now) {
  queue_.pop_front();
  head_seen_ = false;
  core_.queueShrank(unit_, now);
}

void UnitEngine::finish(Flight& flight, Cycle at) {
  flight.completes = at;
  if (&flight == &flights_.front() && !retire_event_.scheduled())
    core_.env().calendar.schedule(retire_event_, at);
}

void UnitEngine::retire(Cycle now) {
  core_.guarded([&] {
    while (!flights_.empty() && flights_.front().completes <= now) {
      Flight flight = std::move(flights_.front());
      flights_.pop_front();
      complete(flight, now);
      completed(flight);
    }
    if (!flights_.empty() && flights_.front().completes != sim::kNever && !retire_event_.scheduled())
      core_.env().calendar.schedule(retire_event_, flights_.front().completes);
    // A barrier, a command in order or a limit on overlap may go on now.
    if (waiting_ && (queue_.front().what == WordClass::Barrier || queue_.front().what == WordClass::Command))
      wake(std::max(now, sim::toCycle(issue_free_)));
    settle(now);
  });
}

void UnitEngine::complete(Flight& flight, Cycle now) {
  const QueueEntry& entry = flight.entry;
  switch (entry.what) {
  case WordClass::SetFlag:
    core_.setFlag(unit_, entry.peer, entry.id, entry.command.pc, now, flight.started);
    break;
  case WordClass::CrossSet:
    core_.crossSet(unit_, entry.mode, entry.id, entry.command.pc, now);
    break;
  default: {
    const bool watched = core_.env().observers.any();
    const Footprint picked = watched ? core_.gatherSource(entry.command) : Footprint();
    if (!flight.moved) {
      beforeValues(flight);
      core_.execute(entry.command, unit_, entry.footprints);
    }
    if (watched)
      reportCommand(flight, picked, now);
    break;
  }
  }
}

void UnitEngine::reportCommand(const Flight& flight, const Footprint& picked, Cycle now) {
  CommandEffect effect;
  effect.core = core_.id();
  effect.unit = unit_;
  effect.command = &flight.entry.command;
  effect.footprints = flight.entry.footprints;
  effect.picked = picked;
  effect.issued = flight.entry.issued;
  effect.ready = flight.ready;
  effect.started = flight.started;
  effect.completed = now;
  effect.work_cycles = flight.work;
  effect.bankgroup_conflicts = flight.bankgroup_conflicts;
  effect.bank_conflicts = flight.bank_conflicts;
  effect.mte_conflicts = flight.mte_conflicts;
  effect.repeats = flight.repeats;
  effect.elements = flight.elements;
  effect.lanes = flight.lanes;
  effect.read_conflict = flight.read_conflict;
  effect.write_conflict = flight.write_conflict;
  for (const Footprint& f : effect.footprints)
    (f.write ? effect.bytes_written : effect.bytes_read) += f.totalBytes();
  core_.env().observers.command(effect);
}

void UnitEngine::settle(Cycle now) {
  if (idle())
    core_.unitIdle(now);
}

} // namespace dlsim::core
