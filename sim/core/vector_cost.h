// Cycles of a vector command: the rate of its operation, repeat by repeat, under the rules of the UB banks.
//
// Per cycle a bank group gives one row to read and one to write, and a bank serves one of the two
// (reference: 16 groups x 3 banks of 4 KB; group = address[8:5], bank = address[17:16]). So a repeat takes
// the larger of the operation's own rate and the most rows that it reads (or writes) in one group, and one
// cycle more if a row that it writes lies in a bank that it also reads, unless all its blocks meet exactly:
// then the write slips behind the next repeat's reads at no cost. Writes trail the reads by the start-up, so
// the last ones meet no read: in the bank experiment of the vendor's examples 1.8 cycles a repeat, not 2.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/core/footprints.h"

#include <unordered_map>

namespace dlsim::core {

struct VectorCost {
  uint32_t startup = 0;
  uint32_t cycles = 0;              // all repeats, conflicts included
  uint32_t bankgroup_conflicts = 0; // part of cycles
  uint32_t bank_conflicts = 0;      // part of cycles
  uint32_t repeats = 0;
  uint64_t elements = 0;     // active, over all repeats
  uint16_t lanes = 0;        // of a full repeat
  uint8_t read_conflict = 0; // first repeat: rows read beyond the first in the fullest group
  uint8_t write_conflict = 0;
};

class VectorCosts {
public:
  VectorCosts(const sim::VectorSpec& vector, const sim::UbSpec& ub);

  // Costs depend on addresses modulo the bank layout, strides, dtype and active lanes: repeated shapes are
  // looked up.
  const VectorCost& cost(const Command& command, const CoreState::Lanes& lanes);
  size_t cached() const { return cache_.size(); }

private:
  struct Key {
    uint64_t addresses[3];
    uint64_t strides;
    uint64_t shape; // opcode, dtypes, mode
    uint64_t extent;
    bool operator==(const Key& o) const;
  };
  struct Hash {
    size_t operator()(const Key& k) const;
  };
  VectorCost compute(const Command& command, const VectorWalk& walk, bool count_mode) const;
  double ratePerRepeat(const Command& command, const VectorWalk& walk) const;
  void walkBanks(const Command& command, const VectorWalk& walk, VectorCost& cost) const;

  const sim::VectorSpec& vector_;
  const sim::UbSpec& ub_;
  uint64_t period_; // addresses apart by this meet the same banks
  std::unordered_map<Key, VectorCost, Hash> cache_;
};

} // namespace dlsim::core
