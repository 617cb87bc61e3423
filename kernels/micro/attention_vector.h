// What a vector core does of attention.c, which includes this: softmax of a tile, and the weighted sum of its
// O.
#pragma once

// UB: two pieces of scores (or of O), each in a bank of its own; one of P (or a sum of O and its f16); what
// remains is in P's bank.
enum {
  ROWS = BM / 2, // of a vector core
  R = 32,        // rows of a piece
  kPiece = R * BN * S_SIZE,
  kWork = 2 * kPiece, // P as f32, if nothing else of the piece is
  kProb = kWork + S_F16 * R * BN * 4,
  kPart = kProb + R * BN * 2,    // R x BN / 8 f32
  kFew = kPart + R * BN / 8 * 4, // R x 8 f32
  kWide = kFew + R * 8 * 4,      // a block for each row, twice: in even and in odd bank groups
  STATS = CHUNK + DEPTH,         // tiles whose maxima and sums are kept
  kMax = kWide + R * 64,
  kSum = kMax + STATS * ROWS * 4,
  kAll = kSum + STATS * ROWS * 4, // sum of all
  kChunks = kAll + ROWS * 4,      // logarithms of the chunks' sums, in as many rows as are left
};
_Static_assert(kChunks + ROWS * 4 <= 196608, "UB is full");

static inline long three(long repeats) { return __dl_strides(1, 1, 1, 8, 8, 8, repeats); }

// A block for each of R numbers.
static inline void widen(long numbers) {
  __dl_v_brcb(kWide, numbers, __dl_strides(2, 0, 0, 16, 0, 0, R / 8), __dl_f32);
  __dl_v_brcb(kWide + 32, numbers, __dl_strides(2, 0, 0, 16, 0, 0, R / 8), __dl_f32);
}

enum { HALF = R * BN / 64 / 2 }; // f32 repeats in half a piece: more than 255 in a whole one

static inline void row_sum(long dst, long src) {
  for (long i = 0; i < 2; ++i)
    __dl_v_cgadd(kPart + i * HALF * 32, src + i * HALF * 256, three(HALF), __dl_f32);
  __dl_v_cgadd(kFew, kPart, three(R * BN / 512), __dl_f32);
  __dl_v_cgadd(dst, kFew, three(R / 8), __dl_f32);
}

#if S_F16

// Folds a row until block reductions of f32 are cheaper.
static inline void row_max(long dst, long src) {
  __dl_v_max(kWork, src, src + 256, __dl_strides(1, 1, 1, 8, 16, 16, 2 * R), __dl_f16);
  __dl_v_max(kPart, kWork, kWork + 256, __dl_strides(1, 1, 1, 8, 16, 16, R), __dl_f16);
  __dl_v_mask(-1, 0, 0);
  __dl_v_max(kWork, kPart, kPart + 128, __dl_strides(1, 1, 1, 4, 8, 8, R), __dl_f16);
  __dl_v_mask(-1, -1, 0);
  __dl_v_cast(kPart, kWork, __dl_strides(1, 1, 0, 8, 4, 0, R), __dl_f32 << 4 | __dl_f16);
  __dl_v_cgmax(kFew, kPart, three(R), __dl_f32);
  __dl_v_cgmax(dst, kFew, three(R / 8), __dl_f32);
}

// P of one piece. The difference is rounded where it is large and P small; exp is computed in f32 and rounded
// to P's f16.
static inline void probabilities(long s, long max, long sum) {
  row_max(max, s);
  __dl_v_mask((1L << R) - 1, 0, 0);
  __dl_v_cast(kFew, max, __dl_strides(1, 1, 0, 4, 8, 0, 1), __dl_f16 << 4 | __dl_f32);
  __dl_v_mask(-1, -1, 0);
  __dl_v_brcb(kWide, kFew, __dl_strides(2, 0, 0, 16, 0, 0, R / 8), __dl_f16);
  __dl_v_brcb(kWide + 32, kFew, __dl_strides(2, 0, 0, 16, 0, 0, R / 8), __dl_f16);
  for (long i = 0; i < BN * 2 / 512; ++i)
    for (long odd = 0; odd < 2; ++odd)
      __dl_v_sub(s + i * 512 + odd * 32, s + i * 512 + odd * 32, kWide + 32 - odd * 32,
                 __dl_strides(2, 2, 0, BN / 16, BN / 16, 2, R), __dl_f16);
  __dl_wait_flag_v(__dl_MTE3, 0);
  __dl_v_exp(kProb, s, three(HALF), __dl_f16);
  __dl_set_flag_v(__dl_MTE2, 0);
  __dl_set_flag_v(__dl_MTE3, 0);
  for (long i = 0; i < 2; ++i)
    __dl_v_cast(kWork + i * HALF * 256, kProb + i * HALF * 128, __dl_strides(1, 1, 0, 8, 4, 0, HALF),
                __dl_f32 << 4 | __dl_f16);
  row_sum(sum, kWork);
}

#else

static inline void row_max(long dst, long src) {
  for (long i = 0; i < 2; ++i)
    __dl_v_cgmax(kPart + i * HALF * 32, src + i * HALF * 256, three(HALF), __dl_f32);
  __dl_v_cgmax(kFew, kPart, three(R * BN / 512), __dl_f32);
  __dl_v_cgmax(dst, kFew, three(R / 8), __dl_f32);
}

// P of one piece. Even blocks of a row take their maximum from odd bank groups and the other way round: each
// group is read once.
static inline void probabilities(long s, long max, long sum) {
  row_max(max, s);
  widen(max);
  for (long i = 0; i < BN * 4 / 512; ++i)
    for (long odd = 0; odd < 2; ++odd)
      __dl_v_sub(s + i * 512 + odd * 32, s + i * 512 + odd * 32, kWide + 32 - odd * 32,
                 __dl_strides(2, 2, 0, BN / 8, BN / 8, 2, R), __dl_f32);
  for (long i = 0; i < 2; ++i)
    __dl_v_exp(s + i * HALF * 256, s + i * HALF * 256, three(HALF), __dl_f32);
  row_sum(sum, s);
  __dl_wait_flag_v(__dl_MTE3, 0);
  for (long i = 0; i < 2; ++i)
    __dl_v_cast(kProb + i * HALF * 128, s + i * HALF * 256, __dl_strides(1, 1, 0, 4, 8, 0, HALF),
                __dl_f16 << 4 | __dl_f32);
  __dl_set_flag_v(__dl_MTE2, 0);
  __dl_set_flag_v(__dl_MTE3, 0);
}

#endif

static inline void softmax(const struct Problem* a, long* slot, long step) {
  const long at = __dl_subcore() * ROWS, stats = step % STATS * ROWS * 4;
  const long s = a->s + step % S_SLOTS * kTileS + at * BN * S_SIZE,
             p = a->p + step % P_SLOTS * kTileP + at * BN * 2;
  __dl_xwait_mte2(GROUP_MODE | S_READY);
  if (step >= P_SLOTS)
    __dl_xwait_mte3(GROUP_MODE | P_FREE);
  for (long row = 0; row < ROWS; row += R) {
    const long piece = *slot * kPiece;
    __dl_wait_flag_mte2(__dl_V, 0);
    __dl_mte2_copy_ub(piece, s + row * BN * S_SIZE, __dl_cfg32(1, kPiece), 0, __dl_cfg32(kPiece, 0), 0, 0);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    probabilities(piece, kMax + stats + row * 4, kSum + stats + row * 4);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(p + row * BN * 2, kProb, __dl_cfg32(1, R * BN * 2), 0, 0, __dl_f16);
    __dl_set_flag_mte3(__dl_V, 0);
    *slot ^= 1;
  }
  __dl_xset_mte2(GROUP_MODE | S_FREE);
  __dl_xset_mte3(GROUP_MODE | P_READY);
}

// What is to be added up: O of tiles or of chunks, with a maximum (or the logarithm of a sum) that becomes
// the weight of each row. Both lie in rings.
struct Parts {
  long src, first, slots;
  long weight, weight_first, weight_slots;
  long count;
};

static inline long weight_of(const struct Parts* p, long i) {
  return p->weight + (p->weight_first + i) % p->weight_slots * ROWS * 4;
}

// Weights: exp(maximum - largest), over their sum, for tiles times the sum of each. `largest` and kAll are
// results.
static inline void weigh(const struct Parts* p, long largest, long tiles) {
  const long all = three(ROWS / 64), sum = tiles ? kSum - kMax : 0;
  __dl_v_copy(largest, weight_of(p, 0), all, __dl_f32);
  for (long i = 1; i < p->count; ++i)
    __dl_v_max(largest, largest, weight_of(p, i), all, __dl_f32);
  for (long i = 0; i < p->count; ++i) {
    const long at = weight_of(p, i);
    __dl_v_sub(at, at, largest, all, __dl_f32);
    __dl_v_exp(at, at, all, __dl_f32);
    if (tiles)
      __dl_v_mul(at + sum, at + sum, at, all, __dl_f32);
  }
  __dl_v_copy(kAll, weight_of(p, 0) + sum, all, __dl_f32);
  for (long i = 1; i < p->count; ++i)
    __dl_v_add(kAll, kAll, weight_of(p, i) + sum, all, __dl_f32);
  for (long i = 0; i < p->count; ++i)
    __dl_v_div(weight_of(p, i), weight_of(p, i), kAll, all, __dl_f32);
}

// Adds O of R rows, times its weight, to the sum in P's place.
static inline void add_part(long o, long weight, long first) {
  widen(weight);
  const long strides = __dl_strides(2, 2, 0, HEAD / 8, HEAD / 8, 2, R);
  for (long odd = 0; odd < 2; ++odd)
    if (first)
      __dl_v_mul(kProb + odd * 32, o + odd * 32, kWide + 32 - odd * 32, strides, __dl_f32);
    else
      __dl_v_mla(kProb + odd * 32, o + odd * 32, kWide + 32 - odd * 32, strides, __dl_f32);
}

// The sum of this core's rows goes to dst, in f32 or f16.
static inline void add_up(const struct Parts* p, long* slot, long dst, long f16) {
  const long at = __dl_subcore() * ROWS, bytes = R * HEAD * 4;
  for (long row = 0; row < ROWS; row += R) {
    __dl_wait_flag_v(__dl_MTE3, 0);
    for (long i = 0; i < p->count; i += O_GROUP) {
      const long count = less(O_GROUP, p->count - i), piece = *slot * kPiece;
      __dl_wait_flag_mte2(__dl_V, 0);
      __dl_mte2_copy_ub(piece, p->src + (p->first + i) % p->slots * kTileO + (at + row) * HEAD * 4,
                        __dl_cfg32(count, bytes), kTileO, __dl_cfg32(bytes, 0), 0, 0);
      __dl_set_flag_mte2(__dl_V, 0);
      __dl_wait_flag_v(__dl_MTE2, 0);
      for (long k = 0; k < count; ++k)
        add_part(piece + k * bytes, weight_of(p, i + k) + row * 4, i + k == 0);
      __dl_set_flag_v(__dl_MTE2, 0);
      *slot ^= 1;
    }
    if (f16)
      __dl_v_cast(kProb + bytes, kProb, __dl_strides(1, 1, 0, 4, 8, 0, R * HEAD / 64),
                  __dl_f16 << 4 | __dl_f32);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    if (f16)
      __dl_mte3_copy_ub(dst + (at + row) * HEAD * 2, kProb + bytes, __dl_cfg32(1, R * HEAD * 2), 0, 0,
                        __dl_f16);
    else
      __dl_mte3_copy_ub(dst + (at + row) * HEAD * 4, kProb, __dl_cfg32(1, bytes), 0, 0, __dl_f32);
    __dl_set_flag_mte3(__dl_V, 0);
  }
}

// O of the chunk that ends with `tile`, and of the task if it is the last one.
static inline void combine(const struct Problem* a, long* slot, long task, long tile) {
  const long chunk = tile / CHUNK, first = chunk * CHUNK, log = kChunks + chunk * ROWS * 4;
  const long o = a->o + (a->first + task) * BM * HEAD * 2;
  const struct Parts tiles = {a->tile_o, o_index(a, task, first), a->o_slots, kMax, task * a->tiles + first,
                              STATS,     tile + 1 - first};
  weigh(&tiles, log, 1);
  if (a->chunks == 1) {
    add_up(&tiles, slot, o, 1);
    __dl_xset_mte2(GROUP_MODE | O_FREE);
    return;
  }
  __dl_v_ln(kAll, kAll, three(ROWS / 64), __dl_f32);
  __dl_v_add(log, log, kAll, three(ROWS / 64), __dl_f32);
  add_up(&tiles, slot, a->sum_o + chunk * kTileO, 0);
  __dl_xset_mte2(GROUP_MODE | O_FREE);
  if (chunk + 1 < a->chunks)
    return;
  __dl_set_flag_mte3(__dl_MTE2, 0);
  __dl_wait_flag_mte2(__dl_MTE3, 0);
  const struct Parts sums = {a->sum_o, 0, a->chunks, kChunks, 0, a->chunks, a->chunks};
  weigh(&sums, kFew, 0);
  add_up(&sums, slot, o, 1);
}

static inline void run(const struct Problem* a) {
  const long steps = a->count * a->tiles;
  long slot = 0, task = 0, tile = 0;
  for (long i = 0; i < 2; ++i)
    __dl_set_flag_v(__dl_MTE2, 0);
  __dl_set_flag_mte3(__dl_V, 0);
  for (long step = 0; step < steps + DEPTH; ++step) {
    if (step < steps)
      softmax(a, &slot, step);
    if (step >= DEPTH) {
      __dl_xwait_mte2(GROUP_MODE | O_READY);
      if (tile % CHUNK == CHUNK - 1 || tile == a->tiles - 1)
        combine(a, &slot, task, tile);
      if (++tile == a->tiles)
        tile = 0, ++task;
    }
  }
  // The tokens of the free buffers.
  for (long i = less(P_SLOTS, steps); i > 0; --i)
    __dl_xwait_mte3(GROUP_MODE | P_FREE);
  for (long i = 0; i < 2; ++i)
    __dl_wait_flag_mte2(__dl_V, 0);
  __dl_wait_flag_v(__dl_MTE3, 0);
}
