// A persistent fp16 matrix product for cube cores, written by hand: 128 x 256 tiles of C, double-buffered L1
// and L0, every unit busy. Arguments: a, b, c (row-major f16). M % 128 = N % 256 = K % 256 = 0.
#pragma once

#include "tests/sim/support/program.h"

namespace dlsim::test {

inline Program gemmKernel(uint64_t m, uint64_t n, uint64_t k) {
  constexpr uint64_t kM = 128, kN = 256, kK1 = 256, kK0 = 64, kL1B = 128 * 1024;
  const uint64_t tiles_n = n / kN, total = (m / kM) * tiles_n;
  // Registers: 1 a, 2 b, 3 c, 4 task, 5 cores, 6 total, 7 row of tiles, 8 column, 9 a tile, 10 b tile, 11 k1
  // count, 12 L1 slot, 13 L0 slot, 14 k0 count, 15.. shapes.
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {1, 20}, 0).op("ld.d", {2, 20}, 8).op("ld.d", {3, 20}, 16);
  p.op("sreg", {4}, 0).op("sreg", {5}, 1).li(6, total).li(12, 0).li(13, 0).li(0, 0);
  p.li(15, kM | kK1 << 32).li(16, k * 2).li(17, kM * 32);  // nd2nz a
  p.li(18, kK1 | kN << 32).li(19, n * 2).li(20, kK1 * 32); // nd2nz b
  p.li(21, kM / 16 | kK0 / 16 << 16).li(22, kK0 / 16 | kN / 16 << 16);
  p.li(23, kM | kK0 << 16 | kN << 32).li(25, kM | kN << 32).li(26, kM * 64);
  p.op(setFlag("mte1", "mte2", 0)).op(setFlag("mte1", "mte2", 0));
  p.op(setFlag("m", "mte1", 0)).op(setFlag("m", "mte1", 0)).op(setFlag("fix", "m", 0));
  p.label("task").op("slt", {27, 4, 6}).op(W::to("bez", {27}, "end"));
  p.li(27, tiles_n).op("div", {7, 4, 27}).op("rem", {8, 4, 27});
  p.op("muli", {9, 7}, static_cast<int64_t>(kM)).op("mul", {9, 9, 16}).op("add", {9, 9, 1});
  p.op("shli", {10, 8}, 9).op("add", {10, 10, 2});
  p.li(11, k / kK1).li(24, 1).op(waitFlag("m", "fix", 0));
  p.label("k1").op("shli", {28, 12}, 16).op("shli", {29, 12}, 17).op("addi", {29, 29}, kL1B);
  p.bundle({W("li", {14}, kK1 / kK0), waitFlag("mte2", "mte1", 0)});
  p.op("mte2.nd2nz.l1", {28, 9, 15, 16, 17}, 0).op("mte2.nd2nz.l1", {29, 10, 18, 19, 20}, 0);
  p.bundle({setFlag("mte2", "mte1", 0), W("addi", {9, 9}, kK1 * 2)});
  p.li(27, kK1 * n * 2).bundle({W("add", {10, 10, 27}), waitFlag("mte1", "mte2", 0)});
  p.label("k0").op("shli", {30, 13}, 14).op("shli", {31, 13}, 15);
  p.op(waitFlag("mte1", "m", 0));
  p.bundle({W("mte1.load.l0a", {30, 28, 21, 17}, 0), W("addi", {28, 28}, kK0 / 16 * kM * 32)});
  p.bundle({W("mte1.load.l0b", {31, 29, 22, 20}, 1 << 4), W("addi", {29, 29}, kK0 * 32)});
  p.bundle({setFlag("mte1", "m", 0), waitFlag("m", "mte1", 0)});
  p.bundle({W("m.mmad", {0, 30, 31, 23, 24, 0}, 0), W("addi", {14, 14}, -1), W("xori", {13, 13}, 1)});
  p.bundle({setFlag("m", "mte1", 0), W("li", {24}, 0)});
  p.op(W::to("bnz", {14}, "k0"));
  p.bundle({setFlag("mte1", "mte2", 0), W("addi", {11, 11}, -1), W("xori", {12, 12}, 1)});
  p.op(W::to("bnz", {11}, "k1"));
  p.op(setFlag("m", "fix", 0)).op(waitFlag("fix", "m", 0));
  p.op("muli", {27, 7}, static_cast<int64_t>(kM)).op("mul", {27, 27, 19}).op("shli", {28, 8}, 9);
  p.op("add", {27, 27, 28}).op("add", {27, 27, 3});
  p.bundle({W("fix.copy.gm", {27, 0, 25, 19, 26, 0}, 0), W("add", {4, 4, 5})});
  p.bundle({setFlag("fix", "m", 0), W::to("jmp", {}, "task")});
  p.label("end").op(waitFlag("mte2", "mte1", 0)).op(waitFlag("mte2", "mte1", 0));
  p.op(waitFlag("mte1", "m", 0)).op(waitFlag("mte1", "m", 0)).op(waitFlag("m", "fix", 0)).ex();
  return p;
}

} // namespace dlsim::test
