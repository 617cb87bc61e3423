// `iterations` times one vector instruction of `repeats` repeats with the operands at the given places of UB.
// OP names the instruction (add, max, exp, ...), KIND its operands: 1 one source, 2 two, 3 one and a scalar.
#include <dlnpu.h>

#ifndef DTYPE
#define DTYPE __dl_f32
#endif
#define PASTE(a, b) a##b
#define NAME(op) PASTE(__dl_v_, op)

__dl_kernel __dl_arg(iterations, scalar, i64) __dl_arg(dst, scalar, i64) __dl_arg(src0, scalar, i64)
    __dl_arg(src1, scalar, i64) __dl_arg(strides, scalar, i64) void vector_loop(void) {
  const long iterations = __dl_arg_i64(0), dst = __dl_arg_i64(1), src0 = __dl_arg_i64(2),
             src1 = __dl_arg_i64(3);
  const long strides = __dl_arg_i64(4);
  for (long i = 0; i < iterations; ++i) {
#if KIND == 1
    NAME(OP)(dst, src0, strides, DTYPE);
#else
    NAME(OP)(dst, src0, src1, strides, DTYPE);
#endif
#ifdef BARRIER
    __dl_barrier_v();
#endif
  }
  __dl_barrier_all();
}
