// A core's memories, a piece of global memory and a short way to write commands.
#pragma once

#include "sim/memory/global_memory.h"
#include "sim/values/execute.h"
#include "sim/values/fields.h"
#include "sim/values/number.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace dlsim::values::test {

struct Rig {
  core::CoreState core;
  sim::GlobalMemory gm;
  uint64_t base;

  explicit Rig(uint64_t gmBytes = 1 << 20) {
    core.l1.assign(512 << 10, 0xee);
    core.l0a.assign(64 << 10, 0xee);
    core.l0b.assign(64 << 10, 0xee);
    core.l0c.assign(128 << 10, 0xee);
    core.ub.assign(192 << 10, 0xee);
    core.bt.assign(1024, 0xee);
    core.fb.assign(2048, 0xee);
    base = gm.allocate(gmBytes, "tensor");
  }

  void run(isa::Opcode op, std::initializer_list<uint64_t> r, uint32_t imm = 0) {
    core::Command c;
    c.op = op;
    std::copy(r.begin(), r.end(), c.r.begin());
    c.imm = imm;
    execute(c, core, gm);
  }

  template <class T> T at(core::Space space, uint64_t address) {
    T value;
    std::memcpy(&value, core.memory(space).data() + address, sizeof value);
    return value;
  }
  template <class T> void put(core::Space space, uint64_t address, T value) {
    std::memcpy(core.memory(space).data() + address, &value, sizeof value);
  }
  template <class T> void putAll(core::Space space, uint64_t address, const std::vector<T>& values) {
    std::memcpy(core.memory(space).data() + address, values.data(), values.size() * sizeof(T));
  }
  template <class T> std::vector<T> all(core::Space space, uint64_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), core.memory(space).data() + address, count * sizeof(T));
    return values;
  }
  // Random bytes in every memory and in global memory.
  void randomise(unsigned seed) {
    std::mt19937 random(seed);
    for (auto* memory : {&core.l1, &core.l0a, &core.l0b, &core.l0c, &core.ub, &core.bt, &core.fb})
      for (uint8_t& byte : *memory)
        byte = static_cast<uint8_t>(random());
  }
};

// Strides word of a vector command.
inline uint64_t strides(unsigned repeats, unsigned dstBlock = 1, unsigned src0Block = 1,
                        unsigned src1Block = 1, unsigned dstRepeat = 8, unsigned src0Repeat = 8,
                        unsigned src1Repeat = 8) {
  return dstBlock | src0Block << 8 | src1Block << 16 | uint64_t{dstRepeat} << 24 |
         uint64_t{src0Repeat} << 32 | uint64_t{src1Repeat} << 40 | uint64_t{repeats} << 48;
}

inline constexpr uint32_t kF16 = 0, kBF16 = 1, kF32 = 2, kI8 = 3, kI16 = 4, kI32 = 5, kHF32 = 6, kU8 = 7,
                          kU16 = 8, kU32 = 9, kI64 = 10;

inline uint64_t bitsOf(float x) { return bitCast<uint32_t>(x); }

} // namespace dlsim::values::test
