// C = A x B on cube cores, with the tiling, buffering and order of tiles of a published run.
//
// At compile time: base tile BM x BN x BK; L1 panels of STEPA (STEPB) base tiles along K in A_SLOTS (B_SLOTS)
// buffers; A_WHOLE (B_WHOLE) keeps the panel of A (B) while its rows (columns) stay the same, STEPA (STEPB)
// then covers K; L0_SLOTS, C_SLOTS; A_LAYOUT 0 rows, 2 fractals (Nz); B_LAYOUT 0 K x N rows, 1 N x K rows, 2
// K x N in fractals (Nz); LOADS commands bring an operand to L0; L0_FLAGS 2: L0A and L0B have flags of their
// own; IMG2COL 1: A by img2col loads, its rows as one row of an image; UNITFLAG 1: C is handed over by unit
// flags; TYPE, OUT. At run time: tasks are tiles, `k_parts` of them behind each other along K. With
// `rows_of_cores` > 0 the matrix is first cut in `m_parts` bands (one after another) and each band in
// rows_of_cores x columns_of_cores blocks of single_m x single_n elements, a block a core (the last ones may
// be smaller or empty), along its rows, or down its columns with DOWN_FIRST 1; else task t goes to core
// t % cores, `order` 0 rows, 1 columns, 2 diagonals, 3 bands of `swizzle` rows. `k_shift`: panels of K by
// which a core starts later than the one before it.
#include <dlnpu.h>

#ifndef TYPE
#define TYPE __dl_f16
#define TYPE_NAME f16
#define SIZE 2
#endif
#ifndef OUT
#define OUT __dl_f16
#define OUT_NAME f16
#define OUT_SIZE 2
#endif
#ifndef A_LAYOUT
#define A_LAYOUT 0
#endif
#ifndef B_LAYOUT
#define B_LAYOUT 1
#endif
#ifndef STEPA
#define STEPA 1
#endif
#ifndef STEPB
#define STEPB 1
#endif
#ifndef A_SLOTS
#define A_SLOTS 2
#endif
#ifndef B_SLOTS
#define B_SLOTS 2
#endif
#ifndef L0_SLOTS
#define L0_SLOTS 2
#endif
#ifndef C_SLOTS
#define C_SLOTS 1
#endif
#ifndef A_WHOLE
#define A_WHOLE 0
#endif
#ifndef B_WHOLE
#define B_WHOLE 0
#endif
#ifndef L0_FLAGS
#define L0_FLAGS 1
#endif
#ifndef LOADS
#define LOADS 1
#endif
#ifndef IMG2COL
#define IMG2COL 0
#endif
#ifndef UNITFLAG
#define UNITFLAG 0
#endif
#ifndef DOWN_FIRST
#define DOWN_FIRST 0
#endif
// The sum of i8 products is i32 in L0C.
#if TYPE_IS_I8
#define SOURCE 1
#else
#define SOURCE 0
#endif

enum {
  C0 = 32 / SIZE,
  kPanelA = BM * STEPA * BK * SIZE,
  kPanelB = BN * STEPB * BK * SIZE,
  kTileA = BM * BK * SIZE,
  kTileB = BN * BK * SIZE,
  kTileC = BM * BN * 4,
  // Panels are loaded in the order in which they are needed: those of the step that comes sooner first.
  kNextBFirst = STEPB * (B_SLOTS - 1) < STEPA * (A_SLOTS - 1),
};

struct Problem {
  long a, b, c, m, n, k;           // K of one part
  long lda, ldb, ldc;              // bytes
  long across, down, tiles, count; // tiles in a row and in a column, of one K part; tasks of this core
  long order, swizzle, k_shift;
  long single_m, single_n;       // a core's block
  long block_down, block_across; // its tiles, 0: tasks are dealt
  long cores_down, cores_across, m_parts;
};
// Where a task's tile lies, and how much of it there is.
struct Place {
  long row, column, k0, m, n;
};
// Next panel that is to be loaded.
struct Cursor {
  long task, step, slot;
};

static inline long less(long a, long b) { return a < b ? a : b; }
static inline long ceil_to(long a, long b) { return (a + b - 1) / b * b; }

static inline struct Place dealt(const struct Problem* p, long t) {
  struct Place at;
  const long part = t / p->tiles;
  t %= p->tiles;
  long row, column;
  if (p->order == 1) {
    row = t % p->down, column = t / p->down;
  } else if (p->order == 2) {
    long a = p->down, b = p->across;
    while (b) {
      const long rest = a % b;
      a = b, b = rest;
    }
    row = t % p->down, column = (t + t / (p->tiles / a)) % p->across;
  } else if (p->order == 3) {
    const long band = t / (p->swizzle * p->across), height = less(p->swizzle, p->down - band * p->swizzle);
    const long inside = t - band * p->swizzle * p->across;
    row = band * p->swizzle + inside % height, column = inside / height;
    if (band & 1)
      column = p->across - 1 - column;
  } else {
    row = t / p->across, column = t % p->across;
  }
  at.row = row * BM, at.column = column * BN, at.k0 = part * p->k;
  at.m = less(BM, p->m - at.row), at.n = less(BN, p->n - at.column);
  return at;
}

static inline struct Place place(const struct Problem* p, long task) {
  if (!p->block_down)
    return dealt(p, __dl_core() + task * __dl_cores());
  struct Place at;
  const long block = p->block_down * p->block_across, per_part = block * p->m_parts;
  const long part = task / per_part, band = task % per_part / block, inside = task % block;
  const long cm = __dl_core() % p->cores_down, cn = __dl_core() / p->cores_down;
  const long i = (DOWN_FIRST ? inside % p->block_down : inside / p->block_across) * BM;
  const long j = (DOWN_FIRST ? inside / p->block_down : inside % p->block_across) * BN;
  at.row = (band * p->cores_down + cm) * p->single_m + i, at.column = cn * p->single_n + j,
  at.k0 = part * p->k;
  at.m = less(less(BM, p->single_m - i), p->m - at.row),
  at.n = less(less(BN, p->single_n - j), p->n - at.column);
  return at;
}

static inline long steps(const struct Problem* p) { return (p->k + BK - 1) / BK; }

// K position of a step, staggered by whole panels.
static inline long k_of(const struct Problem* p, long step, long panel) {
  if (!p->k_shift)
    return step * BK;
  const long panels = steps(p) / panel, shifted = (step / panel + __dl_core() * p->k_shift) % panels;
  return (shifted * panel + step % panel) * BK;
}

static inline void load_a(const struct Problem* p, struct Cursor* c) {
  if (c->task >= p->count)
    return;
  const struct Place at = place(p, c->task);
  const long k = k_of(p, c->step, STEPA), columns = less(STEPA * BK, p->k - k);
  __dl_wait_flag_mte2(__dl_MTE1, 0);
  if (at.m > 0 && at.n > 0 && A_LAYOUT == 2)
    __dl_mte2_copy_l1(c->slot * kPanelA, p->a + (at.k0 + k) / C0 * p->lda + at.row * 32,
                      __dl_cfg32((columns + C0 - 1) / C0, at.m * 32), p->lda, __dl_cfg32(BM * 32, 0), 0, 0);
  else if (at.m > 0 && at.n > 0)
    __dl_mte2_nd2nz_l1(c->slot * kPanelA, p->a + at.row * p->lda + (at.k0 + k) * SIZE,
                       __dl_cfg32(at.m, columns), p->lda, BM * 32, TYPE);
  __dl_set_flag_mte2(__dl_MTE1, 0);
  c->slot = c->slot + 1 == A_SLOTS ? 0 : c->slot + 1;
  c->step += STEPA;
  if (c->step >= steps(p)) {
    c->step = 0;
    c->task++;
    if (A_WHOLE)
      while (c->task < p->count && place(p, c->task).row == at.row)
        c->task++;
  }
}

static inline void load_b(const struct Problem* p, struct Cursor* c) {
  if (c->task >= p->count)
    return;
  const struct Place at = place(p, c->task);
  const long k = k_of(p, c->step, STEPB), columns = at.n, depth = less(STEPB * BK, p->k - k);
  const long slot = A_SLOTS * kPanelA + c->slot * kPanelB;
  __dl_wait_flag_mte2(__dl_MTE1, 1);
  if (at.m > 0 && at.n > 0) {
    if (B_LAYOUT == 1)
      __dl_mte2_nd2nz_l1(slot, p->b + at.column * p->ldb + (at.k0 + k) * SIZE, __dl_cfg32(columns, depth),
                         p->ldb, BN * 32, TYPE);
    else if (B_LAYOUT == 0)
      __dl_mte2_nd2nz_l1(slot, p->b + (at.k0 + k) * p->ldb + at.column * SIZE, __dl_cfg32(depth, columns),
                         p->ldb, STEPB * BK * 32, TYPE);
    else
      __dl_mte2_copy_l1(slot, p->b + at.column / C0 * p->ldb + (at.k0 + k) * 32,
                        __dl_cfg32((columns + C0 - 1) / C0, depth * 32), p->ldb,
                        __dl_cfg32(STEPB * BK * 32, 0), 0, 0);
  }
  __dl_set_flag_mte2(__dl_MTE1, 1);
  c->slot = c->slot + 1 == B_SLOTS ? 0 : c->slot + 1;
  c->step += STEPB;
  if (c->step >= steps(p)) {
    c->step = 0;
    c->task++;
    if (B_WHOLE)
      while (c->task < p->count && place(p, c->task).column == at.column)
        c->task++;
  }
}

// Fractals from..to of `all` that the i-th of LOADS commands brings.
static inline long share(long all, long i) { return (all * i + LOADS - 1) / LOADS; }

static inline void load_left(long l0, long a, long mf, long kf) {
  for (long i = 0; i < LOADS; ++i) {
    const long from = share(mf, i), count = share(mf, i + 1) - from;
    if (count && IMG2COL)
      __dl_mte1_img2col_l0a(l0 * kTileA + from * kf * 512, a, __dl_cfg32(count | kf << 16, from * 16),
                            __dl_cfg16(1, BM, kf, 0), 0x0000010101010101, 0, TYPE);
    else if (count)
      __dl_mte1_load_l0a(l0 * kTileA + from * kf * 512, a + from * 512, __dl_cfg16(count, kf, 0, 0), BM * 32,
                         TYPE);
  }
}

static inline void load_right(long l0, long b, long kf, long nf) {
  for (long i = 0; i < LOADS; ++i) {
    const long from = share(kf, i), count = share(kf, i + 1) - from;
    if (count && B_LAYOUT == 1)
      __dl_mte1_load_l0b(l0 * kTileB + from * nf * 512, b + from * BN * 32, __dl_cfg16(count, nf, 0, 0),
                         BN * 32, TYPE);
    else if (count)
      __dl_mte1_load_l0b(l0 * kTileB + from * nf * 512, b + from * C0 * 32, __dl_cfg16(count, nf, 0, 0),
                         STEPB * BK * 32, 1 << 4 | TYPE);
  }
}

// One base tile: L1 to L0, product.
static inline void multiply(long a, long b, long c, long m, long n, long k, long l0, long init, long last) {
  const long mf = (m + 15) / 16, nf = (n + 15) / 16, kf = (k + C0 - 1) / C0;
  __dl_wait_flag_mte1(__dl_M, 0);
  load_left(l0, a, mf, kf);
  if (L0_FLAGS == 2) {
    __dl_set_flag_mte1(__dl_M, 0);
    __dl_wait_flag_mte1(__dl_M, 1);
  }
  load_right(l0, b, kf, nf);
  __dl_set_flag_mte1(__dl_M, L0_FLAGS - 1);
  __dl_wait_flag_m(__dl_MTE1, 0);
  if (L0_FLAGS == 2)
    __dl_wait_flag_m(__dl_MTE1, 1);
  if (UNITFLAG && last)
    __dl_m_mmad(c, l0 * kTileA, l0 * kTileB, __dl_cfg16(m, k, n, 0), init, 0, 3 << 5 | TYPE);
  else
    __dl_m_mmad(c, l0 * kTileA, l0 * kTileB, __dl_cfg16(m, k, n, 0), init, 0, UNITFLAG << 6 | TYPE);
  __dl_set_flag_m(__dl_MTE1, 0);
  if (L0_FLAGS == 2)
    __dl_set_flag_m(__dl_MTE1, 1);
}

static inline void store(const struct Problem* p, const struct Place* at, long c, long m, long n,
                         long atomic) {
  const long dst = p->c + at->row * p->ldc + at->column * OUT_SIZE;
  if (!UNITFLAG) {
    __dl_set_flag_m(__dl_FIX, 0);
    __dl_wait_flag_fix(__dl_M, 0);
  }
  if (atomic)
    __dl_fix_copy_gm(dst, c, __dl_cfg32(m, n), p->ldc, ceil_to(m, 16) * 64, 0,
                     (UNITFLAG ? 3 : 0) << 10 | SOURCE << 9 | 1 << 5 | OUT);
  else
    __dl_fix_copy_gm(dst, c, __dl_cfg32(m, n), p->ldc, ceil_to(m, 16) * 64, 0,
                     (UNITFLAG ? 3 : 0) << 10 | SOURCE << 9 | OUT);
  if (!UNITFLAG)
    __dl_set_flag_fix(__dl_M, 0);
}

static inline void run(const struct Problem* p, long atomic) {
  struct Cursor next_a = {0, 0, 0}, next_b = {0, 0, 0};
  long slot_a = A_SLOTS - 1, slot_b = B_SLOTS - 1, l0 = 0, c_slot = 0, held_row = -1, held_column = -1;
  for (long i = 1; i < A_SLOTS; ++i)
    load_a(p, &next_a);
  for (long i = 1; i < B_SLOTS; ++i)
    load_b(p, &next_b);
  for (long task = 0; task < p->count; ++task) {
    const struct Place at = place(p, task);
    const long m = at.m, n = at.n, fresh = !A_WHOLE || at.row != held_row;
    const long last_use = !A_WHOLE || task + 1 == p->count || place(p, task + 1).row != at.row;
    const long fresh_b = !B_WHOLE || at.column != held_column;
    const long last_b = !B_WHOLE || task + 1 == p->count || place(p, task + 1).column != at.column;
    const long c = c_slot * kTileC, all = steps(p), real = m > 0 && n > 0;
    held_row = at.row;
    held_column = at.column;
    if (real && !UNITFLAG)
      __dl_wait_flag_m(__dl_FIX, 0);
    for (long step = 0; step < all; ++step) {
      const long in_a = step % STEPA, in_b = step % STEPB;
      const long new_a = in_a == 0 && fresh, new_b = in_b == 0 && fresh_b;
      if (kNextBFirst && new_b)
        load_b(p, &next_b);
      if (new_a)
        load_a(p, &next_a);
      if (!kNextBFirst && new_b)
        load_b(p, &next_b);
      if (new_a) {
        slot_a = slot_a + 1 == A_SLOTS ? 0 : slot_a + 1;
        __dl_wait_flag_mte1(__dl_MTE2, 0);
      }
      if (new_b) {
        slot_b = slot_b + 1 == B_SLOTS ? 0 : slot_b + 1;
        __dl_wait_flag_mte1(__dl_MTE2, 1);
      }
      if (real) {
        const long b = A_SLOTS * kPanelA + slot_b * kPanelB;
        multiply(slot_a * kPanelA + in_a * BK * BM * SIZE,
                 B_LAYOUT == 1 ? b + in_b * BK * BN * SIZE : b + in_b * BK * 32, c, m, n,
                 less(BK, p->k - step * BK), l0, step == 0, step + 1 == all);
        l0 = l0 + 1 == L0_SLOTS ? 0 : l0 + 1;
      }
      if (last_use && (in_a == STEPA - 1 || step + 1 == all))
        __dl_set_flag_mte1(__dl_MTE2, 0);
      if (last_b && (in_b == STEPB - 1 || step + 1 == all))
        __dl_set_flag_mte1(__dl_MTE2, 1);
    }
    if (real) {
      store(p, &at, c, m, n, atomic);
      c_slot = c_slot + 1 == C_SLOTS ? 0 : c_slot + 1;
    }
  }
}

// Names of the dtypes, as macros: __dl_arg itself does not expand them.
#define TENSOR(name, type) __dl_arg(name, tensor, type)

__dl_kernel TENSOR(a, TYPE_NAME) TENSOR(b, TYPE_NAME) TENSOR(c, OUT_NAME) __dl_arg(m, scalar, i64)
    __dl_arg(n, scalar, i64) __dl_arg(k, scalar, i64) __dl_arg(lda, scalar, i64) __dl_arg(ldb, scalar, i64)
        __dl_arg(ldc, scalar, i64) __dl_arg(rows_of_cores, scalar, i64)
            __dl_arg(columns_of_cores, scalar, i64) __dl_arg(m_parts, scalar, i64)
                __dl_arg(k_parts, scalar, i64) __dl_arg(order, scalar, i64) __dl_arg(swizzle, scalar, i64)
                    __dl_arg(k_shift, scalar, i64) __dl_arg(single_m, scalar, i64)
                        __dl_arg(single_n, scalar, i64) void matmul(void) {
  struct Problem p;
  p.a = __dl_arg_i64(0), p.b = __dl_arg_i64(1), p.c = __dl_arg_i64(2);
  p.m = __dl_arg_i64(3), p.n = __dl_arg_i64(4);
  p.lda = __dl_arg_i64(6), p.ldb = __dl_arg_i64(7), p.ldc = __dl_arg_i64(8);
  p.cores_down = __dl_arg_i64(9), p.cores_across = __dl_arg_i64(10), p.m_parts = __dl_arg_i64(11);
  const long k_parts = __dl_arg_i64(12);
  p.k = __dl_arg_i64(5) / k_parts;
  p.order = __dl_arg_i64(13), p.swizzle = __dl_arg_i64(14), p.k_shift = __dl_arg_i64(15);
  p.down = (p.m + BM - 1) / BM, p.across = (p.n + BN - 1) / BN, p.tiles = p.down * p.across;
  const long core = __dl_core(), cores = __dl_cores();
  if (p.cores_down) {
    p.single_m = __dl_arg_i64(16), p.single_n = __dl_arg_i64(17);
    p.block_down = (p.single_m + BM - 1) / BM, p.block_across = (p.single_n + BN - 1) / BN;
    p.count = core < p.cores_down * p.cores_across ? p.block_down * p.block_across * p.m_parts * k_parts : 0;
  } else {
    p.block_down = p.block_across = 0;
    p.count = (p.tiles * k_parts - core + cores - 1) / cores;
  }
  for (long i = 0; i < A_SLOTS; ++i)
    __dl_set_flag_mte1(__dl_MTE2, 0);
  for (long i = 0; i < B_SLOTS; ++i)
    __dl_set_flag_mte1(__dl_MTE2, 1);
  for (long i = 0; i < L0_SLOTS; ++i)
    for (long flag = 0; flag < L0_FLAGS; ++flag)
      __dl_set_flag_m(__dl_MTE1, flag);
  for (long i = 0; i < C_SLOTS && !UNITFLAG; ++i)
    __dl_set_flag_fix(__dl_M, 0);
  run(&p, k_parts > 1);
  for (long i = 0; i < A_SLOTS; ++i)
    __dl_wait_flag_mte2(__dl_MTE1, 0);
  for (long i = 0; i < B_SLOTS; ++i)
    __dl_wait_flag_mte2(__dl_MTE1, 1);
  for (long i = 0; i < L0_SLOTS; ++i)
    for (long flag = 0; flag < L0_FLAGS; ++flag)
      __dl_wait_flag_mte1(__dl_M, flag);
  for (long i = 0; i < C_SLOTS && !UNITFLAG; ++i)
    __dl_wait_flag_m(__dl_FIX, 0);
  __dl_barrier_all();
}
