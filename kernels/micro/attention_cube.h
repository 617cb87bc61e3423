// What the cube core does of attention.c, which includes this: scores and products with V, one 128 x 128 x
// 128 after another.
#pragma once

// L1: two blocks of Q, a tile of K, one of V, two pieces of P.
enum {
  kQ = 0,
  kK = kQ + 2 * BM * HEAD * 2,
  kV = kK + BN * HEAD * 2,
  kP = kV + BN * HEAD * 2,
  kPieceP = SIDE * LOAD_KEYS * 2,
};
enum { Q, K, V, P }; // flags between MTE2 and MTE1

struct Cube {
  long step_slot, c_slot, p_slot;
  long freed; // chunks of O
};

// One product of 128 x 128 x 128 in the next slots of L0A and L0B; `b_transposed`: B lies in L1 as its rows.
static inline void product(struct Cube* cube, long a, long a_stride, long b, long b_transposed, long first) {
  const long slot = cube->step_slot * kSquare, c = cube->c_slot * SIDE * SIDE * 4;
  __dl_wait_flag_mte1(__dl_M, 0);
  __dl_mte1_load_l0a(slot, a, __dl_cfg16(SIDE / 16, SIDE / 16, 0, 0), a_stride, __dl_f16);
  if (b_transposed)
    __dl_mte1_load_l0b(slot, b, __dl_cfg16(SIDE / 16, SIDE / 16, 0, 0), SIDE * 32, 1 << 4 | __dl_f16);
  else
    __dl_mte1_load_l0b(slot, b, __dl_cfg16(SIDE / 16, SIDE / 16, 0, 0), SIDE * 32, __dl_f16);
  __dl_set_flag_mte1(__dl_M, 0);
  __dl_wait_flag_m(__dl_MTE1, 0);
  __dl_m_mmad(c, slot, slot, __dl_cfg16(SIDE, SIDE, SIDE, 0), first, 0, __dl_f16);
  __dl_set_flag_m(__dl_MTE1, 0);
  cube->step_slot ^= 1;
}

// C of the products since the last call goes to rows of `stride` bytes, times the f32 `scale`.
static inline void store(struct Cube* cube, long dst, long stride, long scale, long f16) {
  __dl_set_flag_m(__dl_FIX, 0);
  __dl_wait_flag_fix(__dl_M, 0);
  const long c = cube->c_slot * SIDE * SIDE * 4;
  if (f16)
    __dl_fix_copy_gm(dst, c, __dl_cfg32(SIDE, SIDE), stride, SIDE * 64, scale, 1 << 8 | __dl_f16);
  else
    __dl_fix_copy_gm(dst, c, __dl_cfg32(SIDE, SIDE), stride, SIDE * 64, scale, 1 << 8 | __dl_f32);
  __dl_set_flag_fix(__dl_M, 0);
  cube->c_slot ^= 1;
}

static inline void load_keys(long dst, long src, long flag) {
  for (long i = 0; i < LOADS; ++i) {
    __dl_wait_flagr_mte2(flag, __dl_MTE1, 0);
    __dl_mte2_nd2nz_l1(dst + i * LOAD_KEYS * HEAD * 2, src + i * LOAD_KEYS * HEAD * 2,
                       __dl_cfg32(SIDE, PACK * HEAD), PACK * HEAD * 2, SIDE * 32, __dl_f16);
    __dl_set_flagr_mte2(flag, __dl_MTE1, 0);
  }
}

static inline long keys_of(const struct Problem* a, long task, long tile) {
  const long at = tile + a->rotate;
  return (a->first + task) / a->blocks * a->head_bytes + (at < a->tiles ? at : at - a->tiles) * BN * HEAD * 2;
}

static inline void scores(const struct Problem* a, struct Cube* cube, long step, long task, long tile) {
  const long q = kQ + (task & 1) * BM * HEAD * 2;
  if (tile == 0) {
    __dl_wait_flag_mte2(__dl_MTE1, Q);
    __dl_mte2_nd2nz_l1(q, a->q + (a->first + task) * BM * HEAD * 2, __dl_cfg32(BM, HEAD), HEAD * 2, BM * 32,
                       __dl_f16);
    __dl_set_flag_mte2(__dl_MTE1, Q);
    __dl_wait_flag_mte1(__dl_MTE2, Q);
  }
  load_keys(kK, a->k + keys_of(a, task, tile), K);
  if (step >= S_SLOTS)
    __dl_xwait_fix(GROUP_MODE | S_FREE);
  const long s = a->s + step % S_SLOTS * kTileS;
  for (long half = 0; half < HALVES; ++half)
    for (long i = 0; i < BN / SIDE; ++i) {
      if (half == 0 && i % PACK == 0)
        __dl_wait_flag_mte1(__dl_MTE2, K);
      __dl_wait_flag_m(__dl_FIX, 0);
      product(cube, q + half * SIDE * 32, BM * 32, kK + i * kSquare, 0, 1);
      if (half == HALVES - 1 && i % PACK == PACK - 1)
        __dl_set_flag_mte1(__dl_MTE2, K);
      store(cube, s + (half * BN + i) * SIDE * S_SIZE, BN * S_SIZE, 0x3db504f3, S_F16); // 1 / sqrt(128)
    }
  __dl_xset_fix(GROUP_MODE | S_READY);
  if (tile == a->tiles - 1)
    __dl_set_flag_mte1(__dl_MTE2, Q);
}

static inline void load_p(struct Cube* cube, long src) {
  __dl_wait_flag_mte2(__dl_MTE1, P);
  __dl_mte2_nd2nz_l1(kP + cube->p_slot * kPieceP, src, __dl_cfg32(SIDE, LOAD_KEYS), BN * 2, SIDE * 32,
                     __dl_f16);
  __dl_set_flag_mte2(__dl_MTE1, P);
}

static inline void outputs(const struct Problem* a, struct Cube* cube, long step, long task, long tile) {
  load_keys(kV, a->v + keys_of(a, task, tile), V);
  __dl_xwait_mte2(GROUP_MODE | P_READY);
  const long p = a->p + step % P_SLOTS * kTileP, o = o_index(a, task, tile);
  for (; o >= a->o_slots + cube->freed * a->chunk_slots; ++cube->freed)
    __dl_xwait_fix(GROUP_MODE | O_FREE);
  for (long half = 0; half < HALVES; ++half) {
    __dl_wait_flag_m(__dl_FIX, 0);
    for (long i = 0; i < BN / SIDE; ++i) {
      const long load = i / PACK, part = i % PACK;
      if (part == 0) {
        load_p(cube, p + half * SIDE * BN * 2 + load * LOAD_KEYS * 2);
        __dl_wait_flag_mte1(__dl_MTE2, P);
        if (half == 0)
          __dl_wait_flag_mte1(__dl_MTE2, V);
      }
      product(cube, kP + cube->p_slot * kPieceP + part * kSquare, SIDE * 32, kV + i * kSquare, 1, i == 0);
      if (part == PACK - 1) {
        __dl_set_flag_mte1(__dl_MTE2, P);
        cube->p_slot ^= 1;
        if (half == HALVES - 1)
          __dl_set_flag_mte1(__dl_MTE2, V);
      }
    }
    store(cube, a->tile_o + o % a->o_slots * kTileO + half * SIDE * HEAD * 4, HEAD * 4, 0x3f800000, 0);
  }
  __dl_xset_mte2(GROUP_MODE | P_FREE);
  __dl_xset_fix(GROUP_MODE | O_READY);
}

static inline void run(const struct Problem* a) {
  struct Cube cube = {0, 0, 0, 0};
  const long steps = a->count * a->tiles;
  for (long i = 0; i < 2; ++i) {
    __dl_set_flag_mte1(__dl_MTE2, Q);
    __dl_set_flag_mte1(__dl_MTE2, P);
    __dl_set_flag_m(__dl_MTE1, 0);
    __dl_set_flag_fix(__dl_M, 0);
  }
  for (long i = 0; i < LOADS; ++i) {
    __dl_set_flag_mte1(__dl_MTE2, K);
    __dl_set_flag_mte1(__dl_MTE2, V);
  }
  long task = 0, tile = 0, behind_task = 0, behind_tile = 0;
  for (long step = 0; step < steps + DEPTH; ++step) {
    if (step < steps) {
      scores(a, &cube, step, task, tile);
      if (++tile == a->tiles)
        tile = 0, ++task;
    }
    if (step >= DEPTH) {
      outputs(a, &cube, step - DEPTH, behind_task, behind_tile);
      if (++behind_tile == a->tiles)
        behind_tile = 0, ++behind_task;
    }
  }
  // The tokens of the free buffers.
  for (long i = less(S_SLOTS, steps); i > 0; --i)
    __dl_xwait_fix(GROUP_MODE | S_FREE);
  for (; cube.freed < a->count * a->chunks; ++cube.freed)
    __dl_xwait_fix(GROUP_MODE | O_FREE);
  for (long i = 0; i < 2; ++i) {
    __dl_wait_flag_mte2(__dl_MTE1, Q);
    __dl_wait_flag_mte2(__dl_MTE1, P);
    __dl_wait_flag_mte1(__dl_M, 0);
    __dl_wait_flag_m(__dl_FIX, 0);
  }
  for (long i = 0; i < LOADS; ++i) {
    __dl_wait_flag_mte2(__dl_MTE1, K);
    __dl_wait_flag_mte2(__dl_MTE1, V);
  }
}
