// The 910B1 chip file against the bandwidths and latencies that are published for it; bands, not exact
// numbers.
#include "sim/config/chip_file.h"
#include "tests/sim/memory/stream.h"

#include <gtest/gtest.h>

using namespace dlsim::sim;
using namespace dlsim::sim::testing;

namespace {

constexpr std::uint64_t kBase = 0x1'0000'0000;

class Aggregate : public ::testing::Test {
protected:
  Aggregate() : chip(loadChip("ascend910b1").spec), memory(chip, calendar) {}

  /// TB/s of `count` cores of a kind, each with its own stream; `warm` passes the same addresses once before.
  double teraBytes(const std::string& kind, std::uint32_t count, StreamShape shape, bool warm) {
    const auto cores = coresOf(chip, kind, count);
    const auto of = [&](std::uint32_t core) {
      StreamShape own = shape;
      own.base = kBase + std::uint64_t{core} * (17 << 20); // not a multiple of sets x line
      return own;
    };
    if (warm)
      runStreams(calendar, memory, cores, [&](std::uint32_t core) {
        StreamShape own = of(core);
        own.total = own.wrap;
        return own;
      });
    memory.resetCounters();
    const Cycle cycles = runStreams(calendar, memory, cores, of);
    return static_cast<double>(shape.total) * count / static_cast<double>(cycles) * chip.clockMhz * 1e-6;
  }
  double bytesPerCycle(double teraBytesPerSecond) const { return teraBytesPerSecond * 1e6 / chip.clockMhz; }

  StreamShape l2() const {
    StreamShape shape;
    shape.total = 4 << 20;
    shape.bytes = 32 << 10;
    shape.wrap = 1 << 20;
    return shape;
  }
  StreamShape hbm() const {
    StreamShape shape = l2();
    shape.wrap = 0;
    return shape;
  }

  ChipSpec chip;
  Calendar calendar;
  MemorySystem memory;
};

TEST_F(Aggregate, AllCubeCoresFromL2) {
  const double tb = teraBytes("aic", 24, l2(), true);
  EXPECT_GT(tb, 5.0);
  EXPECT_LT(tb, 6.1);
}

TEST_F(Aggregate, AllVectorCoresFromL2) { // 5.96 TB/s in asc-devkit's reuse test
  const double tb = teraBytes("aiv", 48, l2(), true);
  EXPECT_GT(tb, 5.4);
  EXPECT_LT(tb, 6.2);
}

TEST_F(Aggregate, CubeCoresNd2NzFromL2) { // 4.94 TB/s in asc-devkit's reuse test
  StreamShape shape = l2();
  shape.shape = GmShape::Nd2Nz;
  shape.row = 512;
  shape.rowStride = 512;
  const double tb = teraBytes("aic", 24, shape, true);
  EXPECT_GT(tb, 4.5);
  EXPECT_LT(tb, 5.4);
}

TEST_F(Aggregate, StreamsFromHbm) { // 1.49 TB/s is the best sustained read that is published
  for (const auto& [kind, count] : {std::pair<std::string, unsigned>{"aic", 24}, {"aiv", 48}}) {
    const double tb = teraBytes(kind, count, hbm(), false);
    EXPECT_GT(tb, 1.43) << kind;
    EXPECT_LT(tb, 1.53) << kind;
    memory.flush();
  }
}

TEST_F(Aggregate, OneCore) {
  const double fromL2 = bytesPerCycle(teraBytes("aic", 1, l2(), true));
  EXPECT_GT(fromL2, 100);
  EXPECT_LT(fromL2, 153);
  memory.flush();
  const double fromHbm = bytesPerCycle(teraBytes("aic", 1, hbm(), false)); // about 65 B/cycle
  EXPECT_GT(fromHbm, 55);
  EXPECT_LT(fromHbm, 80);
}

TEST_F(Aggregate, Latencies) {
  struct Load final : GmTransfer {
    void done(Cycle now) override { latency = now - firstIssue; }
    Cycle latency = 0;
  } load;
  load.core = chip.coreIndex("aiv", 0);
  load.unit = GmUnit::Scalar;
  load.address = kBase;
  load.length = 64;
  memory.start(load);
  calendar.run();
  EXPECT_GE(load.latency, 480u); // 270 ns and a little more
  EXPECT_LE(load.latency, 525u);
  memory.start(load);
  calendar.run();
  EXPECT_NEAR(static_cast<double>(load.latency), 217, 3);
}

// All cores read one stream in step: it is handed out core by core while it comes from memory, and at the
// rate of a line, not of the slices, from L2.
TEST_F(Aggregate, LinesThatAllCoresReadAtOnceComeAtTheirOwnRate) {
  struct Times {
    Cycle own, fetched, shared;
  };
  const auto run = [&](const std::vector<std::string>& overrides) {
    const ChipSpec spec = loadChip("ascend910b1", overrides).spec;
    Calendar calendar;
    MemorySystem memory(spec, calendar);
    const auto stream = [&](bool shared) {
      memory.resetCounters();
      return runStreams(calendar, memory, coresOf(spec, "aic"), [&](std::uint32_t core) {
        StreamShape shape = l2();
        shape.base = kBase + (shared ? 0 : std::uint64_t{core + 1} * (17 << 20));
        return shape;
      });
    };
    stream(false);
    Times times{};
    times.own = stream(false);
    EXPECT_EQ(memory.totals().slices.largestSharers, 1u);
    times.fetched = stream(true);
    EXPECT_GT(memory.totals().slices.largestSharers, 4u);
    times.shared = stream(true);
    EXPECT_EQ(memory.totals().slices.largestSharers, 1u);
    return times;
  };
  const Times apart = run({"l2.shared_line_cycles=0"}), times = run({});
  EXPECT_EQ(times.own, apart.own);
  EXPECT_NEAR(static_cast<double>(apart.shared) / static_cast<double>(apart.own), 1, 0.1);
  EXPECT_GT(static_cast<double>(apart.fetched), 1.2 * static_cast<double>(apart.shared));
  // 24 x 4 MiB at 32 B/cycle of 32 slices; a little less, for the cores drift apart.
  constexpr double kLinesRate = 24.0 * (4 << 20) / (32 * 32);
  EXPECT_NEAR(static_cast<double>(times.shared) / kLinesRate, 1, 0.1);
}

TEST_F(Aggregate, SameRunSameCycles) {
  const auto run = [&] {
    Calendar ownCalendar;
    MemorySystem own(chip, ownCalendar);
    const Cycle cycles = runStreams(ownCalendar, own, coresOf(chip, "aic"), [&](std::uint32_t core) {
      StreamShape shape = hbm();
      shape.total = 1 << 20;
      shape.base = kBase + core * 12345 * 32;
      shape.write = core % 3 == 0;
      if (shape.write)
        shape.unit = GmUnit::Fix;
      return shape;
    });
    const MemoryTotals totals = own.totals();
    return std::tuple(cycles, totals.cores.latencyTicks, totals.hbm.rowHits, totals.slices.sameLineTicks);
  };
  EXPECT_EQ(run(), run());
}

// After a flush nothing of an earlier run is left: the next one takes the same cycles as on a new system.
TEST_F(Aggregate, FlushLeavesNothing) {
  const auto run = [&] {
    memory.flush();
    memory.resetCounters();
    const Cycle cycles = runStreams(calendar, memory, coresOf(chip, "aiv", 7), [&](std::uint32_t core) {
      StreamShape shape = hbm();
      shape.total = 1 << 19;
      shape.base = kBase + core * 54321 * 32;
      shape.write = core % 2 == 0;
      if (shape.write)
        shape.unit = GmUnit::Mte3;
      return shape;
    });
    calendar.advanceTo(calendar.now() + 100000); // reservations lie in the past
    return std::tuple(cycles, memory.totals().cores.latencyTicks, memory.totals().hbm.readBytes);
  };
  const auto first = run();
  EXPECT_EQ(run(), first);
  EXPECT_EQ(run(), first);
}

// A transfer never ends before its bytes could have crossed its narrowest link after the shortest way.
TEST_F(Aggregate, NothingFinishesTooEarly) {
  struct Checked final : GmTransfer {
    void done(Cycle now) override { end = now; }
    Cycle end = 0;
  };
  std::vector<std::unique_ptr<Checked>> transfers;
  for (unsigned i = 0; i < 400; ++i) {
    transfers.push_back(std::make_unique<Checked>());
    Checked& transfer = *transfers.back();
    transfer.core = i % 72;
    transfer.write = i % 5 == 0;
    transfer.unit = transfer.write ? GmUnit::Mte3 : GmUnit::Mte2;
    transfer.address = kBase + i * 7777;
    transfer.length = 32 + i * 61 % 3000;
    transfer.count = 1 + i % 7;
    transfer.stride = 4096;
    memory.start(transfer);
  }
  calendar.run();
  for (const auto& transfer : transfers) {
    const double width = transfer->write ? chip.noc.writeChannelBytes : 153;
    const double least = static_cast<double>(transfer->totalBytes()) / width + chip.noc.requestCycles +
                         chip.noc.responseCycles +
                         (transfer->write ? chip.l2.writeCycles : chip.l2.readCycles);
    EXPECT_GE(static_cast<double>(transfer->end - transfer->firstIssue), least - 1);
  }
}

} // namespace
