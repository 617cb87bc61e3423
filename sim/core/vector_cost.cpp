#include "sim/core/vector_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace dlsim::core {

namespace {

constexpr unsigned kTicks = 256; // of a cycle
constexpr unsigned kMaxBlocks = 8;
constexpr unsigned kMaxGroups = 64;

bool isReduction(isa::Opcode op) { return op >= isa::Opcode::V_CADD && op <= isa::Opcode::V_CPADD; }

// Rows of one side of one repeat as (group, bank) pairs.
struct Rows {
  std::array<uint16_t, kMaxBlocks> group{}, bank{};
  unsigned count = 0;
};

struct Banks {
  unsigned groups, banks, row, bank_bytes;

  void add(Rows& rows, uint64_t address) const {
    if (rows.count == kMaxBlocks)
      return;
    const uint64_t line = address / row;
    rows.group[rows.count] = static_cast<uint16_t>(line % groups);
    rows.bank[rows.count] = static_cast<uint16_t>(address / (uint64_t{bank_bytes} * groups) % banks);
    ++rows.count;
  }
};

Rows rowsOf(const Banks& banks, const VectorSide& side, uint32_t repeat, uint32_t lanes) {
  Rows rows;
  if (!side.element || !lanes)
    return rows;
  // A stride of zero reads one place again and again: it is fetched once.
  if (!side.write && repeat > 0 && side.repeat_stride == 0)
    return rows;
  const unsigned blocks = (lanes * side.element + 31) / 32;
  const uint64_t base = side.address + uint64_t{repeat} * side.repeat_stride * 32;
  if (side.block_stride == 0) {
    banks.add(rows, base);
    return rows;
  }
  for (unsigned b = 0; b < blocks; ++b)
    banks.add(rows, base + uint64_t{b} * side.block_stride * 32);
  return rows;
}

unsigned most(const std::array<uint8_t, kMaxGroups>& counts, unsigned groups) {
  return *std::max_element(counts.begin(), counts.begin() + groups);
}

// One extra cycle if a written row's bank is read as well, none if every block meets.
bool readWriteConflict(const Rows& written, const Rows* read, unsigned sides) {
  for (unsigned s = 0; s < sides; ++s) {
    unsigned meets = 0;
    for (unsigned i = 0; i < written.count; ++i)
      for (unsigned j = 0; j < read[s].count; ++j)
        if (written.group[i] == read[s].group[j] && written.bank[i] == read[s].bank[j]) {
          ++meets;
          break;
        }
    if (meets && !(meets == written.count && written.count == read[s].count))
      return true;
  }
  return false;
}

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

} // namespace

bool VectorCosts::Key::operator==(const Key& o) const { return std::memcmp(this, &o, sizeof *this) == 0; }

size_t VectorCosts::Hash::operator()(const Key& k) const {
  uint64_t h = 0;
  for (const uint64_t v : {k.addresses[0], k.addresses[1], k.addresses[2], k.strides, k.shape, k.extent})
    h = mix(h, v);
  return h ^ h >> 32;
}

VectorCosts::VectorCosts(const sim::VectorSpec& vector, const sim::UbSpec& ub)
    : vector_(vector), ub_(ub), period_(uint64_t{ub.bankBytes} * ub.groups * ub.banksPerGroup) {}

const VectorCost& VectorCosts::cost(const Command& command, const CoreState::Lanes& lanes) {
  const VectorWalk walk = vectorWalk(command, lanes);
  Key key{};
  uint64_t strides = uint64_t{walk.repeats} << 32 | walk.tail;
  for (unsigned i = 0; i < 3; ++i) {
    key.addresses[i] = walk.sides[i].element ? walk.sides[i].address % period_ : ~uint64_t{0};
    key.strides = key.strides << 16 | walk.sides[i].block_stride << 8 | walk.sides[i].repeat_stride;
  }
  key.shape = uint64_t{command.imm} << 16 | static_cast<uint64_t>(command.op) << 1 | lanes.count_mode;
  key.extent = mix(strides, walk.elements) ^ walk.last_lane;
  const auto found = cache_.find(key);
  if (found != cache_.end())
    return found->second;
  return cache_.emplace(key, compute(command, walk, lanes.count_mode)).first->second;
}

double VectorCosts::ratePerRepeat(const Command& command, const VectorWalk& walk) const {
  const sim::VectorOpSpec& op = vector_.op(std::string(isa::info(command.op).mnemonic.substr(2)));
  // The offsets of a gather are wider than what it fetches.
  const unsigned element = command.op == isa::Opcode::V_GATHER ? walk.sides[0].element : walk.widest;
  return element <= 2 ? op.cycles16 : op.cycles32;
}

VectorCost VectorCosts::compute(const Command& command, const VectorWalk& walk, bool count_mode) const {
  VectorCost cost;
  if (command.op == isa::Opcode::V_MASK || command.op == isa::Opcode::V_COUNT) {
    cost.cycles = vector_.maskCycles;
    return cost;
  }
  cost.repeats = walk.repeats;
  cost.elements = walk.elements;
  cost.lanes = static_cast<uint16_t>(walk.lanes);
  cost.startup = vector_.op(std::string(isa::info(command.op).mnemonic.substr(2))).startupCycles;
  if (count_mode)
    cost.startup += vector_.countModeCycles;
  walkBanks(command, walk, cost);
  return cost;
}

void VectorCosts::walkBanks(const Command& command, const VectorWalk& walk, VectorCost& cost) const {
  const Banks banks{ub_.groups, ub_.banksPerGroup, ub_.rowBytes, ub_.bankBytes};
  const double rate = ratePerRepeat(command, walk);
  const auto base = static_cast<uint64_t>(std::llround(rate * kTicks));
  // A gather has its own rate; a reduction writes too little to meet anything.
  const bool by_data = command.op == isa::Opcode::V_GATHER;
  VectorSide dst = walk.sides[0];
  if (isReduction(command.op) || command.op == isa::Opcode::V_CMP || command.op == isa::Opcode::V_CMPS)
    dst.element = 0;
  // A write reaches its bank when the pipeline has gone through the start-up. Those that do so after the last
  // read meet none; reads that alternate with writes take two cycles a repeat.
  const uint32_t in_flight = cost.startup / 2;
  uint64_t group_ticks = 0, bank_ticks = 0; // beyond the operation's own rate
  for (uint32_t r = 0; r < walk.repeats; ++r) {
    if (by_data || !ub_.conflicts)
      break;
    const uint32_t lanes = walk.tail && r + 1 == walk.repeats ? walk.tail : walk.last_lane;
    const Rows read[2] = {rowsOf(banks, walk.sides[1], r, lanes), rowsOf(banks, walk.sides[2], r, lanes)};
    const Rows written = rowsOf(banks, dst, r, lanes);
    std::array<uint8_t, kMaxGroups> reads{}, writes{};
    for (const Rows& rows : read)
      for (unsigned i = 0; i < rows.count; ++i)
        ++reads[rows.group[i]];
    for (unsigned i = 0; i < written.count; ++i)
      ++writes[written.group[i]];
    if (r == 0) {
      cost.read_conflict = static_cast<uint8_t>(std::max(1u, most(reads, ub_.groups)) - 1);
      cost.write_conflict = static_cast<uint8_t>(std::max(1u, most(writes, ub_.groups)) - 1);
    }
    const unsigned cycles =
        std::max((most(reads, ub_.groups) + ub_.readsPerGroup - 1) / ub_.readsPerGroup,
                 (most(writes, ub_.groups) + ub_.writesPerGroup - 1) / ub_.writesPerGroup);
    if (cycles > 1) // an operation may be faster than a repeat a cycle
      group_ticks += std::max(base, uint64_t{cycles} * kTicks) - base;
    if (r + in_flight < walk.repeats && readWriteConflict(written, read, 2))
      bank_ticks += kTicks;
  }
  const auto own = static_cast<uint64_t>(std::llround(rate * kTicks * walk.repeats));
  const uint64_t ticks = own + group_ticks + bank_ticks;
  cost.cycles = static_cast<uint32_t>((ticks + kTicks - 1) / kTicks);
  cost.bankgroup_conflicts = static_cast<uint32_t>(group_ticks / kTicks);
  cost.bank_conflicts = static_cast<uint32_t>(bank_ticks / kTicks);
}

} // namespace dlsim::core
