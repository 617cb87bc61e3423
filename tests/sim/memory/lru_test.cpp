// A slice against a slow model that is obviously right: a set is a list of lines, the latest first. Random
// streams of reads, writes, atomics and bypassing requests; every count must be the same.
#include "sim/memory/l2_slice.h"
#include "tests/sim/memory/simple_chip.h"

#include <gtest/gtest.h>

#include <list>
#include <random>
#include <set>

using namespace dlsim::sim;
using namespace dlsim::sim::testing;

namespace {

class Reference {
public:
  Reference(const ChipSpec& chip, const AddressMap& map) : chip_(chip), map_(map), sets_(chip.l2.sets) {}

  void serve(const LineRequest& request) {
    std::set<unsigned> touched, whole;
    for (unsigned byte = request.offset; byte < request.offset + unsigned{request.bytes}; ++byte)
      touched.insert(byte / chip_.l2.sectorBytes);
    for (const unsigned sector : touched)
      if (sector * chip_.l2.sectorBytes >= request.offset &&
          (sector + 1) * chip_.l2.sectorBytes <= request.offset + unsigned{request.bytes})
        whole.insert(sector);
    std::list<Line>& set = sets_[map_.set(request.line)];
    auto line = set.begin();
    while (line != set.end() && line->number != request.line)
      ++line;
    const bool held = line != set.end();
    if (!held && request.bypass && !request.atomic) {
      ++missesPast;
      (request.write ? hbmWritten : hbmRead) += request.bytes;
      return;
    }
    if (held)
      set.splice(set.begin(), set, line);
    else
      allocate(set, request.line);
    Line& now = set.front();
    bool hit = held;
    if (!request.write)
      for (const unsigned sector : touched)
        hit = hit && now.valid.count(sector);
    ++(hit ? hits : misses);
    for (const unsigned sector : touched) {
      const bool overwritten = request.write && !request.atomic && whole.count(sector);
      if (!now.valid.count(sector) && !overwritten &&
          (!request.write || request.atomic || chip_.l2.fetchOnPartialWrite))
        hbmRead += chip_.l2.sectorBytes;
      now.valid.insert(sector);
      if (request.write)
        now.dirty.insert(sector);
    }
  }
  bool holds(std::uint64_t number) const {
    for (const Line& line : sets_[map_.set(number)])
      if (line.number == number)
        return true;
    return false;
  }

  std::uint64_t hits = 0, misses = 0, missesPast = 0, evictions = 0, dirtyEvictions = 0, hbmRead = 0,
                hbmWritten = 0;

private:
  struct Line {
    std::uint64_t number = 0;
    std::set<unsigned> valid, dirty;
  };
  void allocate(std::list<Line>& set, std::uint64_t number) {
    if (set.size() == chip_.l2.ways) {
      ++evictions;
      dirtyEvictions += !set.back().dirty.empty();
      hbmWritten += set.back().dirty.size() * chip_.l2.sectorBytes;
      set.pop_back();
    }
    set.push_front(Line{number, {}, {}});
  }

  const ChipSpec& chip_;
  const AddressMap& map_;
  std::vector<std::list<Line>> sets_;
};

struct Geometry {
  const char *sets, *ways, *sector, *partial;
};

class Lru : public ::testing::TestWithParam<Geometry> {};

TEST_P(Lru, RandomStreamsHitAndMissAsInTheSlowModel) {
  const Geometry& g = GetParam();
  const ChipSpec chip = simpleChip({std::string("l2.sets=") + g.sets, std::string("l2.ways=") + g.ways,
                                    std::string("l2.sector_bytes=") + g.sector,
                                    std::string("l2.fetch_on_partial_write=") + g.partial});
  const AddressMap map(chip);
  std::vector<std::uint64_t> lines; // half as many again as the slice holds
  for (std::uint64_t line = 0; lines.size() < chip.l2.sets * chip.l2.ways * 3 / 2; ++line)
    if (map.slice(line) == 0)
      lines.push_back(line);
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Hbm hbm(chip.hbm, map);
  L2Slice slice(0, chip.l2, chip.noc, map, hbm);
  Reference reference(chip, map);
  CoreMemoryCounters core;
  Tick now = 0;
  for (unsigned i = 0; i < 40000; ++i) {
    LineRequest request;
    // Now and then a neighbourhood is liked better, so that streams have reuse of every distance.
    request.line = below(3) ? lines[(i / 500 * 7 + below(chip.l2.ways)) % lines.size()]
                            : lines[below(static_cast<unsigned>(lines.size()))];
    request.set = map.set(request.line);
    request.bytes = static_cast<std::uint16_t>(128u << below(3));
    request.offset = static_cast<std::uint16_t>(below(512 / request.bytes) * request.bytes);
    request.write = below(3) == 0;
    if (request.write && below(2)) { // any bytes
      request.bytes = static_cast<std::uint16_t>(1 + below(request.bytes));
      request.offset =
          static_cast<std::uint16_t>(request.offset + below(513u - request.offset - request.bytes));
    }
    request.atomic = request.write && below(4) == 0;
    request.bypass = below(4) == 0;
    request.words = 1;
    request.core = below(4);
    // Reads past L2 share a fetch that is under way: here they come when it is over.
    request.tick = now += toTick(request.bypass && !request.write ? 2000 : below(200));
    slice.serve(request, core);
    reference.serve(request);
  }
  const SliceCounters& counted = slice.counters();
  EXPECT_EQ(counted.hits, reference.hits);
  EXPECT_EQ(counted.misses, reference.misses + reference.missesPast);
  EXPECT_EQ(counted.evictions, reference.evictions);
  EXPECT_EQ(counted.dirtyEvictions, reference.dirtyEvictions);
  EXPECT_EQ(core.writeMissNoAllocate + core.read[0].missNoAllocateWords, reference.missesPast);
  EXPECT_EQ(hbm.counters().readBytes, reference.hbmRead);
  EXPECT_EQ(hbm.counters().writeBytes, reference.hbmWritten);
  for (const std::uint64_t line : lines)
    EXPECT_EQ(slice.holds(line), reference.holds(line)) << "line " << line;
  EXPECT_GT(reference.hits, 1000u);
  EXPECT_GT(reference.dirtyEvictions, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Geometries, Lru,
                         ::testing::Values(Geometry{"1", "2", "512", "true"},
                                           Geometry{"4", "24", "512", "true"},
                                           Geometry{"8", "7", "128", "true"},
                                           Geometry{"3", "5", "64", "false"},
                                           Geometry{"2", "1", "32", "true"}));

} // namespace
