// What each instruction and each source line cost, per core: the profiler's simulator output.
// core*_instr_exe.csv: instr, addr, pipe, call_count, cycles, running_time(us), detail;
// core*_code_exe.csv: code, call_count, cycles, running_time(us).
#pragma once

#include "sim/observe/observer.h"

#include "isa/dlk/kernel.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dlsim::sim {
struct ChipSpec;
}

namespace dlsim::tools {

class InstructionProfile final : public observe::Observer {
public:
  void command(const observe::CommandEffect& effect) override;
  void reset() { cores_.clear(); }
  // Paths below the output folder, and texts.
  std::vector<std::pair<std::string, std::string>> csvs(const sim::ChipSpec& chip,
                                                        const dlk::Kernel& kernel) const;

private:
  struct Cost {
    uint64_t calls = 0, cycles = 0, bytes = 0, stalled = 0;
    uint64_t group_conflicts = 0, bank_conflicts = 0, mte_conflicts = 0;
    uint64_t elements = 0, lanes = 0; // active, offered
    unsigned read_conflict = 0, write_conflict = 0;
    void add(const Cost& other);
  };
  struct Core {
    core::CoreId id;
    std::map<std::tuple<uint32_t, isa::Opcode>, Cost> costs; // by pc and opcode: a bundle has one pc
  };
  static std::string detail(const Cost& cost, core::Unit unit);

  std::map<unsigned, Core> cores_; // by dense number
};

} // namespace dlsim::tools
