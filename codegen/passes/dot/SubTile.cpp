#include "codegen/passes/dot/SubTile.h"

#include "codegen/support/SourceLine.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlsim::codegen {
namespace {

constexpr int64_t fractal = 16;      // rows of a fractal
constexpr int64_t fractalBytes = 32; // bytes of one of its rows
constexpr int64_t slots = 2;         // while the cube works on one part, MTE1 brings the next

int64_t roundUp(int64_t value, int64_t to) { return int64_t(llvm::alignTo(uint64_t(value), uint64_t(to))); }
int64_t roundDown(int64_t value, int64_t to) { return value / to * to; }

LogicalResult checkAccumulator(Operation* at, int64_t m, int64_t n, int64_t available) {
  int64_t rows = roundUp(m, fractal), cols = roundUp(n, fractal), bytes = rows * cols * 4;
  if (bytes <= available)
    return success();
  int64_t fewerRows = roundDown(available / (cols * 4), fractal),
          fewerCols = roundDown(available / (rows * 4), fractal);
  auto error = errorAt(at) << "the accumulator of a " << m << " x " << n << " tile needs " << bytes
                           << " bytes of L0C, the chip has " << available << "; it fits with ";
  if (fewerRows > 0)
    error << "M = " << fewerRows << (fewerCols > 0 ? " or " : "");
  if (fewerCols > 0)
    error << "N = " << fewerCols;
  return error;
}

LogicalResult checkL1(Operation* at, int64_t m, int64_t n, int64_t k, int64_t size, int64_t available) {
  int64_t unit = std::max(fractal, fractalBytes / size);
  int64_t mn = roundUp(m, unit) + roundUp(n, unit), bytes = mn * roundUp(k, unit) * size;
  if (bytes <= available)
    return success();
  auto error = errorAt(at) << "the operand tiles " << m << " x " << k << " and " << k << " x " << n
                           << " need " << bytes << " bytes of L1, the chip has " << available;
  if (int64_t fewer = roundDown(available / (mn * size), unit))
    error << "; they fit with K = " << fewer;
  return error;
}

} // namespace

LogicalResult checkTypes(tt::DotOp dot) {
  Type a = getElementTypeOrSelf(dot.getA().getType()), b = getElementTypeOrSelf(dot.getB().getType()),
       c = getElementTypeOrSelf(dot.getType());
  bool floats = (a.isF16() || a.isBF16() || a.isF32()) && c.isF32();
  if (a == b && (floats || (a.isInteger(8) && c.isInteger(32))))
    return success();
  return errorAt(dot) << "tt.dot of " << a << " and " << b << " into " << c
                      << " is not supported; the cube multiplies f16, bf16 and f32 into f32, and i8 into i32";
}

FailureOr<int64_t> chooseKStep(Operation* at, RankedTensorType a, RankedTensorType b, RankedTensorType c,
                               const TargetMemory& target) {
  if (a.getRank() != 2)
    return errorAt(at) << "tt.dot of rank " << a.getRank() << " is not supported; rank 2 is";
  int64_t m = a.getDimSize(0), k = a.getDimSize(1), n = b.getDimSize(1);
  int64_t size = a.getElementTypeBitWidth() / 8;
  if (failed(checkAccumulator(at, m, n, target.l0c.bytes)) ||
      failed(checkL1(at, m, n, k, size, target.l1.bytes)))
    return failure();
  int64_t unit = std::max(fractal, fractalBytes / size);
  int64_t stepA = roundDown(target.l0a.bytes / (slots * roundUp(m, fractal) * size), unit);
  int64_t stepB = roundDown(target.l0b.bytes / (slots * roundUp(n, fractal) * size), unit);
  if (stepA == 0 || stepB == 0) {
    bool aTooBig = stepA == 0;
    int64_t available = aTooBig ? target.l0a.bytes : target.l0b.bytes,
            limit = available / (slots * unit * size);
    return errorAt(at) << "two slots of " << (aTooBig ? m : n) << " x " << unit << " elements need "
                       << slots * (aTooBig ? m : n) * unit * size << " bytes of " << (aTooBig ? "L0A" : "L0B")
                       << ", the chip has " << available << "; it fits with " << (aTooBig ? "M = " : "N = ")
                       << limit;
  }
  int64_t largest = std::min({stepA, stepB, roundUp(k, unit)});
  return roundUp(int64_t(llvm::divideCeil(k, llvm::divideCeil(k, largest))), unit);
}

} // namespace dlsim::codegen
