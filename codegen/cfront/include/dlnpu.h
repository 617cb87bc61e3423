// Kernels in C for the DLNPU: one function per instruction, kernel markers, on-chip pointers.
//
//   #include <dlnpu.h>
//   __dl_kernel __dl_arg(x, tensor, f32) void copy(void) {
//     long x = __dl_arg_i64(0);
//     __dl_mte2_copy_ub(0, x, __dl_cfg32(1, 256), 256, 256, 0, 0);
//     ...
//   }
#pragma once

// Two calls that differ in an immediate are different instructions: the optimiser must not merge them.
#define __dl_command extern __attribute__((nomerge, nothrow))

/// The kernel's entry: takes no arguments, returns nothing.
#define __dl_kernel __attribute__((annotate("dlnpu.kernel"), used, noinline))
/// One argument of the kernel, in order: kind `tensor` or `scalar`, dtype as f16 bf16 f32 i8 i16 i32 i64 ...
#define __dl_arg(name, kind, dtype) __attribute__((annotate("dlnpu.arg=" #name ":" #kind ":" #dtype)))

/// Memory of the unified buffer (vector cores): `__ub float *p = (__ub float *)offset;`
#define __ub __attribute__((address_space(6)))

#include "dlnpu_commands.h"

// Without locations of its own, a helper counts as the kernel line that calls it.
#define __dl_inline static inline __attribute__((always_inline, nodebug))

enum __dl_unit { __dl_S, __dl_MTE1, __dl_MTE2, __dl_MTE3, __dl_FIX, __dl_M, __dl_V };
enum __dl_dtype {
  __dl_f16,
  __dl_bf16,
  __dl_f32,
  __dl_i8,
  __dl_i16,
  __dl_i32,
  __dl_hf32,
  __dl_u8,
  __dl_u16,
  __dl_u32,
  __dl_i64,
  __dl_u64
};

__dl_inline long __dl_core(void) { return __dl_sreg(0); }
__dl_inline long __dl_cores(void) { return __dl_sreg(1); }
__dl_inline long __dl_subcore(void) { return __dl_sreg(2); }
__dl_inline long __dl_subcores(void) { return __dl_sreg(5); }
/// Number of this core's group: one cube core and its vector cores.
__dl_inline long __dl_group(void) { return __dl_sreg(6); }
__dl_inline long __dl_cycle(void) { return __dl_sreg(4); }

/// Argument `index` of the block that the launcher fills: 8-byte slots, then grid x, y, z, workspace base and
/// stride.
__dl_inline long __dl_arg_i64(long index) { return ((const long*)__dl_sreg(3))[index]; }
__dl_inline float __dl_arg_f32(long index) { return *(const float*)((const long*)__dl_sreg(3) + index); }

/// Configuration words: fields from the low end.
__dl_inline long __dl_cfg32(long low, long high) { return (low & 0xffffffffl) | high << 32; }
__dl_inline long __dl_cfg16(long a, long b, long c, long d) {
  return (a & 0xffffl) | (b & 0xffffl) << 16 | (c & 0xffffl) << 32 | d << 48;
}
/// Strides word of a vector command: block strides, repeat strides (units of 32 bytes), repeats.
__dl_inline long __dl_strides(long dst_block, long src0_block, long src1_block, long dst_repeat,
                              long src0_repeat, long src1_repeat, long repeats) {
  return dst_block | src0_block << 8 | src1_block << 16 | dst_repeat << 24 | src0_repeat << 32 |
         src1_repeat << 40 | repeats << 48;
}
