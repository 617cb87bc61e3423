// Tokens of the two free buffers of each kind in a vector kernel: of inputs from V to MTE2, of results from
// MTE3 to V.
#pragma once
#include <dlnpu.h>

static inline void offer_buffers(void) {
  for (long i = 0; i < 2; ++i) {
    __dl_set_flag_v(__dl_MTE2, 0);
    __dl_set_flag_mte3(__dl_V, 0);
  }
}

static inline void collect_buffers(void) {
  for (long i = 0; i < 2; ++i) {
    __dl_wait_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE3, 0);
  }
}
