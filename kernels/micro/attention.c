// Flash attention, forward, not causal: O = softmax(Q K^T / sqrt(128)) V for heads of 128 elements, fp16 in
// and out, softmax in f32.
//
// A task is BM rows of a head's Q. The cube core goes over the keys in tiles of BN: scores S = Q K^T to a
// workspace in global memory, scaled by the fixpipe, and, DEPTH tiles behind, P V of the tile whose P = exp(S
// - maximum) the vector cores have put there. The vector cores share the rows. Every tile has its own maximum
// and sum; when CHUNK tiles of O (or all of a task) are there, they are weighed and added up, so that no O is
// rescaled on the way. The steps of all tasks of a core run in one pipeline.
//
// Softmax does not care for the order of keys, so K and V are loaded in rows of PACK keys: requests of 512
// bytes instead of 256. Key i of a load becomes column i % PACK * 128 + i / PACK of its scores.
//
// Macros: BM 128 or 256; S_SLOTS, P_SLOTS tiles of S and P in the workspace; DEPTH steps between S and P V of
// a tile; S_F16 1: scores cross the workspace in f16; CHUNK, a multiple of O_GROUP. BN is 512: three block
// reductions of 8 make one number of a row. Arguments: `length`, a multiple of BN, of Q, K and V; `rotate`:
// tiles by which the order of keys is shifted from core to core; `ws_stride`: bytes of workspace a core
// group.
#include <dlnpu.h>

#ifndef BM
#define BM 256
#endif
#ifndef S_SLOTS
#define S_SLOTS 2
#endif
#ifndef P_SLOTS
#define P_SLOTS 3
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#ifndef S_F16
#define S_F16 0
#endif
#ifndef CHUNK
#define CHUNK 16
#endif

enum {
  BN = 512,
  HEAD = 128,
  SIDE = 128, // rows, columns and depth of a product of the cube
  PACK = 2,
  LOAD_KEYS = SIDE * PACK, // keys that one load brings
  LOADS = BN / LOAD_KEYS,
  HALVES = BM / SIDE,
  kSquare = SIDE * SIDE * 2, // bytes of an operand
  S_SIZE = S_F16 ? 2 : 4,
  kTileS = BM * BN * S_SIZE,
  kTileP = BM * BN * 2,
  kTileO = BM * HEAD * 4,
  O_GROUP = S_F16 ? 2 : 4, // O tiles that a vector core loads at once
};

// Cross-core flags of a group, in both directions.
enum { S_READY, S_FREE, P_READY, P_FREE, O_READY, O_FREE, GROUP_MODE = 2 << 4 };

struct Problem {
  long q, k, v, o;
  long tiles, chunks;       // of a task
  long first, count;        // this group's tasks
  long blocks, head_bytes;  // blocks of rows in a head
  long rotate;              // tiles by which this group's order is shifted
  long s, p, tile_o, sum_o; // workspace: scores, P, O of tiles, O of chunks
  long chunk_slots;         // tiles of O in a chunk: whole groups, so that none wraps
  long o_slots;             // tiles of O in the workspace
};

static inline struct Problem problem(void) {
  struct Problem a;
  a.q = __dl_arg_i64(0), a.k = __dl_arg_i64(1), a.v = __dl_arg_i64(2), a.o = __dl_arg_i64(3);
  const long heads = __dl_arg_i64(5), length = __dl_arg_i64(6), group = __dl_group();
  const long groups = __dl_cores() / __dl_subcores();
  a.tiles = length / BN, a.chunks = (a.tiles + CHUNK - 1) / CHUNK;
  a.blocks = length / BM, a.head_bytes = length * HEAD * 2;
  const long tasks = heads * a.blocks;
  a.first = tasks * group / groups, a.count = tasks * (group + 1) / groups - a.first;
  a.rotate = __dl_arg_i64(7) * group % a.tiles;
  a.chunk_slots = a.chunks > 1 ? CHUNK : (a.tiles + O_GROUP - 1) / O_GROUP * O_GROUP;
  a.o_slots = a.chunk_slots + O_GROUP;
  a.s = __dl_arg_i64(4) + group * __dl_arg_i64(8), a.p = a.s + S_SLOTS * kTileS;
  a.tile_o = a.p + P_SLOTS * kTileP, a.sum_o = a.tile_o + a.o_slots * kTileO;
  return a;
}

static inline long o_index(const struct Problem* a, long task, long tile) {
  return (task * a->chunks + tile / CHUNK) * a->chunk_slots + tile % CHUNK;
}

static inline long less(long a, long b) { return a < b ? a : b; }

#ifdef __DLNPU_AIC__
#include "attention_cube.h"
#else
#include "attention_vector.h"
#endif

__dl_kernel __dl_arg(q, tensor, f16) __dl_arg(k, tensor, f16) __dl_arg(v, tensor, f16)
    __dl_arg(o, tensor, f16) __dl_arg(ws, tensor, f32) __dl_arg(heads, scalar, i64)
        __dl_arg(length, scalar, i64) __dl_arg(rotate, scalar, i64)
            __dl_arg(ws_stride, scalar, i64) void attention(void) {
  const struct Problem a = problem();
  run(&a);
  __dl_barrier_all();
}
