// Ordinary C on the scalar unit: recursion, arrays on the stack, structures, function pointers, tables, floats. Core 0 runs
// it; compiled for the host the same file gives the expected values.
#ifdef HOST
#define NOINLINE __attribute__((noinline))
#else
#include <dlnpu.h>
#define NOINLINE __attribute__((noinline))
#endif
typedef unsigned u32;
typedef unsigned long u64;

static NOINLINE long fibonacci(long n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static NOINLINE void quicksort(long *a, long lo, long hi) {
  if (lo >= hi) return;
  long pivot = a[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) { long t = a[i]; a[i++] = a[j]; a[j--] = t; }
  }
  quicksort(a, lo, j);
  quicksort(a, i, hi);
}

static const u32 k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static u32 rotate(u32 x, int n) { return x >> n | x << (32 - n); }
static NOINLINE void sha256_block(u32 *h, const unsigned char *block) {
  u32 w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = (u32)block[4 * i] << 24 | (u32)block[4 * i + 1] << 16 | (u32)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; ++i)
    w[i] = w[i - 16] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
           (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
  u32 s[8];
  for (int i = 0; i < 8; ++i) s[i] = h[i];
  for (int i = 0; i < 64; ++i) {
    u32 t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k256[i] + w[i];
    u32 t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i) h[i] += s[i];
}

struct shape { short kind; signed char tag; u32 flags : 5, level : 11; float size[3]; struct { long a, b, c, d, e, f, g, h, i; } wide; };
static NOINLINE struct shape make(int kind, float x) {
  struct shape s = {0};
  s.kind = (short)(kind * 1000);
  s.tag = (signed char)(kind - 200);
  s.flags = (u32)kind * 7;
  s.level = (u32)kind * 300;
  for (int i = 0; i < 3; ++i) s.size[i] = x / (float)(i + 1);
  s.wide.i = kind + 5;
  return s;
}
static NOINLINE float area(struct shape s) { return s.size[0] * s.size[1] + s.size[2] - (float)s.level + (float)s.tag; }
static NOINLINE long plus(long a, long b) { return a + b; }
static NOINLINE long times(long a, long b) { return a * b; }
static NOINLINE long apply(long (*f)(long, long), long a, long b) { return f(a, b); }
static long (*const table[2])(long, long) = {plus, times};

static NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h, int i, float j, short k, long l) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + (long)(j * 10.0f) + 11 * k + 12 * l;
}
static NOINLINE long choose(int op, long a, long b) {
  switch (op) {
  case 0: return a + b;
  case 1: return a - b;
  case 2: return a * b;
  case 3: return b ? a / b : 0;
  case 4: return a ^ b;
  case 5: return a << (b & 63);
  case 9: return (int)a >> (b & 31);
  default: return -1;
  }
}
static NOINLINE long variable(long n) {
  long buffer[n];
  for (long i = 0; i < n; ++i) buffer[i] = i * i;
  long sum = apply(plus, buffer[n - 1], 1);
  for (long i = 0; i < n; ++i) sum += buffer[i];
  return sum;
}
static NOINLINE float horner(float x) {
  float y = 0.0f;
  for (int i = 8; i >= 0; --i) y = y * x + 1.0f / (float)(i + 1);
  return y < 0 ? -y : __builtin_sqrtf(y);
}

void programs(long *out) {
  long n = 0, a[100];
  u64 seed = 12345;
  for (int i = 0; i < 100; ++i) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    a[i] = (long)(seed >> 20) - (1l << 43);
  }
  quicksort(a, 0, 99);
  for (int i = 0; i < 100; i += 9) out[n++] = a[i];
  out[n++] = fibonacci(14);
  u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char block[64] = {'a', 'b', 'c', 0x80};
  block[63] = 24;
  sha256_block(h, block);
  for (int i = 0; i < 8; ++i) out[n++] = h[i];
  for (int i = -3; i < 4; ++i) {
    struct shape s = make(i, 1.25f * (float)i);
    float v = area(s);
    u32 bits;
    __builtin_memcpy(&bits, &v, 4);
    out[n++] = bits;
    out[n++] = s.kind + s.flags + s.wide.i;
  }
  for (int i = 0; i < 12; ++i) out[n++] = choose(i, a[i], a[i + 5] & 0xffff);
  for (int i = 0; i < 4; ++i) out[n++] = apply(table[i & 1], a[i], i + 3);
  out[n++] = many(1, 2, 3, 4, 5, 6, 7, 8, -9, 1.25f, -11, a[3]);
  out[n++] = variable(17);
  for (int i = 0; i < 6; ++i) {
    float y = horner((float)i * 0.5f - 1.0f);
    u32 bits;
    __builtin_memcpy(&bits, &y, 4);
    out[n++] = bits;
  }
  out[n] = n;
}

#ifndef HOST
__dl_kernel __dl_arg(y, tensor, i64) void programs_kernel(void) {
  if (__dl_core() == 0) programs((long *)__dl_arg_i64(0));
}
#endif
