// Element-wise arithmetic: float dtypes in f32 with one rounding to the dtype, integers wrapping.
#include "sim/values/fields.h"
#include "sim/values/parts.h"
#include "sim/values/vector.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

namespace dlsim::values {

using isa::Opcode;

namespace {

enum class Fn : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  And,
  Or,
  Xor,
  Mla,
  Shl,
  Shr,
  Abs,
  Exp,
  Ln,
  Sqrt,
  Rsqrt,
  Rec,
  Relu,
  Not
};
enum class Form : uint8_t { Binary, Scalar, Unary };
struct Operation {
  Fn fn;
  Form form;
};

std::optional<Operation> operation(Opcode op) {
  switch (op) {
  case Opcode::V_ADD:
    return Operation{Fn::Add, Form::Binary};
  case Opcode::V_SUB:
    return Operation{Fn::Sub, Form::Binary};
  case Opcode::V_MUL:
    return Operation{Fn::Mul, Form::Binary};
  case Opcode::V_DIV:
    return Operation{Fn::Div, Form::Binary};
  case Opcode::V_MAX:
    return Operation{Fn::Max, Form::Binary};
  case Opcode::V_MIN:
    return Operation{Fn::Min, Form::Binary};
  case Opcode::V_AND:
    return Operation{Fn::And, Form::Binary};
  case Opcode::V_OR:
    return Operation{Fn::Or, Form::Binary};
  case Opcode::V_XOR:
    return Operation{Fn::Xor, Form::Binary};
  case Opcode::V_MLA:
    return Operation{Fn::Mla, Form::Binary};
  case Opcode::V_ADDS:
    return Operation{Fn::Add, Form::Scalar};
  case Opcode::V_MULS:
    return Operation{Fn::Mul, Form::Scalar};
  case Opcode::V_MAXS:
    return Operation{Fn::Max, Form::Scalar};
  case Opcode::V_MINS:
    return Operation{Fn::Min, Form::Scalar};
  case Opcode::V_SHLS:
    return Operation{Fn::Shl, Form::Scalar};
  case Opcode::V_SHRS:
    return Operation{Fn::Shr, Form::Scalar};
  case Opcode::V_AXPY:
    return Operation{Fn::Mla, Form::Scalar};
  case Opcode::V_ABS:
    return Operation{Fn::Abs, Form::Unary};
  case Opcode::V_EXP:
    return Operation{Fn::Exp, Form::Unary};
  case Opcode::V_LN:
    return Operation{Fn::Ln, Form::Unary};
  case Opcode::V_SQRT:
    return Operation{Fn::Sqrt, Form::Unary};
  case Opcode::V_RSQRT:
    return Operation{Fn::Rsqrt, Form::Unary};
  case Opcode::V_REC:
    return Operation{Fn::Rec, Form::Unary};
  case Opcode::V_RELU:
    return Operation{Fn::Relu, Form::Unary};
  case Opcode::V_NOT:
    return Operation{Fn::Not, Form::Unary};
  default:
    return std::nullopt;
  }
}

constexpr unsigned bit(DType t) { return 1u << static_cast<unsigned>(t); }

// The dtypes that the instruction's description lists.
unsigned allowed(Fn fn) {
  constexpr unsigned floats = bit(DType::F16) | bit(DType::F32);
  constexpr unsigned ints = bit(DType::I16) | bit(DType::I32);
  switch (fn) {
  case Fn::Add:
  case Fn::Sub:
  case Fn::Mul:
  case Fn::Max:
  case Fn::Min:
    return floats | ints;
  case Fn::And:
  case Fn::Or:
  case Fn::Xor:
  case Fn::Not:
    return bit(DType::I16) | bit(DType::U16);
  case Fn::Shl:
  case Fn::Shr:
    return ints | bit(DType::U16) | bit(DType::U32);
  case Fn::Relu:
    return floats | bit(DType::I32);
  default:
    return floats;
  }
}

template <class F> void each(unsigned n, float* d, F f) {
  for (unsigned i = 0; i < n; ++i)
    d[i] = canonical(f(i));
}

// d holds the target's old value where the operation reads it.
void compute(Fn fn, const float* a, const float* b, float* d, unsigned n) {
  switch (fn) {
  case Fn::Add:
    return each(n, d, [=](unsigned i) { return a[i] + b[i]; });
  case Fn::Sub:
    return each(n, d, [=](unsigned i) { return a[i] - b[i]; });
  case Fn::Mul:
    return each(n, d, [=](unsigned i) { return a[i] * b[i]; });
  case Fn::Div:
    return each(n, d, [=](unsigned i) { return a[i] / b[i]; });
  case Fn::Max:
    return each(n, d, [=](unsigned i) { return maxF32(a[i], b[i]); });
  case Fn::Min:
    return each(n, d, [=](unsigned i) { return minF32(a[i], b[i]); });
  case Fn::Mla:
    return each(n, d, [=](unsigned i) { return d[i] + a[i] * b[i]; });
  case Fn::Abs:
    return each(n, d, [=](unsigned i) { return bitCast<float>(bitCast<uint32_t>(a[i]) & 0x7fffffffu); });
  case Fn::Exp:
    return each(n, d, [=](unsigned i) { return expF32(a[i]); });
  case Fn::Ln:
    return each(n, d, [=](unsigned i) { return lnF32(a[i]); });
  case Fn::Sqrt:
    return each(n, d, [=](unsigned i) { return std::sqrt(a[i]); });
  case Fn::Rsqrt:
    return each(n, d, [=](unsigned i) { return 1.0f / std::sqrt(a[i]); });
  case Fn::Rec:
    return each(n, d, [=](unsigned i) { return 1.0f / a[i]; });
  case Fn::Relu:
    return each(n, d, [=](unsigned i) { return maxF32(a[i], 0.0f); });
  default:
    throwBadOperand("bitwise operation on a float dtype");
  }
}

// The product of two rounded-first multiply-adds of f16 is rounded to f16's own precision only at the end:
// the whole operation is in f32.
template <class T> void compute(Fn fn, const T* a, const T* b, T* d, unsigned n) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned kBits = 8 * sizeof(T);
  auto wrap = [&](auto f) {
    for (unsigned i = 0; i < n; ++i)
      d[i] = static_cast<T>(f(static_cast<uint32_t>(a[i]), static_cast<uint32_t>(b[i])));
  };
  switch (fn) {
  case Fn::Add:
    return wrap([](uint32_t x, uint32_t y) { return x + y; });
  case Fn::Sub:
    return wrap([](uint32_t x, uint32_t y) { return x - y; });
  case Fn::Mul:
    return wrap([](uint32_t x, uint32_t y) { return x * y; });
  case Fn::And:
    return wrap([](uint32_t x, uint32_t y) { return x & y; });
  case Fn::Or:
    return wrap([](uint32_t x, uint32_t y) { return x | y; });
  case Fn::Xor:
    return wrap([](uint32_t x, uint32_t y) { return x ^ y; });
  case Fn::Not:
    return wrap([](uint32_t x, uint32_t) { return ~x; });
  case Fn::Max:
    for (unsigned i = 0; i < n; ++i)
      d[i] = std::max(a[i], b[i]);
    return;
  case Fn::Min:
    for (unsigned i = 0; i < n; ++i)
      d[i] = std::min(a[i], b[i]);
    return;
  case Fn::Relu:
    for (unsigned i = 0; i < n; ++i)
      d[i] = std::max<T>(a[i], 0);
    return;
  case Fn::Shl: // an amount of the width or more shifts everything out
    for (unsigned i = 0; i < n; ++i)
      d[i] = static_cast<U>(b[i]) >= kBits ? 0 : static_cast<T>(static_cast<uint32_t>(a[i]) << b[i]);
    return;
  case Fn::Shr:
    for (unsigned i = 0; i < n; ++i)
      d[i] = static_cast<U>(b[i]) >= kBits ? static_cast<T>(a[i] < 0 ? -1 : 0) : static_cast<T>(a[i] >> b[i]);
    return;
  default:
    throwBadOperand("float operation on an integer dtype");
  }
}

struct Command {
  Operation op;
  DType dtype;
  Side target, first, second;
  uint64_t scalar;
};

void runFloat(const Command& v, const Walk& walk) {
  float a[kChunk], b[kChunk], d[kChunk];
  if (v.op.form == Form::Scalar) {
    float value = v.dtype == DType::F16 ? f16ToF32(static_cast<uint16_t>(v.scalar))
                                        : bitCast<float>(static_cast<uint32_t>(v.scalar));
    std::fill(b, b + kChunk, value);
  }
  walk.forEach([&](const Chunk& chunk) {
    walk.loadFloat(v.first, v.dtype, chunk, a);
    if (v.op.form == Form::Binary)
      walk.loadFloat(v.second, v.dtype, chunk, b);
    if (v.op.fn == Fn::Mla)
      walk.loadFloat(v.target, v.dtype, chunk, d);
    compute(v.op.fn, a, b, d, chunk.count);
    walk.storeFloat(v.target, v.dtype, chunk, d);
  });
}

template <class T> void runInt(const Command& v, const Walk& walk) {
  T a[kChunk], b[kChunk] = {}, d[kChunk];
  if (v.op.form == Form::Scalar) {
    bool shift = v.op.fn == Fn::Shl || v.op.fn == Fn::Shr;
    uint64_t value = shift ? std::min<uint64_t>(v.scalar, 64) : v.scalar;
    std::fill(b, b + kChunk, static_cast<T>(value));
  }
  walk.forEach([&](const Chunk& chunk) {
    walk.load(v.first, chunk, a);
    if (v.op.form == Form::Binary)
      walk.load(v.second, chunk, b);
    compute<T>(v.op.fn, a, b, d, chunk.count);
    walk.store(v.target, chunk, d);
  });
}

} // namespace

bool vectorElementwise(const core::Command& c, core::CoreState& state) {
  std::optional<Operation> op = operation(c.op);
  if (!op)
    return false;
  DType dtype = dtypeField<fields::V_ADD::dtype>(c);
  if (!(allowed(op->fn) & bit(dtype)))
    throwBadDType(isa::info(c.op).mnemonic.data(), dtype);
  unsigned size = isa::dtypeBytes(dtype);
  Strides s(c.r[op->form == Form::Unary ? 2 : 3]);
  Command v{*op, dtype, Side(c.r[0], size, s, 0), Side(c.r[1], size, s, 1), Side(c.r[2], size, s, 2), c.r[2]};
  Walk walk(state, kRepeatBytes / size, s.repeats());
  walk.target(v.target);
  walk.source(v.first);
  if (op->form == Form::Binary)
    walk.source(v.second);
  switch (dtype) {
  case DType::I16:
    runInt<int16_t>(v, walk);
    break;
  case DType::U16:
    runInt<uint16_t>(v, walk);
    break;
  case DType::I32:
    runInt<int32_t>(v, walk);
    break;
  case DType::U32:
    runInt<uint32_t>(v, walk);
    break;
  default:
    runFloat(v, walk);
    break;
  }
  return true;
}

} // namespace dlsim::values
