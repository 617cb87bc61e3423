// What dlc takes for a kernel, as a process of its own, start-up included: the time on the processor (the
// benchmark's time) and on the clock (`wall`).
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace llvm;

std::string dlc;

void compile(benchmark::State& state, const std::string& kernel) {
  SmallString<128> binary;
  if (sys::fs::createTemporaryFile("bench", "dlk", binary))
    return state.SkipWithError("no temporary file");
  double wall = 0;
  for (auto iteration : state) {
    std::string error;
    std::optional<sys::ProcessStatistics> used;
    const auto begin = std::chrono::steady_clock::now();
    const int code =
        sys::ExecuteAndWait(dlc, {dlc, kernel, "-o", binary}, std::nullopt, {}, 0, 0, &error, nullptr, &used);
    wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (code || !used)
      return state.SkipWithError(("dlc " + kernel + ": " + error).c_str());
    state.SetIterationTime(std::chrono::duration<double>(used->TotalTime).count());
  }
  state.counters["wall_ms"] = wall * 1e3 / double(state.iterations());
  sys::fs::remove(binary);
}

// One loop of `steps` loads, vector commands and stores: what the passes over commands take.
std::string chainOf(int64_t steps) {
  const std::string tile = "memref<64xf32, #npu.space<ub>>";
  std::string text = R"(func.func @chain(%x: i64 {npu.pointee = f32}, %y: i64 {npu.pointee = f32}, %n: i64)
    attributes {dl.grid_rank = 1 : i64, dl.order = "rows", npu.kind = "aiv"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
)";
  const int64_t buffers = std::min<int64_t>(steps, 100);
  for (int64_t b = 0; b < buffers; ++b)
    text += "%b" + itostr(b) + " = npu.alloc : " + tile + "\n";
  for (int64_t i = 0; i < steps; ++i) {
    const std::string b = "%b" + itostr(i % buffers);
    text +=
        "npu.copy_in " + b + "[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : " + tile + "\n";
    text += "npu.vunary relu " + b + ", " + b + " : " + tile + ", " + tile + "\n";
    text +=
        "npu.copy_out " + b + "[%c0, %c0], %y rows %c1 cols %m stride %c0 {arg = 1 : i64} : " + tile + "\n";
  }
  return text + "} {dl.parallel}\nreturn\n}\n";
}

void chain(benchmark::State& state) {
  SmallString<128> kernel;
  int file = 0;
  if (sys::fs::createTemporaryFile("chain", "mlir", file, kernel))
    return state.SkipWithError("no temporary file");
  raw_fd_ostream(file, /*shouldClose=*/true) << chainOf(state.range(0));
  compile(state, std::string(kernel));
  sys::fs::remove(kernel);
}

std::vector<std::string> kernels() {
  std::vector<std::string> found;
  std::error_code code;
  for (sys::fs::recursive_directory_iterator it(DLSIM_CASES, code), end; it != end && !code;
       it.increment(code))
    if (sys::path::extension(it->path()) == ".ttir")
      found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace

int main(int argc, char** argv) {
  static int anchor;
  SmallString<128> program(sys::path::parent_path(sys::fs::getMainExecutable(argv[0], &anchor)));
  sys::path::append(program, "dlc");
  dlc = std::string(program);
  for (const std::string& kernel : kernels())
    benchmark::RegisterBenchmark(kernel.c_str() + sizeof DLSIM_CASES, compile, kernel)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("chain", chain)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->RangeMultiplier(2)
      ->Range(64, 1024);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
