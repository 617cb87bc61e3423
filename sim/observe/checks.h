// Checks of a run that do not depend on its timing.
//
// race: two units of a core touch the same on-chip bytes, at least one writes, and no flag or barrier orders
// them. Each unit carries a clock of how many commands of every other unit are known to be done: a set_flag
// hands its unit's clock to the token, the wait_flag takes it; what the sequencer issues knows what the
// sequencer knew. An access races with an older one that its clock does not contain. What a v.gather reads is
// taken from the offsets that it finds. Global memory is followed where cores of several kinds work together
// (`Options::together`): cross-core flags hand on clocks within a group, and bytes that two units of a group
// touch, one of them writing, need an order. Atomic updates have no order among themselves, and what a core
// reads that writes nothing with its transfers needs none: the second vector core of a kernel whose rows are
// not shared computes for nobody.
// init: a scalar load, a transfer to global memory or a fixpipe command reads bytes that nothing has written;
// for other commands, an operand of which no byte was written (padding of tiles may be read, its lanes are
// not used).
#pragma once

#include "sim/core/command.h"
#include "sim/observe/group_sharing.h"
#include "sim/observe/observer.h"

#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace dlsim::observe {

struct Finding {
  enum class Kind : uint8_t { Race, Uninitialised } kind = Kind::Race;
  CoreId core;
  core::Space space = core::Space::UB;
  uint64_t address = 0;
  struct Access {
    Unit unit = Unit::S;
    uint32_t pc = 0;
    bool write = false;
  } later, earlier; // Uninitialised: `later` is the read
  CoreId other;     // of `earlier`
};

class Checks final : public Observer {
public:
  struct Options {
    bool race = false, init = false;
    size_t most = 20;               // findings kept, one for a pair of places
    std::vector<unsigned> together; // cores of each kind in a group, if those of several kinds run the kernel
  };
  explicit Checks(Options options) : options_(std::move(options)) {}
  void reset() { cores_.clear(), groups_.clear(), writers_.clear(), findings_.clear(), seen_.clear(); }
  /// When the run is over.
  std::vector<Finding> findings() const;

  void command(const CommandEffect& effect) override;
  void flag(const FlagRecord& record) override;
  void barrier(const BarrierRecord& record) override;
  void access(const ScalarAccess& record) override;

private:
  struct Version {
    Cycle begin;
    Clock clock;
  };
  // Who touched a granule last: a place is (number among the unit's commands, pc).
  struct Mark {
    uint32_t number = 0, pc = 0;
    bool unit_flag = false; // ordered by the block's own flag against others that obey it
  };
  struct Granule {
    std::array<Mark, core::kUnits> read{};
    Mark written;
    Unit writer = Unit::S;
  };
  struct Memory {
    std::vector<Granule> granules;
    std::vector<bool> written; // by byte
  };
  struct Core {
    Clock done{}; // of its own units
    std::array<std::deque<Version>, core::kUnits> versions;
    std::map<std::tuple<Unit, Unit, unsigned>, std::deque<Clock>> tokens;
    std::array<Memory, core::kSpaces> memories;
  };

  struct Group {
    explicit Group(const std::vector<unsigned>& cores) : flags(cores) {}
    GroupFlags flags;
    GroupMemory memory;
  };

  static unsigned granuleBytes(core::Space space) { return space == core::Space::UB ? 4 : 32; }
  static Clock clockAt(const Core& core, Unit unit, Cycle at);
  static void learn(Core& core, Unit unit, Cycle at, const Clock& more);
  static Memory& memory(Core& core, core::Space space, uint64_t end);
  template <class F> static void eachRow(const core::Footprint& fp, F&& f);
  void touch(Core& core, const CoreId& id, const core::Footprint& fp, Unit unit, const Mark& mark,
             const Clock& clock);
  void touchGlobal(const CommandEffect& effect, const core::Footprint& fp, const Mark& mark,
                   const Clock& clock);
  void crossFlag(Core& core, const FlagRecord& record);
  Group& groupOf(const CoreId& id);
  void checkRead(Core& core, const CoreId& id, const core::Footprint& fp, Unit unit, uint32_t pc);
  void report(const Finding& finding);

  Options options_;
  std::map<unsigned, Core> cores_; // by dense number
  std::map<unsigned, Group> groups_;
  std::set<unsigned> writers_; // cores whose transfers have written global memory, by dense number
  std::vector<Finding> findings_;
  std::set<std::tuple<unsigned, uint32_t, uint32_t, unsigned>> seen_;
};

} // namespace dlsim::observe
