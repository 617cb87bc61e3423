// The calendar against pure SystemC: one closed-loop model of clients and servers, written once with calendar
// events and once with an sc_event per unit, must give the same completion times. Every client acts only at
// cycles of its own residue, so no two arrivals share a cycle and the order of ties, which SystemC leaves
// open, cannot matter.
#include "sim/calendar/calendar_host.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

using namespace dlsim::sim;

namespace {

constexpr unsigned kClients = 24, kServers = 4, kRequests = 500, kGrid = 32;
constexpr Cycle kLatency = 3 * kGrid;

struct Servers {
  std::vector<Cycle> free = std::vector<Cycle>(kServers, 0);
  Cycle serve(unsigned client, unsigned request, Cycle now) {
    const unsigned server = (client * 7 + request * 5 + request / 3) % kServers;
    const Cycle service = 1 + (client * 13 + request * 29) % 60;
    const Cycle start = std::max(now, free[server]);
    free[server] = start + service;
    // The answer reaches the client at its own residue.
    const Cycle end = start + service + kLatency;
    return (end + kGrid - 1 - client) / kGrid * kGrid + client;
  }
};

struct CalendarClient final : Event {
  CalendarClient(Calendar& calendar, Servers& servers, unsigned id)
      : calendar(calendar), servers(servers), id(id) {}
  void fire(Cycle now) override {
    if (waiting) {
      waiting = false;
      calendar.schedule(*this, servers.serve(id, request, now));
      return;
    }
    ends.push_back(now);
    if (++request < kRequests) {
      waiting = true;
      calendar.schedule(*this, now + kLatency);
    }
  }
  Calendar& calendar;
  Servers& servers;
  unsigned id, request = 0;
  bool waiting = true;
  std::vector<Cycle> ends;
};

struct EventClient : sc_core::sc_module {
  EventClient(const sc_core::sc_module_name& name, Servers& servers, unsigned id)
      : sc_module(name), servers(servers), id(id) {
    SC_HAS_PROCESS(EventClient);
    SC_METHOD(step);
    sensitive << event;
    dont_initialize();
    event.notify(CalendarHost::timeOf(id));
  }
  void step() {
    const Cycle now = CalendarHost::cycleOf(sc_core::sc_time_stamp());
    if (waiting) {
      waiting = false;
      event.notify(CalendarHost::timeOf(servers.serve(id, request, now) - now));
      return;
    }
    ends.push_back(now);
    if (++request < kRequests) {
      waiting = true;
      event.notify(CalendarHost::timeOf(kLatency));
    }
  }
  Servers& servers;
  unsigned id, request = 0;
  bool waiting = true;
  sc_core::sc_event event;
  std::vector<Cycle> ends;
};

TEST(CalendarParity, SameTimesAsPureSystemC) {
  Calendar calendar;
  CalendarHost host("host", calendar);
  Servers calendarServers, eventServers;
  std::vector<std::unique_ptr<CalendarClient>> calendarClients;
  std::vector<std::unique_ptr<EventClient>> eventClients;
  for (unsigned id = 0; id < kClients; ++id) {
    calendarClients.push_back(std::make_unique<CalendarClient>(calendar, calendarServers, id));
    calendar.schedule(*calendarClients.back(), id);
    eventClients.push_back(
        std::make_unique<EventClient>(("client" + std::to_string(id)).c_str(), eventServers, id));
  }
  sc_core::sc_start();
  for (unsigned id = 0; id < kClients; ++id) {
    ASSERT_EQ(calendarClients[id]->ends.size(), kRequests);
    EXPECT_EQ(calendarClients[id]->ends, eventClients[id]->ends) << "client " << id;
  }
}

} // namespace
