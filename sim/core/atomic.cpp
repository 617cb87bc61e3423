#include "sim/core/atomic.h"

#include "sim/core/scalar.h"

#include <algorithm>

namespace dlsim::core {

namespace {

using isa::DType;
using isa::Opcode;

bool isFloat(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32; }
bool isUnsigned(DType dtype) {
  return dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64;
}

uint64_t scalar(Opcode op, uint64_t a, uint64_t b = 0) { return evaluateScalar(op, a, b, 0, 0); }

uint64_t toF32(DType dtype, uint64_t bits) {
  return dtype == DType::F16    ? scalar(Opcode::CVTSH, bits)
         : dtype == DType::BF16 ? scalar(Opcode::CVTSB, bits)
                                : bits;
}

uint64_t fromF32(DType dtype, uint64_t bits) {
  return dtype == DType::F16    ? scalar(Opcode::CVTHS, bits)
         : dtype == DType::BF16 ? scalar(Opcode::CVTBS, bits)
                                : bits;
}

std::optional<uint64_t> updatedFloat(AtomicOp op, DType dtype, uint64_t before, uint64_t operand) {
  Opcode by;
  switch (op) {
  case AtomicOp::Add:
    by = Opcode::FADD;
    break;
  case AtomicOp::Max:
    by = Opcode::FMAX;
    break;
  case AtomicOp::Min:
    by = Opcode::FMIN;
    break;
  case AtomicOp::Exchange:
    return operand;
  default:
    return std::nullopt;
  }
  return fromF32(dtype, scalar(by, toF32(dtype, before), toF32(dtype, operand)));
}

} // namespace

uint64_t extended(DType dtype, uint64_t bits) {
  const unsigned unused = 64 - 8 * isa::dtypeBytes(dtype);
  const uint64_t left = bits << unused;
  return isFloat(dtype) ? left >> unused : static_cast<uint64_t>(static_cast<int64_t>(left) >> unused);
}

std::optional<uint64_t> updated(AtomicOp op, DType dtype, uint64_t before, uint64_t operand) {
  if (isFloat(dtype))
    return updatedFloat(op, dtype, before, operand);
  // Sign extension keeps the order of unsigned numbers.
  const uint64_t a = extended(dtype, before), b = extended(dtype, operand);
  switch (op) {
  case AtomicOp::Add:
    return a + b;
  case AtomicOp::Max:
    return scalar(isUnsigned(dtype) ? Opcode::MAXU : Opcode::MAX, a, b);
  case AtomicOp::Min:
    return scalar(isUnsigned(dtype) ? Opcode::MINU : Opcode::MIN, a, b);
  case AtomicOp::And:
    return a & b;
  case AtomicOp::Or:
    return a | b;
  case AtomicOp::Xor:
    return a ^ b;
  case AtomicOp::Exchange:
    return b;
  }
  return std::nullopt;
}

} // namespace dlsim::core
