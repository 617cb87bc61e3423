#include "sim/chip/session.h"

#include "sim/chip/launcher.h"
#include "sim/chip/system_impl.h"
#include "sim/observe/pmu.h"
#include "sim/values/execute.h"

#include <algorithm>
#include <stdexcept>

namespace dlsim::chip {

namespace {

constexpr uint64_t kSlot = 8;

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

// Value faults know the access; the core adds who made it.
void executeValues(const core::Command& command, core::CoreState& state, sim::GlobalMemory& memory) {
  try {
    values::execute(command, state, memory);
  } catch (const values::ValueFault& e) {
    core::Fault fault;
    fault.kind = e.kind;
    fault.space = e.space;
    fault.address = e.address;
    fault.detail = e.what();
    throw core::FaultError(fault);
  }
}

// What a program that runs for ever may be waiting for: a barrier of a whole launch needs all of it at once.
std::string turnsOf(const Launch& launch, unsigned cores) {
  const uint64_t programs = launch.grid[0] * launch.grid[1] * launch.grid[2];
  return programs <= cores
             ? ""
             : "; its " + std::to_string(programs) + " programs take turns on " + std::to_string(cores) +
                   (cores == 1 ? " core" : " cores") + ": one that waits for a later one never ends";
}

} // namespace

struct Session::Impl final {
  explicit Impl(System& s)
      : system(s), hardware(*s.impl_),
        cross(hardware.spec.sync.crossCoreCycles, hardware.spec.sync.crossCoreMax) {}

  uint64_t placeArguments(const Launch& launch, unsigned cores);
  void placeStacks(const std::vector<core::Core*>& cores, uint64_t bytes);
  void releaseLaunchMemory();
  void check(const Launch& launch) const;
  void collect(RunResult& result, const std::vector<core::Core*>& cores, const Launcher& launcher) const;

  System& system;
  System::Impl& hardware;
  sim::GlobalMemory memory;
  observe::Observers observers;
  observe::Pmu pmu;
  core::CrossFlags cross;
  core::Poison poison;
  std::vector<uint64_t> launch_regions; // unmapped after the launch
};

namespace {

core::CoreId idOf(const sim::ChipSpec& chip, unsigned kind, unsigned index) {
  const sim::CoreKindSpec& spec = chip.kinds[kind];
  core::CoreId id;
  id.kind = static_cast<uint8_t>(kind);
  id.index = static_cast<uint16_t>(index);
  id.group = static_cast<uint16_t>(index / spec.perCluster);
  id.subcore = static_cast<uint8_t>(index % spec.perCluster);
  id.dense = static_cast<uint16_t>(chip.coreIndex(spec.name, index));
  return id;
}

} // namespace

void Session::Impl::check(const Launch& launch) const {
  if (!launch.kernel)
    throw std::runtime_error("launch without a kernel");
  if (hardware.dead)
    throw std::runtime_error("an earlier launch of this session has faulted; start a new System and Session");
  if (launch.args.size() != launch.kernel->args.size())
    throw std::runtime_error("kernel '" + launch.kernel->name + "' takes " +
                             std::to_string(launch.kernel->args.size()) + " arguments, got " +
                             std::to_string(launch.args.size()));
  for (const uint64_t extent : launch.grid)
    if (extent == 0 || extent > UINT32_MAX)
      throw std::runtime_error("grid extents are 1..4294967295, got " + std::to_string(extent));
}

// 8-byte slots: arguments, grid, workspace base and its stride per core.
uint64_t Session::Impl::placeArguments(const Launch& launch, unsigned cores) {
  std::vector<uint64_t> block = launch.args;
  block.insert(block.end(), launch.grid.begin(), launch.grid.end());
  const uint64_t stride = roundUp(launch.kernel->workspaceBytesPerCore, 512);
  uint64_t workspace = 0;
  if (stride) {
    workspace = memory.allocate(stride * cores, "workspace");
    launch_regions.push_back(workspace);
  }
  block.push_back(workspace);
  block.push_back(stride);
  const uint64_t base = sim::GlobalMemory::kArgumentBase;
  memory.map(base, block.size() * kSlot, "argument block");
  launch_regions.push_back(base);
  memory.write(base, block.data(), block.size() * kSlot);
  const dlk::Kernel& kernel = *launch.kernel;
  if (!kernel.rodata.empty()) {
    memory.map(kernel.rodataAddress, kernel.rodata.size(), "constants");
    launch_regions.push_back(kernel.rodataAddress);
    memory.write(kernel.rodataAddress, kernel.rodata.data(), kernel.rodata.size());
  }
  return base;
}

void Session::Impl::placeStacks(const std::vector<core::Core*>& cores, uint64_t bytes) {
  for (const core::Core* core : cores) {
    const uint64_t base = Launcher::stackBase(core->id(), bytes);
    memory.map(base, bytes, "stack of " + core->name());
    launch_regions.push_back(base);
  }
}

void Session::Impl::releaseLaunchMemory() {
  for (const uint64_t base : launch_regions)
    memory.release(base);
  launch_regions.clear();
}

Session::Session(System& system) : impl_(std::make_unique<Impl>(system)) { subscribe(impl_->pmu); }
Session::~Session() = default;
System& Session::system() { return impl_->system; }
sim::GlobalMemory& Session::memory() { return impl_->memory; }
uint64_t Session::allocate(uint64_t bytes, const std::string& name) {
  return impl_->memory.allocate(bytes, name);
}
void Session::zero(uint64_t address, uint64_t bytes) {
  impl_->memory.zero(address, bytes);
  impl_->poison.clean(address, address + bytes);
}

void Session::write(uint64_t address, const void* data, uint64_t bytes) {
  impl_->memory.write(address, data, bytes);
  impl_->poison.clean(address, address + bytes);
}
void Session::read(uint64_t address, void* data, uint64_t bytes) const {
  impl_->memory.read(address, data, bytes);
}
void Session::subscribe(observe::Observer& observer) { impl_->observers.add(observer); }
void Session::unsubscribe(observe::Observer& observer) { impl_->observers.remove(observer); }
void Session::coolDown() { impl_->hardware.memorySystem().flush(); }

RunResult Session::launch(const Launch& launch) {
  Impl& s = *impl_;
  s.check(launch);
  const dlk::Kernel& kernel = *launch.kernel;
  const sim::ChipSpec& chip = s.hardware.spec;
  std::vector<Part> parts = partsOf(kernel, chip, launch.cores);
  Launcher launcher(kernel, chip, s.hardware.calendar, parts);
  launcher.stop = [&] { s.hardware.stop(); };
  core::Environment env{chip,     s.hardware.calendar, s.hardware.path(),
                        s.memory, s.observers,         s.cross,
                        launcher, executeValues,       nullptr};
  env.poison = s.hardware.options.timing_only ? &s.poison : nullptr;

  s.cross.clear();
  std::vector<std::unique_ptr<core::Core>> owned;
  std::vector<core::Core*> cores;
  for (const Part& part : parts)
    for (unsigned i = 0; i < part.cores; ++i) {
      owned.push_back(std::make_unique<core::Core>(env, idOf(chip, part.kind_index, i), *part.kind));
      cores.push_back(owned.back().get());
      s.cross.addCore(owned.back()->id(), *owned.back());
    }

  RunResult result;
  result.cores = parts.front().cores;
  result.start = s.hardware.calendar.now();
  s.hardware.memorySystem().resetCounters();
  s.pmu.begin(chip, result.start);
  const uint64_t stack = roundUp(std::max<uint64_t>(kernel.stackBytesPerCore, kSlot), 64);
  const uint64_t arguments = s.placeArguments(launch, result.cores);
  s.placeStacks(cores, stack);
  launcher.begin(cores, arguments, stack, result.start);
  const Cycle limit = launch.max_cycles ? result.start + launch.max_cycles : sim::kNever;
  s.hardware.run(limit);

  if (!launcher.fault() && !launcher.finished() && s.hardware.calendar.empty()) {
    launcher.fail(launcher.deadlock(cores));
  } else if (!launcher.fault() && (!launcher.finished() || launcher.end() > limit)) {
    core::Fault fault = launcher.cycleLimit(cores, launch.max_cycles);
    fault.detail += turnsOf(launch, result.cores);
    launcher.fail(std::move(fault));
  }
  if (!launcher.fault() && !s.hardware.calendar.empty())
    s.hardware.run(sim::kNever); // write-backs and prefetches that nobody waits for
  result.fault = launcher.fault();
  s.hardware.dead = result.fault.has_value(); // the calendar still names the cores of this launch
  s.collect(result, cores, launcher);
  s.releaseLaunchMemory();
  return result;
}

void Session::Impl::collect(RunResult& result, const std::vector<core::Core*>& cores,
                            const Launcher& launcher) const {
  result.head = launcher.head();
  result.cycles = (result.fault ? hardware.calendar.now() : launcher.end()) - result.start;
  for (core::Core* core : cores)
    result.flags_left += core->flags().left();
  result.counters = pmu.collect(cores, hardware.memorySystem(), result.fault.has_value());
}

} // namespace dlsim::chip
