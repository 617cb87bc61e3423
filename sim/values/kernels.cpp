#include "sim/values/kernels.h"

#include "sim/values/number.h"

#include <cstring>
#include <initializer_list>

// Wide vectors pass through functions of one file only, all inlined: no ABI is involved.
#pragma clang diagnostic ignored "-Wpsabi"

// Every instruction set is compiled from the same text; the pragma gives the functions in between a target
// attribute, so that no header's inline function is compiled for a wider host than the one that runs.
namespace dlsim::values {

namespace portable {
#define VL 4
#define ROWS 2
#define FMA 0
#define F16C 0
#include "sim/values/kernels.inc"
#undef VL
#undef ROWS
#undef FMA
#undef F16C
} // namespace portable

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
namespace avx2 {
#define VL 8
#define ROWS 4
#define FMA 1
#define F16C 1
#include "sim/values/kernels.inc"
#undef VL
#undef ROWS
} // namespace avx2
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma,f16c"))),         \
                             apply_to = function)
namespace avx512 {
#define VL 16
#define ROWS 8
#include "sim/values/kernels.inc"
#undef VL
#undef ROWS
#undef FMA
#undef F16C
} // namespace avx512
#pragma clang attribute pop
#endif

const char* nameOf(Simd simd) {
  static constexpr const char* names[kSimds] = {"portable", "avx2", "avx512"};
  return names[static_cast<unsigned>(simd)];
}

bool supported(Simd simd) {
#if defined(__x86_64__)
  if (simd == Simd::Avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  if (simd == Simd::Avx512)
    return supported(Simd::Avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
  return simd == Simd::Portable;
}

const Kernels& kernels(Simd simd) {
#if defined(__x86_64__)
  if (simd == Simd::Avx2)
    return avx2::table;
  if (simd == Simd::Avx512)
    return avx512::table;
#endif
  return portable::table;
}

const Kernels& kernels() {
  static const Kernels& best = [&]() -> const Kernels& {
    for (Simd simd : {Simd::Avx512, Simd::Avx2})
      if (supported(simd))
        return kernels(simd);
    return kernels(Simd::Portable);
  }();
  return best;
}

void f16ToF32(const uint16_t* source, float* target, size_t count) {
  kernels().f16ToF32(source, target, count);
}
void f32ToF16(const float* source, uint16_t* target, size_t count) {
  kernels().f32ToF16(source, target, count);
}
void bf16ToF32(const uint16_t* source, float* target, size_t count) {
  for (size_t i = 0; i < count; ++i)
    target[i] = bf16ToF32(source[i]);
}
void f32ToBf16(const float* source, uint16_t* target, size_t count) {
  for (size_t i = 0; i < count; ++i)
    target[i] = f32ToBf16(source[i]);
}

} // namespace dlsim::values
