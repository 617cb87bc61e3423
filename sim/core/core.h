// One core: its sequencer, units, flags and on-chip memories. Which units and memories it has comes from the
// chip file's core kind.
#pragma once

#include "sim/core/environment.h"
#include "sim/core/flags.h"
#include "sim/core/sequencer.h"
#include "sim/core/unit.h"
#include "sim/core/unit_flags.h"

#include <array>
#include <memory>
#include <string>

namespace dlsim::core {

class Core final : public CrossFlagListener {
public:
  Core(Environment& env, const CoreId& id, const sim::CoreKindSpec& kind);
  ~Core() override;

  // Starts the program at a cycle >= now. `stack` is the core's own stack, [base, end).
  void begin(const Program& program, uint32_t entry_offset, const SpecialRegisters& registers,
             uint64_t stack_base, uint64_t stack_end, Cycle at);

  Environment& env() { return env_; }
  const sim::ChipSpec& chip() const { return env_.chip; }
  const sim::CoreKindSpec& kind() const { return kind_; }
  const CoreId& id() const { return id_; }
  const std::string& name() const { return name_; }
  CoreState& state() { return state_; }
  FlagBoard& flags() { return flags_; }
  UnitFlags& unitFlags() { return unit_flags_; }
  Poison& ubPoison() { return ub_poison_; }
  UnitEngine* unit(Unit u) { return units_[static_cast<size_t>(u)].get(); }
  // Bytes that a unit has brought from global memory so far, by arrival.
  uint64_t bytesArrived(Unit u) const {
    return env_.path.bytesArrived(id_.dense, static_cast<sim::GmUnit>(u));
  }
  Sequencer& sequencer() { return *sequencer_; }
  const Sequencer& sequencer() const { return *sequencer_; }

  bool drained() const;
  // Adds a token; wakes whoever may wait for it.
  void setFlag(Unit source, Unit target, unsigned id, uint32_t pc, Cycle now, Cycle position);
  void crossSet(Unit unit, unsigned mode, unsigned id, uint32_t pc, Cycle now);
  void crossFlagSet(unsigned id, Cycle visible) override;
  // The cube has set unit flags of L0C: the fixpipe may follow.
  void unitFlagsSet(Cycle now);
  // The number of the store by unit flags that reads blocks of the tile; 0: none does.
  uint64_t storeReading(const L0CTile& tile);
  // The values of that store, unless they have moved.
  void moveStore(uint64_t number);

  // Units report here.
  void queueShrank(Unit u, Cycle now);
  void unitIdle(Cycle now);

  // Range, alignment and mapping of a command's footprints; throws FaultError.
  void check(const Command& command, Unit unit, const Footprints& footprints) const;
  // What a v.gather is about to read; empty for other commands and when values are skipped.
  Footprint gatherSource(const Command& command) const;
  // Moves the values, or marks the destinations as poison.
  void execute(const Command& command, Unit unit, const Footprints& footprints);

  Fault fault(FaultKind kind, Unit unit, uint32_t pc, std::string detail) const;
  // Runs f; a fault stops the launch instead of leaving the event.
  template <class F> void guarded(F&& f) {
    try {
      f();
    } catch (const FaultError& e) {
      env_.host.coreFaulted(e.fault);
    }
  }
  // One line per sequencer or unit that waits, empty if nothing does.
  std::string describeWaits() const;

private:
  Environment& env_;
  const CoreId id_;
  const sim::CoreKindSpec& kind_;
  std::string name_;
  CoreState state_;
  FlagBoard flags_;
  UnitFlags unit_flags_;
  Poison ub_poison_;
  std::array<std::unique_ptr<UnitEngine>, kUnits> units_;
  std::unique_ptr<Sequencer> sequencer_;
  std::array<uint64_t, kSpaces> space_bytes_{};
  std::array<uint32_t, kSpaces> space_align_{};
};

// The unit engine for a unit number, by what the ISA says it does.
std::unique_ptr<UnitEngine> makeUnit(Core& core, Unit unit);

} // namespace dlsim::core
