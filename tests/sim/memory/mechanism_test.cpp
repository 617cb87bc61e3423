// Each mechanism of the memory system alone: a scenario that shows its effect in cycles added up by hand, and
// the same scenario with each mechanism switched off in turn. Only the scenario's own switch (and one that
// takes away what it acts on) may change anything. Round numbers from simple_chip.h, L2 sets of two lines.
#include "sim/memory/address_map.h"
#include "sim/memory/memory_system.h"
#include "tests/sim/memory/move.h"
#include "tests/sim/memory/simple_chip.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>

using namespace dlsim::sim;
using namespace dlsim::sim::testing;

namespace {

struct Mechanism {
  const char *name, *off;
};
constexpr Mechanism kMechanisms[] = {
    {"same line", "l2.same_line_cycles=0"}, {"shared line", "l2.shared_line_cycles=0"},
    {"evictions", "l2.evictions=false"},    {"write back", "l2.write_back=false"},
    {"row misses", "hbm.row_misses=false"}, {"bank conflicts", "ub.conflicts=false"}};

struct Outcome {
  Cycle cycles = 0;
  MemoryTotals totals;
};

class Bench {
public:
  explicit Bench(const std::string& off) : chip(specOf(off)), map(chip), memory(chip, calendar) {}

  static ChipSpec specOf(const std::string& off) {
    std::vector<std::string> words = {"l2.ways=2", "hbm.write_batch=1", "l2.shared_line_cycles=6"};
    if (!off.empty())
      words.push_back(off);
    return simpleChip(words);
  }

  /// Lines of one slice, set and HBM channel, each in a bank of its own.
  std::vector<std::uint64_t> rivals(unsigned count) const {
    std::vector<std::uint64_t> all;
    for (std::uint64_t line = map.line(kHeap); all.size() < count; ++line) {
      bool fits = true;
      for (const std::uint64_t other : all)
        fits = fits && map.slice(line) == map.slice(other) && map.set(line) == map.set(other) &&
               map.place(line).channel == map.place(other).channel &&
               map.place(line).bank != map.place(other).bank;
      if (fits)
        all.push_back(line);
    }
    for (std::uint64_t& line : all)
      line *= chip.l2.lineBytes;
    return all;
  }
  Move& move(std::uint32_t core, std::uint64_t address, bool write = false) {
    moves.push_back(std::make_unique<Move>(chip.coreIndex("aiv", core), write ? GmUnit::Mte3 : GmUnit::Mte2,
                                           address, 512, write));
    return *moves.back();
  }
  void settle() {
    calendar.run();
    calendar.advanceTo(calendar.now() + 10000);
  }
  /// One line after another, idle in between.
  void touch(const std::vector<std::uint64_t>& addresses, bool write = false) {
    for (const std::uint64_t address : addresses) {
      settle();
      memory.start(move(0, address, write));
    }
    settle();
  }
  /// From here on counted.
  void begin() {
    settle();
    memory.resetCounters();
    moves.clear();
  }
  /// Sum of the times of all counted moves.
  Outcome end() {
    calendar.run();
    Outcome outcome{0, memory.totals()};
    for (const auto& move : moves)
      outcome.cycles += move->took();
    return outcome;
  }

  ChipSpec chip;
  Calendar calendar;
  AddressMap map;
  MemorySystem memory;
  std::vector<std::unique_ptr<Move>> moves;
};

// A hit: 10 there, 4 port, 20 hit, 10 back, 4 channel. A miss adds 5 to HBM, 30 to an open row, 32 data.
constexpr Cycle kHit = 48, kFetch = 67, kOpening = 15, kHold = 4 + 8;

/// Three cores read a line that is not in L2 at once, and a fourth one that is.
Outcome shareALine(const std::string& off) {
  Bench bench(off);
  const auto lines = bench.rivals(2);
  bench.touch({lines[1]});
  bench.begin();
  for (unsigned core = 0; core < 3; ++core)
    bench.memory.start(bench.move(core, lines[0]));
  bench.memory.start(bench.move(3, lines[1]));
  return bench.end();
}
/// Two cores read a line that is in L2 at once; when both have it a third one reads it twice, which shares it
/// with nobody.
Outcome shareAHit(const std::string& off) {
  Bench bench(off);
  const auto lines = bench.rivals(1);
  bench.touch(lines);
  bench.begin();
  for (unsigned core : {0u, 1u})
    bench.memory.start(bench.move(core, lines[0]));
  bench.settle();
  bench.memory.start(bench.move(2, lines[0]));
  bench.memory.start(bench.move(2, lines[0]));
  return bench.end();
}
/// A core reads three lines of a set of two, in turn; all rows are open.
Outcome exceedTheSet(const std::string& off) {
  Bench bench(off);
  const auto lines = bench.rivals(3);
  bench.touch(lines);
  bench.begin();
  bench.touch(lines);
  return bench.end();
}
/// Two dirty lines make room for two that are read at once: the first one's write is in the second's way.
Outcome displaceDirtyLines(const std::string& off) {
  Bench bench(off);
  const auto lines = bench.rivals(4);
  bench.touch(lines); // opens the rows
  bench.touch({lines[0], lines[1]}, true);
  bench.begin();
  bench.memory.start(bench.move(0, lines[2]));
  bench.memory.start(bench.move(0, lines[3]));
  return bench.end();
}
/// Reads of lines in closed rows, past L2.
Outcome openRows(const std::string& off) {
  Bench bench(off);
  bench.begin();
  for (const std::uint64_t address : bench.rivals(3)) {
    bench.settle();
    Move& move = bench.move(0, address);
    move.bypass = true;
    bench.memory.start(move);
  }
  return bench.end();
}

struct Scenario {
  const char* name;
  Outcome (*run)(const std::string&);
  Cycle on;
  std::map<std::string, Cycle> off; // mechanisms whose absence shows
};

// Dirty lines displaced: the reads leave the port at 14 and 18 and reach HBM at 19 and 23. Without write-back
// their data have the bus one after the other: 115 and 32 more. With it the first line displaced takes the
// bus from 19 to 19 + 7 + 32 + 7 = 65, the first fetch to 97, the second line to 143 and the second fetch to
// 175; 34 more to the core. Without evictions the two lines that are read never left.
constexpr Cycle kUndisturbed = (kHit + kFetch) + (kHit + kFetch + 32), kDisturbed = (97 + 34) + (175 + 34);

const Scenario kScenarios[] = {
    // Three wait for one fetch. The fourth waits for the port behind them: 4 cycles each, two of which hold
    // it
    // for 12.
    {"three cores share a fetch",
     shareALine,
     3 * (kHit + kFetch + kOpening) + (kHit + 4 + 2 * kHold),
     {{"same line", 3 * (kHit + kFetch + kOpening) + (kHit + 12)},
      {"row misses", 3 * (kHit + kFetch) + (kHit + 4 + 2 * kHold)}}},
    // The second waits for the port's 4 cycles and the line's 6.
    {"two cores share a hit",
     shareAHit,
     kHit + (kHit + 4 + 6) + kHit + (kHit + 4),
     {{"shared line", 4 * kHit + 8}}},
    {"three lines in a set of two", exceedTheSet, 3 * (kHit + kFetch), {{"evictions", 3 * kHit}}},
    {"dirty lines displaced",
     displaceDirtyLines,
     kDisturbed,
     {{"write back", kUndisturbed}, {"evictions", kHit + (kHit + 4)}}},
    {"closed rows", openRows, 3 * (kHit + kFetch + kOpening), {{"row misses", 3 * (kHit + kFetch)}}},
};

TEST(Mechanisms, EachOneExplainsItsOwnEffectAndNothingElse) {
  for (const Scenario& scenario : kScenarios) {
    const Outcome on = scenario.run("");
    EXPECT_EQ(on.cycles, scenario.on) << scenario.name;
    for (const Mechanism& mechanism : kMechanisms) {
      const Outcome without = scenario.run(mechanism.off);
      const auto own = scenario.off.find(mechanism.name);
      if (own != scenario.off.end())
        EXPECT_EQ(without.cycles, own->second) << scenario.name << " without " << mechanism.name;
      else {
        EXPECT_EQ(without.cycles, on.cycles) << scenario.name << " without " << mechanism.name;
        EXPECT_EQ(std::memcmp(&without.totals, &on.totals, sizeof on.totals), 0)
            << scenario.name << ": a counter changes without " << mechanism.name;
      }
    }
  }
}

TEST(Mechanisms, WhatTheyCountGoesToo) {
  const MemoryTotals shared = shareALine("").totals, apart = shareALine("l2.same_line_cycles=0").totals;
  EXPECT_EQ(toCycle(shared.slices.sameLineTicks), 2 * kHold - 2 * 4); // beyond the port's 4
  EXPECT_EQ(apart.slices.sameLineTicks, 0u);
  EXPECT_EQ(apart.slices.largestSharers, 3u) << "who shares is still seen";
  EXPECT_EQ(apart.slices.hits, shared.slices.hits);

  const MemoryTotals full = exceedTheSet("").totals, endless = exceedTheSet("l2.evictions=false").totals;
  EXPECT_EQ(full.slices.misses, 3u);
  EXPECT_EQ(full.slices.evictions, 3u);
  EXPECT_EQ(full.hbm.readBytes, 3u * 512);
  EXPECT_EQ(endless.slices.hits, 3u);
  EXPECT_EQ(endless.slices.evictions, 0u);
  EXPECT_EQ(endless.hbm.readBytes, 0u);

  const MemoryTotals written = displaceDirtyLines("").totals,
                     dropped = displaceDirtyLines("l2.write_back=false").totals,
                     kept = displaceDirtyLines("l2.evictions=false").totals;
  EXPECT_EQ(written.hbm.writeBytes, 2u * 512);
  EXPECT_EQ(dropped.hbm.writeBytes, 0u);
  EXPECT_EQ(dropped.slices.dirtyEvictions, written.slices.dirtyEvictions);
  EXPECT_EQ(dropped.slices.misses, written.slices.misses);
  EXPECT_EQ(kept.slices.dirtyEvictions, 0u);

  const MemoryTotals closed = openRows("").totals, open = openRows("hbm.row_misses=false").totals;
  EXPECT_EQ(closed.hbm.rowMisses, 3u);
  EXPECT_EQ(open.hbm.rowMisses, 0u);
  EXPECT_EQ(open.hbm.rowHits, 3u);
  EXPECT_EQ(open.hbm.readBytes, closed.hbm.readBytes);
}

} // namespace
