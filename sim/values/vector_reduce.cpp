// Reductions. The tree is part of the ISA: level by level, element 2i with 2i + 1; an absent element leaves
// the other one as it is. f16 is reduced in f32 and rounded once.
#include "sim/values/fields.h"
#include "sim/values/parts.h"
#include "sim/values/vector.h"

#include <cstring>

namespace dlsim::values {

using isa::Opcode;

namespace {

enum class Kind : uint8_t { Sum, Max, Min };
enum class Span : uint8_t { Whole, Block, Pair };

float join(Kind kind, float a, float b) {
  switch (kind) {
  case Kind::Sum:
    return canonical(a + b);
  case Kind::Max:
    return maxF32(a, b);
  default:
    return minF32(a, b);
  }
}

// Reduces x[0..n) in place to x[0]; present[i] says whether element i takes part. False when none does.
bool reduceTree(Kind kind, float* x, bool* present, unsigned n) {
  for (; n > 1; n = (n + 1) / 2)
    for (unsigned i = 0; 2 * i < n; ++i) {
      unsigned a = 2 * i, b = 2 * i + 1;
      bool both = b < n && present[a] && present[b];
      float value = both ? join(kind, x[a], x[b]) : present[a] ? x[a] : b < n ? x[b] : 0.0f;
      bool any = present[a] || (b < n && present[b]);
      x[i] = value;
      present[i] = any;
    }
  return n == 1 && present[0];
}

struct Reduction {
  Kind kind;
  Span span;
  DType dtype;
  Side source;
  uint64_t target;
  uint64_t step; // Whole: bytes from one result to the next
};

void writeResult(core::CoreState& state, uint64_t address, float value, DType dtype) {
  if (dtype == DType::F32) {
    value = canonical(value);
    std::memcpy(onChip(state, core::Space::UB, address, 4), &value, 4);
    return;
  }
  uint16_t half = f32ToF16(value);
  std::memcpy(onChip(state, core::Space::UB, address, 2), &half, 2);
}

void run(const Reduction& v, const Walk& walk, core::CoreState& state) {
  unsigned lanes = walk.lanes(), size = v.source.size;
  unsigned group = v.span == Span::Whole ? lanes : v.span == Span::Block ? kBlockBytes / size : 2;
  walk.forEachRepeat([&](const Chunk& chunk) {
    float x[kRepeatBytes / 2];
    walk.loadFloat(v.source, v.dtype, chunk, x);
    for (unsigned first = 0; first < chunk.count; first += group) {
      unsigned n = std::min(group, chunk.count - first);
      bool present[kRepeatBytes / 2];
      for (unsigned i = 0; i < n; ++i)
        present[i] = walk.active(first + i);
      if (!reduceTree(v.kind, x + first, present, n))
        continue;
      uint64_t offset = v.span == Span::Whole ? chunk.repeat * v.step
                                              : (chunk.repeat * (lanes / group) + first / group) * size;
      writeResult(state, v.target + offset, x[first], v.dtype);
    }
  });
}

bool decode(Opcode op, Kind& kind, Span& span) {
  auto is = [&](Kind k, Span s) {
    kind = k;
    span = s;
    return true;
  };
  switch (op) {
  case Opcode::V_CADD:
    return is(Kind::Sum, Span::Whole);
  case Opcode::V_CMAX:
    return is(Kind::Max, Span::Whole);
  case Opcode::V_CMIN:
    return is(Kind::Min, Span::Whole);
  case Opcode::V_CGADD:
    return is(Kind::Sum, Span::Block);
  case Opcode::V_CGMAX:
    return is(Kind::Max, Span::Block);
  case Opcode::V_CGMIN:
    return is(Kind::Min, Span::Block);
  case Opcode::V_CPADD:
    return is(Kind::Sum, Span::Pair);
  default:
    return false;
  }
}

} // namespace

bool vectorReduce(const core::Command& c, core::CoreState& state) {
  Kind kind;
  Span span;
  if (!decode(c.op, kind, span))
    return false;
  DType dtype = dtypeField<fields::V_CADD::dtype>(c);
  if (dtype != DType::F16 && dtype != DType::F32)
    throwBadDType(isa::info(c.op).mnemonic.data(), dtype);
  unsigned size = isa::dtypeBytes(dtype);
  Strides s(c.r[2]);
  Reduction v{kind, span, dtype, Side(c.r[1], size, s, 1), c.r[0], uint64_t{s.repeat(0)} * size};
  Walk walk(state, kRepeatBytes / size, s.repeats());
  walk.source(v.source);
  run(v, walk, state);
  return true;
}

} // namespace dlsim::values
