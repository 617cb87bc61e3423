// Writes the Chrome/Perfetto event format while the simulation runs: a process per core, a row per unit,
// commands as slices with their source line, flags as arrows from set to wait, sequencer stalls as slices of
// the scalar row. Slices of a row must nest, so a command that overlaps another goes to a further row of the
// unit, "MTE2 +1". Times in the file are microseconds.
#pragma once

#include "sim/observe/observer.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace dlsim::observe {

struct TraceWindow {
  Cycle begin = 0; // calendar cycles; what ends before or starts after is left out
  Cycle end = ~Cycle{0};
};

class TraceWriter final : public Observer {
public:
  // source(kind, pc): "file:line" or empty. name(core): the process's name.
  TraceWriter(std::ostream& out, double clock_mhz, TraceWindow window = {});
  ~TraceWriter() override;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void setSource(std::function<std::string(unsigned kind, uint32_t pc)> source) {
    source_ = std::move(source);
  }
  void setCoreName(std::function<std::string(const CoreId&)> name) { name_ = std::move(name); }
  // Ends the file; nothing is written afterwards. The destructor does it too.
  void close();
  uint64_t events() const { return events_; }

  void command(const CommandEffect& effect) override;
  void stall(const StallRecord& record) override;
  void wait(const WaitRecord& record) override;
  void flag(const FlagRecord& record) override;

private:
  using FlagKey = std::tuple<uint16_t, uint8_t, uint8_t, uint8_t>; // core, source, target, id

  bool inWindow(Cycle begin, Cycle end) const { return begin < window_.end && end > window_.begin; }
  void event(const std::string& body);
  // The number of the row, whose names have been written.
  unsigned row(const CoreId& core, Unit unit, Cycle begin, Cycle end);
  unsigned slice(const CoreId& core, Unit unit, const std::string& name, Cycle begin, Cycle end, uint32_t pc,
                 const std::string& more);
  double us(Cycle cycle) const { return static_cast<double>(cycle) / clock_mhz_; }

  std::ostream& out_;
  double clock_mhz_;
  TraceWindow window_;
  std::function<std::string(unsigned, uint32_t)> source_;
  std::function<std::string(const CoreId&)> name_;
  // What one row holds: its slices that lie in no other, in order of time.
  using Row = std::vector<std::pair<Cycle, Cycle>>;
  static bool place(Row& row, Cycle begin, Cycle end);
  std::map<std::pair<uint16_t, uint8_t>, std::vector<Row>> rows_; // by dense core and unit
  std::set<uint16_t> named_;                                      // cores
  std::map<FlagKey, std::deque<uint64_t>> arrows_;                // sets without their wait so far
  uint64_t next_arrow_ = 1;
  uint64_t events_ = 0;
  bool open_ = true;
};

} // namespace dlsim::observe
