// The inner loops that are worth the host's vector instructions. There is one source (kernels.inc), compiled
// for three instruction sets and chosen at run time; all three give the same bits, because they differ only
// in how many independent lanes run at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlsim::values {

enum class Simd : uint8_t { Portable, Avx2, Avx512 };
inline constexpr unsigned kSimds = 3;
const char* nameOf(Simd simd);

// A panel holds 16 rows (of A) or columns (of B) side by side: element (k, lane) at k * 16 + lane.
struct Kernels {
  // C block of 16-column pieces: row r, piece j at c + j * cStride + r * 16; b piece j at b + j * bStride.
  // Each element is one chain over ascending k; NaNs are made canonical at the end.
  using GemmF32 = void (*)(const float* a, const float* b, size_t bStride, size_t k, float* c,
                           size_t cStride);
  // a and b hold pairs of sign-extended i8 (k even in the low half), k counts pairs.
  using GemmI32 = void (*)(const uint32_t* a, const uint32_t* b, size_t bStride, size_t k, uint32_t* c,
                           size_t cStride);
  unsigned rows;          // rows that one call of a gemm handles; divides 16
  GemmF32 gemmExact[2];   // 1 and 2 pieces; products must be exact in f32 (f16 inputs)
  GemmF32 gemmRounded[2]; // product rounded, then sum rounded
  GemmI32 gemmI8[2];      // wraps
  void (*transpose16)(const uint8_t* source, size_t sourceStride, uint8_t* target, size_t targetStride);
  void (*packF16)(const uint8_t* fractal, float* panel);   // 16 lanes x 16 k
  void (*packBf16)(const uint8_t* fractal, float* panel);  // 16 lanes x 16 k
  void (*packF32)(const uint8_t* fractal, float* panel);   // 16 lanes x 8 k
  void (*packHf32)(const uint8_t* fractal, float* panel);  // 16 lanes x 8 k, rounded to 11 bits
  void (*packI8)(const uint8_t* fractal, uint32_t* panel); // 16 lanes x 32 k, as 16 pairs
  void (*f16ToF32)(const uint16_t* source, float* target, size_t count);
  void (*f32ToF16)(const float* source, uint16_t* target, size_t count);
};

bool supported(Simd simd);         // by this host
const Kernels& kernels(Simd simd); // simd must be supported
const Kernels& kernels();          // the widest supported one

} // namespace dlsim::values
