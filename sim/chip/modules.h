// The chip as SystemC sees it: the calendar's host, the memory side and a module per cluster and core, each
// core with a TLM-2.0 port to memory. `chip.cluster3.aiv1.gm` is the port of a core.
#pragma once

#include "sim/calendar/calendar_host.h"
#include "sim/config/chip_spec.h"
#include "sim/core/environment.h"
#include "sim/memory/gm_port.h"

#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace dlsim::chip {

class CoreModule : public sc_core::sc_module {
public:
  explicit CoreModule(const sc_core::sc_module_name& name) : sc_module(name), gm("gm") {}
  sim::GmPort gm;
};

class ClusterModule : public sc_core::sc_module {
public:
  ClusterModule(const sc_core::sc_module_name& name, const sim::ChipSpec& chip);
  // Cores of a kind, by sub-core number.
  std::vector<std::vector<std::unique_ptr<CoreModule>>> cores;
};

class ChipModule : public sc_core::sc_module, public core::MemoryPath {
public:
  ChipModule(const sc_core::sc_module_name& name, const sim::ChipSpec& chip, sim::Calendar& calendar,
             sim::Cycle quantum);

  void start(sim::GmTransfer& transfer) override { ports_[transfer.core]->start(transfer); }
  uint64_t bytesArrived(uint32_t core, sim::GmUnit unit) const override {
    return memory_.memory().bytesArrived(core, unit);
  }
  sim::MemorySystem& memory() { return memory_.memory(); }

private:
  sim::CalendarHost host_;
  sim::MemoryModule memory_;
  std::vector<std::unique_ptr<ClusterModule>> clusters_;
  std::vector<sim::GmPort*> ports_; // by dense core number
};

} // namespace dlsim::chip
