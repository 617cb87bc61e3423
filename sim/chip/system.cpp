#include "sim/chip/system_impl.h"

#include "sim/chip/modules.h"

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

class DirectPath final : public core::MemoryPath {
public:
  explicit DirectPath(sim::MemorySystem& memory) : memory_(memory) {}
  void start(sim::GmTransfer& transfer) override { memory_.start(transfer); }
  uint64_t bytesArrived(uint32_t core, sim::GmUnit unit) const override {
    return memory_.bytesArrived(core, unit);
  }

private:
  sim::MemorySystem& memory_;
};

} // namespace

System::Impl::Impl(const sim::ChipSpec& chip, SystemOptions o) : spec(chip), options(o) {
  if (options.systemc) {
    freshContext();
    module = std::make_unique<ChipModule>("chip", spec, calendar, options.quantum);
    memory_system = &module->memory();
    memory_path = module.get();
    return;
  }
  own_memory = std::make_unique<sim::MemorySystem>(spec, calendar);
  own_path = std::make_unique<DirectPath>(*own_memory);
  memory_system = own_memory.get();
  memory_path = own_path.get();
}

System::Impl::~Impl() = default;

void System::Impl::run(Cycle limit) {
  if (!module) {
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
  if (module)
    sc_core::sc_pause();
}

System::System(const sim::ChipSpec& spec, SystemOptions options)
    : impl_(std::make_unique<Impl>(spec, options)) {}
System::~System() = default;
const sim::ChipSpec& System::spec() const { return impl_->spec; }
const SystemOptions& System::options() const { return impl_->options; }
Cycle System::now() const { return impl_->calendar.now(); }
const sim::MemorySystem& System::memorySystem() const { return impl_->memorySystem(); }
sim::Calendar& System::calendar() { return impl_->calendar; }

} // namespace dlsim::chip
