#include "sim/chip/system_impl.h"

#include "sim/calendar/calendar_host.h"

#include <systemc>

namespace dlsim::chip {

namespace {

// SystemC allows modules only before its first run; a further System in one process gets a context of its
// own.
void freshContext() {
  if (sc_core::sc_get_curr_simcontext()->get_status() == sc_core::SC_ELABORATION)
    return;
  sc_core::sc_curr_simcontext = new sc_core::sc_simcontext; // SystemC keeps the old one's objects alive
  sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

} // namespace

System::Impl::Impl(const sim::ChipSpec& chip, SystemOptions o)
    : spec(chip), options(o), memory_system(spec, calendar) {
  if (!options.systemc)
    return;
  freshContext();
  host = std::make_unique<sim::CalendarHost>("calendar", calendar, options.quantum);
}

System::Impl::~Impl() = default;

void System::Impl::run(Cycle limit) {
  if (!host) {
    calendar.runUntil(limit);
    return;
  }
  const Cycle at = sim::CalendarHost::cycleOf(sc_core::sc_time_stamp());
  if (limit == sim::kNever)
    sc_core::sc_start();
  else
    sc_core::sc_start(sim::CalendarHost::timeOf(limit > at ? limit - at : 0), sc_core::SC_EXIT_ON_STARVATION);
}

void System::Impl::stop() {
  calendar.stop();
  if (host)
    sc_core::sc_pause();
}

System::System(const sim::ChipSpec& spec, SystemOptions options)
    : impl_(std::make_unique<Impl>(spec, options)) {}
System::~System() = default;
const sim::ChipSpec& System::spec() const { return impl_->spec; }
const SystemOptions& System::options() const { return impl_->options; }
Cycle System::now() const { return impl_->calendar.now(); }
sim::Calendar& System::calendar() { return impl_->calendar; }

} // namespace dlsim::chip
