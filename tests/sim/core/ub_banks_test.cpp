// The bank rules of UB against a model that serves rows one cycle at a time, on random layouts.
#include "sim/config/chip_file.h"
#include "sim/core/vector_cost.h"
#include "tests/sim/support/vector.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dlsim::test {
namespace {

constexpr int64_t kF32 = 2;

struct Side {
  uint64_t address = 0, block = 1, repeat = 8; // strides in rows of 32 bytes
};
struct Layout {
  const char* op = "add";
  unsigned rate = 1, startup = 24; // cycles
  Side dst, src0, src1;
  bool second = true; // src1 is read
  unsigned repeats = 1, lanes = 64;
};

unsigned groupOf(uint64_t address) { return address >> 5 & 15; }
unsigned bankOf(uint64_t address) { return groupOf(address) + 16 * static_cast<unsigned>(address >> 16); }

// Rows that a side asks for in a repeat.
std::vector<uint64_t> rows(const Side& side, unsigned repeat, unsigned lanes, bool read) {
  std::vector<uint64_t> out;
  if (read && side.repeat == 0 && repeat > 0)
    return out; // kept from the first repeat
  for (unsigned b = 0; b < (lanes + 7) / 8; ++b)
    if (b == 0 || side.block != 0)
      out.push_back(side.address + (repeat * side.repeat + b * side.block) * 32);
  return out;
}

// Serves one waiting row of a group.
void serve(std::vector<uint64_t>& waiting, unsigned group) {
  for (auto row = waiting.begin(); row != waiting.end(); ++row)
    if (groupOf(*row) == group) {
      waiting.erase(row);
      return;
    }
}

// Some blocks written lie in banks of the blocks read, but not every one.
bool meetPartly(const std::vector<uint64_t>& written, const std::vector<uint64_t>& read) {
  size_t meeting = 0;
  for (const uint64_t w : written) {
    bool meets = false;
    for (const uint64_t r : read)
      meets |= bankOf(w) == bankOf(r);
    meeting += meets;
  }
  return meeting > 0 && (meeting < written.size() || written.size() != read.size());
}

// Cycles of all repeats: in each cycle a group gives one row and takes one.
uint64_t slowly(const Layout& l) {
  uint64_t cycles = 0;
  for (unsigned r = 0; r < l.repeats; ++r) {
    const std::vector<uint64_t> first = rows(l.src0, r, l.lanes, true),
                                second = l.second ? rows(l.src1, r, l.lanes, true) : std::vector<uint64_t>{},
                                written = rows(l.dst, r, l.lanes, false);
    std::vector<uint64_t> reads = first, writes = written;
    reads.insert(reads.end(), second.begin(), second.end());
    for (unsigned cycle = 0; cycle < l.rate || !reads.empty() || !writes.empty(); ++cycle, ++cycles)
      for (unsigned group = 0; group < 16; ++group) {
        serve(reads, group);
        serve(writes, group);
      }
    // The write takes a cycle of the bank for itself; the last ones come when nothing is read any more.
    const bool reads_follow = r + l.startup / 2 < l.repeats;
    cycles += reads_follow && (meetPartly(written, first) || meetPartly(written, second));
  }
  return cycles;
}

uint64_t byTheModel(const Layout& l) {
  static const sim::ChipSpec chip = sim::loadChip(sim::chipPath("ascend910b1")).spec;
  core::VectorCosts costs(chip.vector, chip.ub);
  core::CoreState::Lanes lanes;
  lanes.mask[0] = l.lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << l.lanes) - 1;
  const core::Command c = command(
      l.op, l.dst.address, l.src0.address, l.src1.address,
      strides(l.repeats, l.dst.block, l.src0.block, l.src1.block, l.dst.repeat, l.src0.repeat, l.src1.repeat),
      kF32);
  const core::VectorCost cost = costs.cost(c, lanes);
  EXPECT_EQ(cost.startup, l.startup);
  EXPECT_EQ(cost.cycles, l.rate * l.repeats + cost.bankgroup_conflicts + cost.bank_conflicts);
  return cost.cycles;
}

TEST(UbBanksSlowly, TheReferenceDoesTheVendorsExperiment) {
  // Cycles for 64 repeats of an add: none, two sources in one group, a write in a bank that is read.
  Layout l;
  l.repeats = 64;
  l.dst.address = 0x20000, l.src1.address = 0x10100;
  EXPECT_EQ(slowly(l), 64u);
  l.src1.address = 0x4000;
  EXPECT_EQ(slowly(l), 128u);
  l.src1.address = 0x10100, l.dst.address = 0x40;
  EXPECT_EQ(slowly(l), 64u + 52);
  l.dst.address = 0; // every block where src0 has it
  EXPECT_EQ(slowly(l), 64u);
  l.dst.address = 0x20000, l.dst.block = 16; // eight blocks of a group
  EXPECT_EQ(slowly(l), 512u);
}

TEST(UbBanksSlowly, RandomLayouts) {
  std::mt19937_64 random(1);
  const auto pick = [&](uint64_t below) { return random() % below; };
  const auto side = [&](bool written) {
    constexpr uint64_t kBlocks[] = {1, 1, 1, 2, 4, 8, 16, 17, 0}, kRepeats[] = {8, 8, 8, 1, 4, 16, 9, 0};
    Side s;
    s.block = kBlocks[pick(written ? 8 : 9)], s.repeat = kRepeats[pick(written ? 7 : 8)];
    // Few places, so that operands meet; all rows stay within 192 KB.
    s.address = pick(3) * 65536 + pick(8) * 32 + pick(2) * 4096;
    return s;
  };
  struct Op {
    const char* name;
    unsigned rate, startup;
    bool second;
  };
  constexpr Op kOps[] = {{"add", 1, 24, true},  {"max", 1, 23, true},   {"div", 4, 31, true},
                         {"exp", 2, 31, false}, {"adds", 1, 26, false}, {"copy", 1, 24, false}};
  unsigned conflicts = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    const Op& op = kOps[pick(std::size(kOps))];
    Layout l;
    l.op = op.name, l.rate = op.rate, l.startup = op.startup, l.second = op.second;
    l.dst = side(true), l.src0 = side(false), l.src1 = side(false);
    l.repeats = 1 + static_cast<unsigned>(pick(40)),
    l.lanes = pick(3) ? 64 : 1 + static_cast<unsigned>(pick(64));
    const uint64_t expected = slowly(l);
    conflicts += expected > l.rate * l.repeats;
    ASSERT_EQ(byTheModel(l), expected)
        << l.op << " x " << l.repeats << ", " << l.lanes << " lanes; dst " << l.dst.address << "/"
        << l.dst.block << "/" << l.dst.repeat << ", src0 " << l.src0.address << "/" << l.src0.block << "/"
        << l.src0.repeat << ", src1 " << l.src1.address << "/" << l.src1.block << "/" << l.src1.repeat;
  }
  EXPECT_GT(conflicts, 5000u);
}

} // namespace
} // namespace dlsim::test
