// Comparison, selection and data movement inside UB.
#include "sim/values/fields.h"
#include "sim/values/parts.h"
#include "sim/values/vector.h"

#include <algorithm>
#include <cstring>

namespace dlsim::values {

using core::Space;
using isa::Opcode;

namespace {

unsigned plainSize(const core::Command& c, DType dtype) {
  unsigned size = isa::dtypeBytes(dtype);
  if (size != 2 && size != 4)
    throwBadDType(isa::info(c.op).mnemonic.data(), dtype);
  return size;
}

enum Compare : uint32_t { Lt, Gt, Le, Ge, Eq, Ne };

template <class T> void compareAll(uint32_t op, const T* a, const T* b, uint8_t* bits, unsigned n) {
  auto each = [&](auto f) {
    for (unsigned i = 0; i < n; ++i)
      bits[i] = f(a[i], b[i]);
  };
  switch (op) {
  case Lt:
    return each([](T x, T y) { return x < y; });
  case Gt:
    return each([](T x, T y) { return x > y; });
  case Le:
    return each([](T x, T y) { return x <= y; });
  case Ge:
    return each([](T x, T y) { return x >= y; });
  case Eq:
    return each([](T x, T y) { return x == y; });
  default:
    return each([](T x, T y) { return x != y; });
  }
}

void compare(const core::Command& c, core::CoreState& state, bool scalar) {
  using F = fields::V_CMP;
  DType dtype = dtypeField<F::dtype>(c);
  uint32_t op = immField<F::op>(c);
  if (dtype != DType::F16 && dtype != DType::F32 && dtype != DType::I32)
    throwBadDType("v.cmp", dtype);
  if (op > Ne || (dtype == DType::I32 && op != Eq))
    throwBadOperand("v.cmp with operation " + std::to_string(op) + " on " +
                    std::string(isa::dtypeName(dtype)));
  unsigned size = isa::dtypeBytes(dtype);
  Strides s(c.r[3]);
  Side first(c.r[1], size, s, 1), second(c.r[2], size, s, 2);
  Walk walk(state, kRepeatBytes / size, s.repeats());
  walk.targetBits(c.r[0]);
  walk.source(first);
  if (!scalar)
    walk.source(second);
  auto run = [&](auto load, auto* a, auto* b) {
    walk.forEach([&](const Chunk& chunk) {
      uint8_t bits[kChunk];
      load(first, chunk, a);
      if (!scalar)
        load(second, chunk, b);
      compareAll(op, a, b, bits, chunk.count);
      walk.storeBits(c.r[0], chunk, bits);
    });
  };
  if (dtype == DType::I32) {
    int32_t a[kChunk], b[kChunk];
    std::fill(b, b + kChunk, static_cast<int32_t>(c.r[2]));
    run([&](const Side& side, const Chunk& chunk, int32_t* out) { walk.load(side, chunk, out); }, a, b);
    return;
  }
  float a[kChunk], b[kChunk];
  std::fill(b, b + kChunk,
            size == 2 ? f16ToF32(static_cast<uint16_t>(c.r[2]))
                      : bitCast<float>(static_cast<uint32_t>(c.r[2])));
  run([&](const Side& side, const Chunk& chunk, float* out) { walk.loadFloat(side, dtype, chunk, out); }, a,
      b);
}

template <class T> void selectAs(const core::Command& c, core::CoreState& state) {
  using F = fields::V_SEL;
  bool scalar = immField<F::scalar>(c);
  uint64_t mask = c.r[4];
  Strides s(c.r[3]);
  Side target(c.r[0], sizeof(T), s, 0), first(c.r[1], sizeof(T), s, 1), second(c.r[2], sizeof(T), s, 2);
  Walk walk(state, kRepeatBytes / sizeof(T), s.repeats());
  walk.target(target);
  walk.source(first);
  if (!scalar)
    walk.source(second);
  walk.sourceBits(mask);
  T a[kChunk], b[kChunk];
  std::fill(b, b + kChunk, static_cast<T>(c.r[2]));
  walk.forEach([&](const Chunk& chunk) {
    uint8_t bits[kChunk];
    walk.load(first, chunk, a);
    if (!scalar)
      walk.load(second, chunk, b);
    walk.loadBits(mask, chunk, bits);
    for (unsigned i = 0; i < chunk.count; ++i)
      a[i] = bits[i] ? a[i] : b[i];
    walk.store(target, chunk, a);
  });
}

void copyAll(const core::Command& c, core::CoreState& state) {
  unsigned size = plainSize(c, dtypeField<fields::V_COPY::dtype>(c));
  Strides s(c.r[2]);
  Side target(c.r[0], size, s, 0), source(c.r[1], size, s, 1);
  Walk walk(state, kRepeatBytes / size, s.repeats());
  walk.target(target);
  walk.source(source);
  walk.forEach([&](const Chunk& chunk) {
    uint32_t raw[kChunk];
    walk.load(source, chunk, raw);
    walk.store(target, chunk, raw);
  });
}

template <class T> void duplicate(const core::Command& c, core::CoreState& state) {
  Strides s(c.r[2]);
  Side target(c.r[0], sizeof(T), s, 0);
  Walk walk(state, kRepeatBytes / sizeof(T), s.repeats());
  walk.target(target);
  T value[kChunk];
  std::fill(value, value + kChunk, static_cast<T>(c.r[1]));
  walk.forEach([&](const Chunk& chunk) { walk.store(target, chunk, value); });
}

void iota(const core::Command& c, core::CoreState& state) {
  DType dtype = dtypeField<fields::V_IOTA::dtype>(c);
  if (dtype != DType::I32 && dtype != DType::F32)
    throwBadDType("v.iota", dtype);
  Strides s(c.r[3]);
  Side target(c.r[0], 4, s, 0);
  Walk walk(state, kRepeatBytes / 4, s.repeats());
  walk.target(target);
  uint32_t start = static_cast<uint32_t>(c.r[1]), step = static_cast<uint32_t>(c.r[2]);
  walk.forEach([&](const Chunk& chunk) {
    uint32_t out[kChunk];
    for (unsigned i = 0; i < chunk.count; ++i) {
      uint32_t n = static_cast<uint32_t>(chunk.first + i);
      if (dtype == DType::I32) {
        out[i] = start + step * n;
        continue;
      }
      float product = bitCast<float>(step) * static_cast<float>(n);
      out[i] = bitCast<uint32_t>(canonical(bitCast<float>(start) + product));
    }
    walk.store(target, chunk, out);
  });
}

void gather(const core::Command& c, core::CoreState& state) {
  unsigned size = plainSize(c, dtypeField<fields::V_GATHER::dtype>(c));
  constexpr unsigned kLanes = kRepeatBytes / 4; // the offsets are the wider side
  auto contiguous = [&](uint64_t base, unsigned bytes) {
    uint64_t repeat = kLanes * bytes / kBlockBytes;
    return Side(base, bytes, Strides(1 | repeat << 24), 0);
  };
  Side target = contiguous(c.r[0], size), offsets = contiguous(c.r[2], 4);
  Walk walk(state, kLanes, Strides(c.r[3]).repeats());
  walk.target(target);
  walk.source(offsets);
  walk.forEachRepeat([&](const Chunk& chunk) {
    uint32_t offset[kLanes];
    uint8_t out[kLanes * 4] = {};
    walk.load(offsets, chunk, offset);
    for (unsigned i = 0; i < chunk.count; ++i)
      if (walk.active(i))
        std::memcpy(out + i * size, onChip(state, Space::UB, c.r[1] + offset[i], size), size);
    walk.store(target, chunk, out);
  });
}

// The lane state does not apply to the two below.
void broadcastBlocks(const core::Command& c, core::CoreState& state) {
  unsigned size = plainSize(c, dtypeField<fields::V_BRCB::dtype>(c));
  Strides s(c.r[2]);
  Side target(c.r[0], size, s, 0);
  unsigned perBlock = kBlockBytes / size;
  for (unsigned r = 0; r < s.repeats(); ++r) {
    uint8_t elements[8 * 4];
    std::memcpy(elements, onChip(state, Space::UB, c.r[1] + uint64_t{r} * 8 * size, 8 * size), 8 * size);
    for (unsigned j = 0; j < 8; ++j) {
      uint8_t* out = onChip(state, Space::UB, target.base + target.offset(r, j * perBlock), kBlockBytes);
      for (unsigned i = 0; i < perBlock; ++i)
        std::memcpy(out + i * size, elements + j * size, size);
    }
  }
}

void transposeTile(const core::Command& c, core::CoreState& state) {
  if (isa::dtypeBytes(dtypeField<fields::V_TRANS::dtype>(c)) != 2)
    throwBadDType("v.trans", dtypeField<fields::V_TRANS::dtype>(c));
  Strides s(c.r[2]);
  for (unsigned r = 0; r < s.repeats(); ++r) {
    uint16_t tile[16][16];
    auto at = [&](uint64_t base, unsigned side, unsigned row) {
      return onChip(state, Space::UB,
                    base + (uint64_t{r} * s.repeat(side) + uint64_t{row} * s.block(side)) * kBlockBytes,
                    kBlockBytes);
    };
    for (unsigned j = 0; j < 16; ++j)
      std::memcpy(tile[j], at(c.r[1], 1, j), kBlockBytes);
    for (unsigned i = 0; i < 16; ++i) {
      uint16_t row[16];
      for (unsigned j = 0; j < 16; ++j)
        row[j] = tile[j][i];
      std::memcpy(at(c.r[0], 0, i), row, kBlockBytes);
    }
  }
}

} // namespace

bool vectorMove(const core::Command& c, core::CoreState& state) {
  switch (c.op) {
  case Opcode::V_CMP:
    compare(c, state, false);
    return true;
  case Opcode::V_CMPS:
    compare(c, state, true);
    return true;
  case Opcode::V_SEL:
    plainSize(c, dtypeField<fields::V_SEL::dtype>(c)) == 2 ? selectAs<uint16_t>(c, state)
                                                           : selectAs<uint32_t>(c, state);
    return true;
  case Opcode::V_COPY:
    copyAll(c, state);
    return true;
  case Opcode::V_DUP:
    plainSize(c, dtypeField<fields::V_DUP::dtype>(c)) == 2 ? duplicate<uint16_t>(c, state)
                                                           : duplicate<uint32_t>(c, state);
    return true;
  case Opcode::V_IOTA:
    iota(c, state);
    return true;
  case Opcode::V_GATHER:
    gather(c, state);
    return true;
  case Opcode::V_BRCB:
    broadcastBlocks(c, state);
    return true;
  case Opcode::V_TRANS:
    transposeTile(c, state);
    return true;
  default:
    return false;
  }
}

} // namespace dlsim::values
