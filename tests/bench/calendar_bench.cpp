// Events per second of the calendar, alone and hosted in SystemC with exact time.
#include "sim/calendar/calendar_host.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

using namespace dlsim::sim;

namespace {

struct Hopper final : Event {
  Hopper(Calendar& calendar, Cycle step) : calendar(calendar), step(step) {}
  void fire(Cycle now) override {
    if (now < last)
      calendar.schedule(*this, now + step);
  }
  Calendar& calendar;
  Cycle step;
  Cycle last = 0;
};

// Arguments: pending events, the longest step.
void calendarEvents(benchmark::State& state) {
  Calendar calendar;
  std::vector<std::unique_ptr<Hopper>> hoppers;
  for (int i = 0; i < state.range(0); ++i)
    hoppers.push_back(std::make_unique<Hopper>(calendar, 1 + i * 7919 % state.range(1)));
  const std::uint64_t before = calendar.fired();
  for (auto unused : state) {
    const Cycle begin = calendar.now();
    for (auto& hopper : hoppers) {
      hopper->last = begin + 20000;
      calendar.schedule(*hopper, begin);
    }
    calendar.run();
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(calendar.fired() - before), benchmark::Counter::kIsRate);
}
BENCHMARK(calendarEvents)
    ->Args({100, 300})
    ->Args({1000, 500})
    ->Args({1000, 20000})
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
