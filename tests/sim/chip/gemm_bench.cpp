// How long a whole matrix product takes to simulate: sim-gemm-bench [M N K] [timing-only] [quantum=N]
// [no-systemc]
#include "sim/chip/session.h"
#include "sim/config/chip_file.h"
#include "tests/sim/support/gemm.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

using namespace dlsim;

int main(int argc, char** argv) {
  uint64_t size[3] = {4096, 4096, 4096};
  chip::SystemOptions options;
  unsigned numbers = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "timing-only")
      options.timing_only = true;
    else if (arg == "no-systemc")
      options.systemc = false;
    else if (arg.rfind("quantum=", 0) == 0)
      options.quantum = std::stoull(arg.substr(8));
    else if (numbers < 3)
      size[numbers++] = std::stoull(arg);
  }
  const auto [m, n, k] = size;
  const sim::ChipSpec spec = sim::loadChip(sim::chipPath("ascend910b1")).spec;
  chip::System system(spec, options);
  chip::Session session(system);
  std::vector<uint16_t> data(m * k > k * n ? m * k : k * n);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<uint16_t>(0x2c00 + i * 2654435761u % 1024);
  const uint64_t a = session.allocate(m * k * 2, "a"), b = session.allocate(k * n * 2, "b"),
                 c = session.allocate(m * n * 2, "c");
  session.write(a, data.data(), m * k * 2);
  session.write(b, data.data(), k * n * 2);
  const dlk::Kernel kernel = test::kernelOf(test::gemmKernel(m, n, k), dlk::KernelKind::Aic, 3);
  chip::Launch launch;
  launch.kernel = &kernel;
  launch.args = {a, b, c};
  const auto begin = std::chrono::steady_clock::now();
  const chip::RunResult result = session.launch(launch);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (result.fault) {
    std::printf("fault: %s\n", result.fault->text().c_str());
    return 3;
  }
  uint64_t lines = 0;
  for (const auto& core : result.counters.cores)
    lines += (core.gm_read_bytes + core.gm_write_bytes) / 512;
  const double ideal = static_cast<double>(m) * n * k / 4096.0 / result.cores;
  std::printf(
      "%llu cycles (%.1f us), MAC efficiency %.1f %%, %.2f s, %.2f M lines/s, L2 read hit %.3f, HBM read "
      "%.1f MB\n",
      static_cast<unsigned long long>(result.cycles), static_cast<double>(result.cycles) / spec.clockMhz,
      100 * ideal / static_cast<double>(result.cycles), seconds, static_cast<double>(lines) / seconds / 1e6,
      static_cast<double>(result.counters.memory.l2_read_hit) /
          static_cast<double>(result.counters.memory.l2_read_hit + result.counters.memory.l2_read_miss),
      static_cast<double>(result.counters.memory.hbm_read_bytes) / 1e6);
  return 0;
}
