// Bursts over TLM-2.0 sockets take the same cycles as direct calls, whatever the host's quantum.
#include "sim/calendar/calendar_host.h"
#include "sim/config/chip_file.h"
#include "sim/memory/gm_port.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

using namespace dlsim::sim;

namespace {

/// One transfer after another on one core, `starter` sends it off.
struct Chain final : GmTransfer {
  void issued(Cycle now) override { issues.push_back(now); }
  void done(Cycle now) override {
    ends.push_back(now);
    address += 3 * length;
    if (ends.size() < 50)
      starter(*this);
  }
  std::function<void(GmTransfer&)> starter;
  std::vector<Cycle> issues, ends;
};

TEST(MemoryModule, SocketsAndQuantumDoNotChangeTimes) {
  const ChipSpec chip = loadChip("ascend910b1").spec;
  constexpr unsigned kCores = 6;
  struct Setup {
    Setup(const char* name, const ChipSpec& chip, Cycle quantum)
        : host((std::string(name) + "_host").c_str(), calendar, quantum), module(name, chip, calendar) {}
    Calendar calendar;
    CalendarHost host;
    MemoryModule module;
    std::vector<std::unique_ptr<GmPort>> ports;
    Chain chains[kCores];
  };
  Setup direct("direct", chip, 0), exact("exact", chip, 0), coarse("coarse", chip, 500);
  GmPort unused("unused"); // the direct module's socket must be bound too
  unused.socket.bind(direct.module.socket);
  for (Setup* setup : {&direct, &exact, &coarse})
    for (unsigned core = 0; core < kCores; ++core) {
      Chain& chain = setup->chains[core];
      chain.core = core;
      chain.address = 0x1'0000'0000 + core * 1000;
      chain.length = 4096 + core * 160;
      if (setup == &direct) {
        chain.starter = [setup](GmTransfer& transfer) { setup->module.memory().start(transfer); };
      } else {
        setup->ports.push_back(std::make_unique<GmPort>(
            (std::string(setup->module.name()) + "_port" + std::to_string(core)).c_str()));
        GmPort& port = *setup->ports.back();
        port.socket.bind(setup->module.socket);
        chain.starter = [&port](GmTransfer& transfer) { port.start(transfer); };
      }
    }
  sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborate: sockets are bound from here on
  for (Setup* setup : {&direct, &exact, &coarse})
    for (Chain& chain : setup->chains)
      chain.starter(chain);
  sc_core::sc_start();
  for (unsigned core = 0; core < kCores; ++core) {
    EXPECT_EQ(direct.chains[core].ends.size(), 50u);
    EXPECT_EQ(direct.chains[core].ends, exact.chains[core].ends);
    EXPECT_EQ(direct.chains[core].ends, coarse.chains[core].ends);
    EXPECT_EQ(direct.chains[core].issues, exact.chains[core].issues);
    EXPECT_EQ(direct.chains[core].requests, coarse.chains[core].requests);
  }
  EXPECT_LT(coarse.host.activations(), exact.host.activations() / 4);
}

} // namespace
