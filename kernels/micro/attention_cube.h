// What the cube core does of attention.c, which includes this: scores and products with V, one 128 x 128 x
// 128 after another.
#pragma once

// L1: a block of Q, a tile of K, one of V, three pieces of P.
enum {
  P_PIECES = 3,
  kQ = 0,
  kK = kQ + BM * HEAD * 2,
  kV = kK + BN * HEAD * 2,
  kP = kV + BN * HEAD * 2,
  kPieceP = SIDE * LOAD_KEYS * 2,
};
enum { Q, K, V, P }; // flags between MTE2 and MTE1
enum { A, B };       // of L0A and L0B, from the cube to MTE1

struct Cube {
  long a_slot, b_slot, c_slot, p_slot;
  long freed; // chunks of O
};

// 128 x 128 x 128 with operands in L1; b_rows: B lies there as its rows. `fresh`: A is not in L0A yet;
// `done`: it will not be used again. `begins`, `ends`: this product is the first or the last one of a sum in
// L0C.
struct Product {
  long a, a_stride, b, b_rows, fresh, done, begins, ends;
};

// L0C is handed over to the fixpipe and back in blocks, by unit flags.
static inline void multiply(struct Cube* cube, const struct Product* p) {
  const long square = __dl_cfg16(SIDE / 16, SIDE / 16, 0, 0), size = __dl_cfg16(SIDE, SIDE, SIDE, 0);
  const long l0a = cube->a_slot * kSquare, l0b = cube->b_slot * kSquare, l0c = cube->c_slot * SIDE * SIDE * 4;
  if (p->fresh) {
    __dl_wait_flag_mte1(__dl_M, A);
    __dl_mte1_load_l0a(l0a, p->a, square, p->a_stride, __dl_f16);
  }
  __dl_wait_flag_mte1(__dl_M, B);
  if (p->b_rows)
    __dl_mte1_load_l0b(l0b, p->b, square, SIDE * 32, 1 << 4 | __dl_f16);
  else
    __dl_mte1_load_l0b(l0b, p->b, square, SIDE * 32, __dl_f16);
  __dl_set_flag_mte1(__dl_M, 0);
  __dl_wait_flag_m(__dl_MTE1, 0);
  if (p->ends)
    __dl_m_mmad(l0c, l0a, l0b, size, p->begins, 0, 3 << 5 | __dl_f16);
  else
    __dl_m_mmad(l0c, l0a, l0b, size, p->begins, 0, 2 << 5 | __dl_f16);
  __dl_set_flag_m(__dl_MTE1, B);
  cube->b_slot ^= 1;
  if (p->done) {
    __dl_set_flag_m(__dl_MTE1, A);
    cube->a_slot ^= 1;
  }
}

// The sum in L0C goes to rows of `stride` bytes, times the f32 `scale`.
static inline void store(struct Cube* cube, long dst, long stride, long scale, long f16) {
  const long c = cube->c_slot * SIDE * SIDE * 4;
  if (f16)
    __dl_fix_copy_gm(dst, c, __dl_cfg32(SIDE, SIDE), stride, SIDE * 64, scale, 3 << 10 | 1 << 8 | __dl_f16);
  else
    __dl_fix_copy_gm(dst, c, __dl_cfg32(SIDE, SIDE), stride, SIDE * 64, scale, 3 << 10 | 1 << 8 | __dl_f32);
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

static inline void load_q(const struct Problem* a, long task) {
  __dl_wait_flag_mte2(__dl_MTE1, Q);
  __dl_mte2_nd2nz_l1(kQ, a->q + (a->first + task) * BM * HEAD * 2, __dl_cfg32(BM, HEAD), HEAD * 2, BM * 32,
                     __dl_f16);
  __dl_set_flag_mte2(__dl_MTE1, Q);
}

static inline void scores(const struct Problem* a, struct Cube* cube, long step, long task, long tile) {
  if (tile == 0)
    __dl_wait_flag_mte1(__dl_MTE2, Q);
  load_keys(kK, a->k + keys_of(a, task, tile), K);
  if (step >= S_SLOTS)
    __dl_xwait_fix(GROUP_MODE | S_FREE);
  const long s = a->s + step % S_SLOTS * kTileS;
  for (long half = 0; half < HALVES; ++half)
    for (long i = 0; i < BN / SIDE; ++i) {
      if (half == 0 && i % PACK == 0)
        __dl_wait_flag_mte1(__dl_MTE2, K);
      const struct Product product = {
          kQ + half * SIDE * 32, BM * 32, kK + i * kSquare, 0, i == 0, i == BN / SIDE - 1, 1, 1};
      multiply(cube, &product);
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

// `next`: the task whose Q is due, or -1. It is free as soon as this begins, and not to hold up the first P.
static inline void outputs(const struct Problem* a, struct Cube* cube, long step, long task, long tile,
                           long next) {
  load_keys(kV, a->v + keys_of(a, task, tile), V);
  __dl_xwait_mte2(GROUP_MODE | P_READY);
  const long p = a->p + step % P_SLOTS * kTileP, o = o_index(a, task, tile);
  for (; o >= a->o_slots + cube->freed * a->chunk_slots; ++cube->freed)
    __dl_xwait_fix(GROUP_MODE | O_FREE);
  for (long half = 0; half < HALVES; ++half) {
    for (long i = 0; i < BN / SIDE; ++i) {
      const long load = i / PACK, part = i % PACK;
      if (part == 0) {
        load_p(cube, p + half * SIDE * BN * 2 + load * LOAD_KEYS * 2);
        if (next >= 0 && half == HALVES - 1 && i == 0)
          load_q(a, next);
        __dl_wait_flag_mte1(__dl_MTE2, P);
        if (half == 0)
          __dl_wait_flag_mte1(__dl_MTE2, V);
      }
      const struct Product product = {kP + cube->p_slot * kPieceP + part * kSquare,
                                      SIDE * 32,
                                      kV + i * kSquare,
                                      1,
                                      1,
                                      1,
                                      i == 0,
                                      i == BN / SIDE - 1};
      multiply(cube, &product);
      if (part == PACK - 1) {
        __dl_set_flag_mte1(__dl_MTE2, P);
        cube->p_slot = cube->p_slot + 1 == P_PIECES ? 0 : cube->p_slot + 1;
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
  struct Cube cube = {0, 0, 0, 0, 0};
  const long steps = a->count * a->tiles;
  __dl_set_flag_mte1(__dl_MTE2, Q);
  for (long i = 0; i < P_PIECES; ++i)
    __dl_set_flag_mte1(__dl_MTE2, P);
  for (long i = 0; i < LOADS; ++i) {
    __dl_set_flag_mte1(__dl_MTE2, K);
    __dl_set_flag_mte1(__dl_MTE2, V);
  }
  for (long i = 0; i < 2; ++i) {
    __dl_set_flag_m(__dl_MTE1, A);
    __dl_set_flag_m(__dl_MTE1, B);
  }
  long task = 0, tile = 0, behind_task = 0, behind_tile = 0;
  if (steps)
    load_q(a, 0);
  for (long step = 0; step < steps + DEPTH; ++step) {
    long next = -1;
    if (step < steps) {
      scores(a, &cube, step, task, tile);
      if (++tile == a->tiles) {
        tile = 0, ++task;
        next = task < a->count ? task : -1;
      }
    }
    if (step < DEPTH && next >= 0)
      load_q(a, next);
    if (step >= DEPTH) {
      outputs(a, &cube, step - DEPTH, behind_task, behind_tile, next);
      if (++behind_tile == a->tiles)
        behind_tile = 0, ++behind_task;
    }
  }
  // The tokens of the free buffers.
  for (long i = less(S_SLOTS, steps); i > 0; --i)
    __dl_xwait_fix(GROUP_MODE | S_FREE);
  for (; cube.freed < a->count * a->chunks; ++cube.freed)
    __dl_xwait_fix(GROUP_MODE | O_FREE);
  __dl_wait_flag_mte2(__dl_MTE1, Q);
  for (long i = 0; i < P_PIECES; ++i)
    __dl_wait_flag_mte2(__dl_MTE1, P);
  for (long i = 0; i < LOADS; ++i) {
    __dl_wait_flag_mte2(__dl_MTE1, K);
    __dl_wait_flag_mte2(__dl_MTE1, V);
  }
  for (long i = 0; i < 2; ++i) {
    __dl_wait_flag_mte1(__dl_M, A);
    __dl_wait_flag_mte1(__dl_M, B);
  }
}
