// A chip, a session and a recorder around one test kernel.
#pragma once

#include "sim/chip/session.h"
#include "sim/config/chip_file.h"
#include "sim/memory/global_memory.h"
#include "tests/sim/support/program.h"

#include <memory>
#include <string>
#include <vector>

namespace dlsim::test {

// Keeps every record of a run.
class Recorder final : public observe::Observer {
public:
  struct Effect {
    core::CommandEffect effect;
    core::Command command;
  };
  void command(const core::CommandEffect& e) override {
    commands.push_back({e, *e.command});
    commands.back().effect.command = nullptr;
  }
  void stall(const observe::StallRecord& r) override { stalls.push_back(r); }
  void wait(const observe::WaitRecord& r) override { waits.push_back(r); }
  void flag(const observe::FlagRecord& r) override { flags.push_back(r); }
  void bundle(const observe::BundleRecord& r) override { bundles.push_back(r); }

  // Cycle in which the bundle at a word index issued on core 0 of its kind, the last time.
  core::Cycle issued(size_t word, unsigned core = 0) const {
    core::Cycle at = 0;
    for (const auto& b : bundles)
      if (b.pc == word * isa::kWordBytes && b.core.index == core)
        at = b.at;
    return at;
  }
  core::Cycle stalled(observe::Stall why, unsigned core = 0) const {
    core::Cycle sum = 0;
    for (const auto& s : stalls)
      if (s.why == why && s.core.index == core)
        sum += s.end - s.begin;
    return sum;
  }

  std::vector<Effect> commands;
  std::vector<observe::StallRecord> stalls;
  std::vector<observe::WaitRecord> waits;
  std::vector<observe::FlagRecord> flags;
  std::vector<observe::BundleRecord> bundles;
};

// One cluster unless the overrides say otherwise; instruction lines so long that one miss fetches a test
// program.
class Rig {
public:
  explicit Rig(std::vector<std::string> overrides = {}, chip::SystemOptions options = {false, 0, false}) {
    std::vector<std::string> all = {"chip.clusters=1", "core.aic.icache.line_bytes=4096",
                                    "core.aiv.icache.line_bytes=4096", "l2.sets=64"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    chip_ = sim::loadChip(sim::chipPath("ascend910b1"), all).spec;
    system_ = std::make_unique<chip::System>(chip_, options);
    session_ = std::make_unique<chip::Session>(*system_);
    session_->subscribe(recorder);
  }

  chip::RunResult run(const dlk::Kernel& kernel, std::vector<uint64_t> args = {},
                      core::Cycle max_cycles = 1000000, unsigned cores = 1) {
    kernel_ = kernel;
    chip::Launch launch;
    launch.kernel = &kernel_;
    launch.args = std::move(args);
    launch.max_cycles = max_cycles;
    launch.cores = cores;
    return session_->launch(launch);
  }
  chip::RunResult aic(const Program& p, std::vector<uint64_t> args = {}) {
    return run(kernelOf(p, dlk::KernelKind::Aic, static_cast<unsigned>(args.size())), args);
  }
  chip::RunResult aiv(const Program& p, std::vector<uint64_t> args = {}) {
    return run(kernelOf(p, dlk::KernelKind::Aiv, static_cast<unsigned>(args.size())), args);
  }

  const sim::ChipSpec& chip() const { return chip_; }
  chip::Session& session() { return *session_; }
  template <class T> uint64_t upload(const std::vector<T>& data) {
    const uint64_t at = session_->allocate(data.size() * sizeof(T), "test data");
    session_->write(at, data.data(), data.size() * sizeof(T));
    return at;
  }
  template <class T> std::vector<T> download(uint64_t at, size_t count) {
    std::vector<T> out(count);
    session_->read(at, out.data(), count * sizeof(T));
    return out;
  }

  Recorder recorder;

private:
  sim::ChipSpec chip_;
  dlk::Kernel kernel_;
  std::unique_ptr<chip::System> system_;
  std::unique_ptr<chip::Session> session_;
};

} // namespace dlsim::test
