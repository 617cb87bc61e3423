// Line transactions per second of the whole memory path: engines, NoC, L2 and HBM. Also prints what the chip
// reached.
#include "sim/calendar/calendar_host.h"
#include "sim/config/chip_file.h"
#include "tests/sim/memory/stream.h"

#include <benchmark/benchmark.h>

using namespace dlsim::sim;
using namespace dlsim::sim::testing;

namespace {

constexpr std::uint64_t kBase = 0x1'0000'0000;

enum Pattern { L2Hits, HbmReads, SharedReads, Writes, Nd2Nz };

StreamShape shapeOf(Pattern pattern, std::uint32_t index) {
  StreamShape shape;
  shape.total = 4 << 20;
  shape.bytes = 32 << 10;
  shape.base = kBase + index * (8ull << 20);
  switch (pattern) {
  case L2Hits:
    shape.wrap = 1 << 20;
    break;
  case HbmReads:
    break;
  case SharedReads:
    shape.base = kBase;
    break;
  case Writes:
    shape.write = true;
    break;
  case Nd2Nz:
    shape.shape = GmShape::Nd2Nz;
    shape.row = 512;
    shape.rowStride = 512;
    shape.wrap = 1 << 20;
    break;
  }
  return shape;
}

void report(benchmark::State& state, std::uint64_t lines, std::uint64_t bytes, Cycle cycles, double mhz) {
  state.counters["lines/s"] = benchmark::Counter(static_cast<double>(lines), benchmark::Counter::kIsRate);
  state.counters["chip_TB/s"] = static_cast<double>(bytes) / static_cast<double>(cycles) * mhz * 1e-6;
}

/// Fires one callback: SystemC's only process here is the host's.
struct Hosted {
  explicit Hosted(Cycle quantum) : host(sc_core::sc_gen_unique_name("host"), calendar, quantum) {}
  Calendar calendar;
  CalendarHost host;
};

// Modules must exist before SystemC starts; one host for each quantum, shared by all benchmarks.
Hosted& hosted(Cycle quantum) {
  static Hosted exact(0), coarse(1000);
  return quantum ? coarse : exact;
}

// Arguments: pattern, cores, quantum (0: SystemC's time is exact at every busy cycle).
void memoryPath(benchmark::State& state) {
  const ChipSpec chip = loadChip("ascend910b1").spec;
  const auto pattern = static_cast<Pattern>(state.range(0));
  const bool write = pattern == Writes;
  Calendar& calendar = hosted(static_cast<Cycle>(state.range(2))).calendar;
  MemorySystem memory(chip, calendar);
  const auto run = [] { sc_core::sc_start(); };
  std::uint64_t lines = 0, bytes = 0;
  Cycle cycles = 0;
  for (auto unused : state) {
    state.PauseTiming();
    memory.flush();
    const auto cores = coresOf(chip, "aic", static_cast<std::uint32_t>(state.range(1)));
    if (pattern == L2Hits || pattern == Nd2Nz) // fill the caches first
      runStreams(
          calendar, memory, cores,
          [&](std::uint32_t core) {
            StreamShape shape = shapeOf(pattern, core);
            shape.total = shape.wrap;
            return shape;
          },
          run);
    memory.resetCounters();
    state.ResumeTiming();
    cycles += runStreams(
        calendar, memory, cores,
        [&](std::uint32_t core) {
          StreamShape shape = shapeOf(pattern, core);
          if (write)
            shape.unit = GmUnit::Fix;
          return shape;
        },
        run);
    const MemoryTotals totals = memory.totals();
    lines += totals.slices.requests;
    bytes += totals.cores.readBytes + totals.cores.writeBytes;
  }
  report(state, lines, bytes, cycles, chip.clockMhz);
}
BENCHMARK(memoryPath)
    ->ArgNames({"pattern", "cores", "quantum"})
    ->ArgsProduct({{L2Hits, HbmReads, SharedReads, Writes, Nd2Nz}, {1, 24}, {0, 1000}})
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
