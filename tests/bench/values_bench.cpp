// Speed of the value semantics: how long the model takes for what a core does.
#include "sim/memory/global_memory.h"
#include "sim/values/execute.h"
#include "sim/values/fields.h"
#include "sim/values/kernels.h"
#include "sim/values/number.h"

#include <benchmark/benchmark.h>

#include <random>

namespace dlsim::values {
namespace {

using core::Command;
using isa::Opcode;

struct Machine {
  core::CoreState core;
  sim::GlobalMemory gm;
  uint64_t base;
  Machine() {
    core.l1.resize(512 << 10);
    core.l0a.resize(64 << 10);
    core.l0b.resize(64 << 10);
    core.l0c.resize(128 << 10);
    core.ub.resize(192 << 10);
    core.bt.resize(1024);
    core.fb.resize(2048);
    base = gm.allocate(8 << 20, "tensor");
    std::mt19937 random(1);
    for (auto* memory : {&core.l1, &core.l0a, &core.l0b, &core.ub})
      for (size_t i = 0; i + 2 <= memory->size(); i += 2) {
        uint16_t h = f32ToF16(static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f);
        std::memcpy(memory->data() + i, &h, 2);
      }
  }
};

// 128 x 256 x 64, conversion of both operands included.
void BM_Mmad(benchmark::State& state) {
  Machine machine;
  Command c;
  uint64_t k = state.range(1);
  c.op = Opcode::MMAD;
  c.r = {0, 0, 0, 128 | k << 16 | uint64_t{256} << 32, 0, 0};
  c.imm = static_cast<uint32_t>(state.range(0));
  for (auto _ : state)
    execute(c, machine.core, machine.gm);
  state.counters["FLOP"] = benchmark::Counter(2.0 * 128 * 256 * static_cast<double>(k),
                                              benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(std::string(isa::dtypeName(static_cast<isa::DType>(state.range(0)))) + " " +
                 (supported(Simd::Avx512) ? "avx512"
                  : supported(Simd::Avx2) ? "avx2"
                                          : "portable"));
}
BENCHMARK(BM_Mmad)->Args({0, 64})->Args({1, 64})->Args({2, 32})->Args({6, 32})->Args({3, 64})->Args({0, 128});

// B operand of a row-major matrix: 64 x 256 f16 with transpose.
void BM_LoadL0B(benchmark::State& state) {
  Machine machine;
  Command c;
  c.op = Opcode::MTE1_LOAD_L0B;
  c.r = {0, 0, 4 | 16 << 16, 64 * 32, 0, 0};
  c.imm = static_cast<uint32_t>(state.range(0)) << 4;
  for (auto _ : state)
    execute(c, machine.core, machine.gm);
  state.SetBytesProcessed(state.iterations() * 64 * 256 * 2);
}
BENCHMARK(BM_LoadL0B)->Arg(0)->Arg(1);

void BM_Nd2Nz(benchmark::State& state) {
  Machine machine;
  Command c;
  c.op = Opcode::MTE2_ND2NZ;
  c.r = {0, machine.base, 64 | uint64_t{256} << 32, 8192, 64 * 32, 0};
  for (auto _ : state)
    execute(c, machine.core, machine.gm);
  state.SetBytesProcessed(state.iterations() * 64 * 256 * 2);
}
BENCHMARK(BM_Nd2Nz);

void BM_CopyUb(benchmark::State& state) {
  Machine machine;
  Command c;
  c.op = Opcode::MTE2_COPY_UB;
  c.r = {0, machine.base, 64 | uint64_t{512} << 32, 8192, 512, 0};
  for (auto _ : state)
    execute(c, machine.core, machine.gm);
  state.SetBytesProcessed(state.iterations() * 64 * 512);
}
BENCHMARK(BM_CopyUb);

void BM_Fixpipe(benchmark::State& state) {
  Machine machine;
  Command c;
  c.op = Opcode::FIX_GM;
  c.r = {machine.base, 0, 128 | uint64_t{256} << 32, 8192, 128 * 64, 0};
  for (auto _ : state)
    execute(c, machine.core, machine.gm);
  state.SetItemsProcessed(state.iterations() * 128 * 256);
}
BENCHMARK(BM_Fixpipe);

// 16384 f32 elements a command.
void BM_Vector(benchmark::State& state, Opcode op) {
  Machine machine;
  bool unary = op == Opcode::V_EXP || op == Opcode::V_CADD || op == Opcode::V_CAST;
  uint64_t strides =
      0x010101 | uint64_t{8} << 24 | uint64_t{8} << 32 | uint64_t{8} << 40 | uint64_t{255} << 48;
  Command c;
  c.op = op;
  c.r = {131072, 0, unary ? strides : 65536, strides, 0, 0};
  c.imm = op == Opcode::V_CAST ? 2 : 2; // f32 to f16, or f32
  for (auto _ : state)
    execute(c, machine.core, machine.gm);
  state.SetItemsProcessed(state.iterations() * 255 * 64);
}
BENCHMARK_CAPTURE(BM_Vector, add, Opcode::V_ADD);
BENCHMARK_CAPTURE(BM_Vector, exp, Opcode::V_EXP);
BENCHMARK_CAPTURE(BM_Vector, cadd, Opcode::V_CADD);
BENCHMARK_CAPTURE(BM_Vector, cast, Opcode::V_CAST);

} // namespace
} // namespace dlsim::values
