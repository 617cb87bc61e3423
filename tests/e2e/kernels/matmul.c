// C = A * B, f16, row-major, M, N, K multiples of 128, 256, 64. Double-buffered in L1 and L0.
#include <dlnpu.h>

enum { BM = 128, BN = 256, BK = 64, A_BYTES = BM * BK * 2, B_BYTES = BK * BN * 2 };

static inline __attribute__((always_inline)) void load(long a, long b, long k, long strideA, long strideB, long slot) {
  long l1a = slot * A_BYTES, l1b = 2 * A_BYTES + slot * B_BYTES;
  __dl_wait_flag_mte2(__dl_MTE1, 0);
  __dl_mte2_nd2nz_l1(l1a, a + k * 2, __dl_cfg32(BM, BK), strideA, BM * 32, __dl_f16);
  __dl_mte2_nd2nz_l1(l1b, b + k * strideB, __dl_cfg32(BK, BN), strideB, BK * 32, __dl_f16);
  __dl_set_flag_mte2(__dl_MTE1, 0);
}

static inline __attribute__((always_inline)) void multiply(long first, long slot) {
  long l1a = slot * A_BYTES, l1b = 2 * A_BYTES + slot * B_BYTES, l0a = slot * A_BYTES, l0b = slot * B_BYTES;
  __dl_wait_flag_mte1(__dl_MTE2, 0);
  __dl_wait_flag_mte1(__dl_M, 0);
  __dl_mte1_load_l0a(l0a, l1a, __dl_cfg16(BM / 16, BK / 16, 0, 0), BM * 32, __dl_f16);
  __dl_mte1_load_l0b(l0b, l1b, __dl_cfg16(BK / 16, BN / 16, 0, 0), BK * 32, __dl_f16 | 1 << 4);
  __dl_set_flag_mte1(__dl_MTE2, 0);
  __dl_set_flag_mte1(__dl_M, 0);
  __dl_wait_flag_m(__dl_MTE1, 0);
  __dl_m_mmad(0, l0a, l0b, __dl_cfg16(BM, BK, BN, 0), first, 0, __dl_f16);
  __dl_set_flag_m(__dl_MTE1, 0);
}

__dl_kernel __dl_arg(a_ptr, tensor, f16) __dl_arg(b_ptr, tensor, f16) __dl_arg(c_ptr, tensor, f16)
__dl_arg(M, scalar, i32) __dl_arg(N, scalar, i32) __dl_arg(K, scalar, i32)
void matmul_kernel(void) {
  long a = __dl_arg_i64(0), b = __dl_arg_i64(1), c = __dl_arg_i64(2);
  long m = __dl_arg_i64(3), n = __dl_arg_i64(4), k = __dl_arg_i64(5);
  long columns = n / BN, tiles = m / BM * columns, slot = 0;
  __dl_set_flag_mte1(__dl_MTE2, 0);
  __dl_set_flag_mte1(__dl_MTE2, 0);
  __dl_set_flag_m(__dl_MTE1, 0);
  __dl_set_flag_m(__dl_MTE1, 0);
  __dl_set_flag_fix(__dl_M, 0);
  for (long tile = __dl_core(); tile < tiles; tile += __dl_cores()) {
    long row = tile / columns * BM, column = tile % columns * BN;
    __dl_wait_flag_m(__dl_FIX, 0);
    for (long i = 0; i < k; i += BK) {
      load(a + row * k * 2, b + column * 2, i, k * 2, n * 2, slot);
      multiply(i == 0, slot);
      slot ^= 1;
    }
    __dl_set_flag_m(__dl_FIX, 0);
    __dl_wait_flag_fix(__dl_M, 0);
    __dl_fix_copy_gm(c + (row * n + column) * 2, 0, __dl_cfg32(BM, BN), n * 2, BM * 64, 0, __dl_f16);
    __dl_set_flag_fix(__dl_M, 0);
  }
  __dl_wait_flag_mte2(__dl_MTE1, 0);
  __dl_wait_flag_mte2(__dl_MTE1, 0);
  __dl_wait_flag_mte1(__dl_M, 0);
  __dl_wait_flag_mte1(__dl_M, 0);
  __dl_wait_flag_m(__dl_FIX, 0);
}
