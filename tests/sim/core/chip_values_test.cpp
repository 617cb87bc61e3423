// The numbers of the 910B1's chip file, where they act: every parameter of the core side that no other test
// pins.
#include "sim/core/core.h"
#include "tests/sim/support/rig.h"

#include <gtest/gtest.h>

namespace dlsim::test {
namespace {

using core::Unit;
constexpr int64_t kF16 = 0;

const sim::ChipSpec& chip() {
  static const sim::ChipSpec spec = sim::loadChip(sim::chipPath("ascend910b1")).spec;
  return spec;
}
std::vector<Recorder::Effect> of(const Rig& rig, Unit unit) {
  std::vector<Recorder::Effect> out;
  for (const auto& e : rig.recorder.commands)
    if (e.effect.unit == unit)
      out.push_back(e);
  return out;
}

TEST(ChipValues, OnChipMemories) {
  struct Memory {
    const char *kind, *scope;
    uint64_t bytes;
    unsigned align;
  };
  for (const Memory& m :
       {Memory{"aic", "l1", 524288, 32}, Memory{"aic", "l0a", 65536, 512}, Memory{"aic", "l0b", 65536, 512},
        Memory{"aic", "l0c", 131072, 64}, Memory{"aic", "bt", 1024, 64}, Memory{"aic", "fb", 7168, 64},
        Memory{"aiv", "ub", 196608, 32}}) {
    const sim::ScopeSpec* scope = chip().kind(m.kind)->scope(m.scope);
    ASSERT_TRUE(scope) << m.scope;
    EXPECT_EQ(scope->bytes, m.bytes) << m.scope;
    EXPECT_EQ(scope->align, m.align) << m.scope;
  }
}

// Loads `count` lines that fall into one set of the geometry given, then the first of them again: true if it
// was still there, that is, if it took no longer than a hit.
bool firstLineStays(bool vector, uint64_t bytes, unsigned ways, unsigned count) {
  Rig rig;
  const uint64_t stride = bytes / ways;
  uint64_t data = rig.session().allocate(stride * 12 + 65536, "data");
  data = (data + 65535) / 65536 * 65536;
  Program p;
  p.op("sreg", {20}, 3)
      .op("ld.d", {21, 20}, 0)
      .li(2, stride)
      .op("addi", {21, 21}, 128); // away from the arguments
  p.op("mov", {22, 21});
  for (unsigned i = 0; i < count; ++i)
    p.op("ld.d", {1, 22}, 0).op("add", {22, 22, 2});
  p.op("mov", {1, 1});
  const size_t at = p.size();
  p.op("ld.d", {3, 21}, 0).op("mov", {4, 3}).ex();
  const chip::RunResult result = vector ? rig.aiv(p, {data}) : rig.aic(p, {data});
  EXPECT_FALSE(result.fault);
  return rig.recorder.issued(at + 1) - rig.recorder.issued(at - 1) < 10;
}

TEST(ChipValues, DataCacheGeometry) {
  for (const bool vector : {false, true}) {
    const uint64_t bytes = vector ? 32768 : 16384;
    EXPECT_TRUE(firstLineStays(vector, bytes, 4, 4)) << "four ways";
    EXPECT_FALSE(firstLineStays(vector, bytes, 4, 5)) << "one line more than ways";
  }
}

// A loop over `count` blocks of code that fall into one set; misses of the whole run.
uint64_t codeMisses(bool vector, uint64_t bytes, unsigned count) {
  const std::string kind = vector ? "aiv" : "aic";
  Rig rig({"core." + kind + ".icache.line_bytes=128", "core." + kind + ".icache.prefetch_bytes=0"});
  const size_t stride = bytes / 4 / isa::kWordBytes; // four ways
  Program p;
  p.li(1, 3);
  p.label("first");
  for (unsigned i = 0; i + 1 < count; ++i) {
    p.op(W::to("jmp", {}, "block" + std::to_string(i + 1)));
    while (p.size() < stride * (i + 1))
      p.raw(0);
    p.label("block" + std::to_string(i + 1));
  }
  p.op("addi", {1, 1}, -1).op(W::to("bnz", {1}, "first")).ex();
  const chip::RunResult result = vector ? rig.aiv(p) : rig.aic(p);
  EXPECT_FALSE(result.fault);
  return result.counters.cores[0].icache_misses;
}

TEST(ChipValues, InstructionCacheGeometry) {
  for (const bool vector : {false, true}) {
    const uint64_t bytes = vector ? 16384 : 32768;
    EXPECT_EQ(codeMisses(vector, bytes, 4), 4u) << "four ways hold four blocks";
    EXPECT_EQ(codeMisses(vector, bytes, 5), 15u) << "five in turn displace each other";
  }
}

TEST(ChipValues, InstructionLinesAndPrefetch) {
  for (const bool vector : {false, true}) {
    const std::string kind = vector ? "aiv" : "aic";
    // The chip's own line and prefetch: one miss brings 1 + 16 lines of 16 words. The rig's long lines are
    // undone.
    const sim::CoreKindSpec& spec = *chip().kind(kind);
    Rig rig({"core." + kind + ".icache.line_bytes=" + std::to_string(spec.icache.lineBytes)});
    for (const size_t words : {size_t{17 * 16}, size_t{17 * 16 + 1}}) {
      Program p;
      while (p.size() + 1 < words)
        p.op("nop");
      p.ex();
      const chip::RunResult result = vector ? rig.aiv(p) : rig.aic(p);
      EXPECT_EQ(result.counters.cores[0].icache_misses, words == 17 * 16 ? 1u : 2u) << kind << " " << words;
    }
  }
}

TEST(ChipValues, TheLastByteOfAMemoryIsUsableTheNextIsNot) {
  for (const uint64_t bytes : {uint64_t{32}, uint64_t{64}}) {
    Rig rig;
    Program p;
    p.li(1, 524288 - 32).li(2, 0).li(3, bytes).op("mte2.fill.l1", {1, 2, 3}).ex();
    EXPECT_EQ(rig.aic(p).fault.has_value(), bytes == 64);
  }
}

// n commands of one unit behind one another: distance from the first start to the last completion.
uint64_t chain(Rig& rig, Unit unit) {
  const auto e = of(rig, unit);
  return e.back().effect.completed - e.front().effect.started;
}

TEST(ChipValues, WidthsInsideTheCubeCore) {
  struct Load {
    const char* op;
    uint64_t shape; // mf, kf or bytes
    unsigned startup, cycles;
  };
  for (const Load& l :
       {Load{"mte1.load.l0a", 16 | 8 << 16, 28, 256}, Load{"mte1.load.l0b", 16 | 8 << 16, 28, 512},
        Load{"mte1.load.bt", 1024, 20, 32}, Load{"mte1.load.fb", 1024, 20, 32}}) {
    Rig rig;
    Program p;
    p.li(1, 0).li(2, l.shape).li(3, 16 * 16 * 32);
    const bool table = l.cycles == 32;
    for (int i = 0; i < 8; ++i)
      table ? p.op(l.op, {1, 1, 2}) : p.op(l.op, {1, 1, 2, 3}, kF16);
    p.ex();
    ASSERT_FALSE(rig.aic(p).fault) << l.op;
    // A load behind another waits for 19 cycles of its start-up; the last one's pipeline drains.
    EXPECT_EQ(chain(rig, Unit::MTE1), 7u * (19 + l.cycles) + l.startup + l.cycles) << l.op;
  }
}

TEST(ChipValues, FixpipeReadsElementsAndWritesL1) {
  Program p;
  // 128 x 256 to f16: 32768 elements at 64 a cycle = 512; 65536 bytes at 128 a cycle = 512.
  p.li(1, 0).li(2, 128 | uint64_t{256} << 32).li(3, 128 * 32).li(4, 128 * 64);
  p.op("fix.copy.l1", {1, 1, 2, 3, 4, 1}, kF16).ex();
  Rig rig;
  ASSERT_FALSE(rig.aic(p).fault);
  EXPECT_EQ(chain(rig, Unit::FIX), 20u + 512);
  Rig wide({"core.aic.path.l0c_l1.bytes_per_cycle=1024"}), deep({"fix.elements_per_cycle=1024"});
  wide.aic(p);
  deep.aic(p);
  EXPECT_EQ(chain(wide, Unit::FIX), 20u + 512) << "elements alone";
  EXPECT_EQ(chain(deep, Unit::FIX), 20u + 512) << "the path alone";
}

TEST(ChipValues, FillWidth) {
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 0).li(3, 153 * 3200).op("mte2.fill.l1", {1, 2, 3}).ex();
  ASSERT_FALSE(rig.aic(p).fault);
  EXPECT_EQ(chain(rig, Unit::MTE2), 3200u);
}

// One burst through an engine whose path to the core is the only bottleneck: 128 KB more take 128 KB / width.
uint64_t transferCycles(const std::string& unit, uint64_t bytes) {
  Rig rig({"noc.read_channel_bytes=4096", "noc.write_channel_bytes=4096", "noc.slice_read_bytes=4096",
           "noc.slice_write_bytes=4096", "l2.port_bytes=4096", "hbm.channel_bytes=512",
           "dma.read_window=1024", "dma.write_window=1024", "l2.mshrs=1024", "l2.sets=512",
           "fix.elements_per_cycle=4096", "dma.burst_cycles=1"});
  const uint64_t data = rig.upload(std::vector<uint8_t>(192 * 1024));
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(1, 0).li(3, 1 | bytes << 32).li(4, 0);
  if (unit == "mte2.copy.l1" || unit == "mte2.copy.ub")
    p.op(unit, {1, 21, 3, 4, 4, 4}, 0);
  else if (unit == "fix.copy.gm")
    p.li(3, bytes / 512 | uint64_t{256} << 32)
        .li(4, 512)
        .li(5, bytes / 512 * 64)
        .op(unit, {21, 1, 3, 4, 5, 1}, kF16);
  else
    p.op(unit, {21, 1, 3, 4, 4}, 7);
  p.ex();
  const bool vector = unit.back() == 'b';
  const dlk::Kernel kernel = kernelOf(p, vector ? dlk::KernelKind::Aiv : dlk::KernelKind::Aic, 1);
  rig.run(kernel, {data}); // warms L2
  rig.recorder.commands.clear();
  const chip::RunResult result = rig.run(kernel, {data});
  EXPECT_FALSE(result.fault) << result.fault->text();
  const auto& e = rig.recorder.commands.at(0).effect;
  return e.completed - e.started;
}

TEST(ChipValues, WidthsToGlobalMemory) {
  struct Path {
    const char* op;
    double width;
  };
  for (const Path& path : {Path{"mte2.copy.l1", 153}, Path{"mte2.copy.ub", 128}, Path{"mte3.copy.l1", 128},
                           Path{"mte3.copy.ub", 128}, Path{"fix.copy.gm", 128}}) {
    const bool fix = std::string(path.op) == "fix.copy.gm"; // L0C holds 64 KB of f16 results
    const uint64_t more = fix ? 48 * 1024 : 96 * 1024, base = fix ? 16 * 1024 : 64 * 1024;
    const double cycles =
        static_cast<double>(transferCycles(path.op, base + more) - transferCycles(path.op, base));
    EXPECT_NEAR(cycles, static_cast<double>(more) / path.width, 2.0) << path.op;
  }
  // The fixpipe reads 64 f32 a cycle, as many bytes of f16 as its path takes; a faster reader leaves the
  // path.
}

TEST(ChipValues, CubeSteps) {
  struct Type {
    int64_t dtype;
    unsigned k;
  };
  for (const Type& t : {Type{0, 16}, Type{1, 16}, Type{2, 4}, Type{6, 8}, Type{3, 32}}) {
    struct Shape {
      uint64_t m, k, n, steps;
    };
    // 17 steps of 16 in one dimension at a time; one step more or less shows.
    for (const Shape& s : {Shape{272, t.k, 16, 17}, Shape{16, t.k, 272, 17},
                           Shape{16, uint64_t{t.k} * (t.k + 1), 16, uint64_t{t.k} + 1}}) {
      Rig rig;
      Program p;
      p.li(1, 0).li(2, s.m | s.k << 16 | s.n << 32).li(3, 1).op("m.mmad", {1, 1, 1, 2, 3, 1}, t.dtype).ex();
      const chip::RunResult result = rig.aic(p);
      ASSERT_FALSE(result.fault) << result.fault->text();
      EXPECT_EQ(chain(rig, Unit::M), 62u + s.steps) << "dtype " << t.dtype << " m " << s.m << " k " << s.k;
    }
  }
}

TEST(ChipValues, CubeTrafficReproducesAPublicProfile) {
  // 128 x 128 x 1024 in mmads of k = 32 (reference: e33 = 4096, e27 = 1024, e42 = 2048, e40 = 2048 - 64).
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 128 | 32 << 16 | uint64_t{128} << 32).li(3, 1).li(4, 0);
  p.op("m.mmad", {1, 1, 1, 2, 3, 1}, kF16);
  for (int i = 1; i < 32; ++i)
    p.op("m.mmad", {1, 1, 1, 2, 4, 1}, kF16);
  p.ex();
  const observe::CoreCounters c = rig.aic(p).counters.cores[0];
  EXPECT_EQ(c.l0b_reads, 4096u);
  EXPECT_EQ(c.l0a_reads, 1024u);
  EXPECT_EQ(c.l0c_writes, 2048u);
  EXPECT_EQ(c.l0c_reads, 2048u - 64);
  EXPECT_EQ(c.mmad_fp, 32u);
  // Five steps along n: an A fractal is read for the first four and again for the fifth.
  Rig five;
  Program q;
  q.li(1, 0).li(2, 16 | 16 << 16 | uint64_t{80} << 32).li(3, 1).op("m.mmad", {1, 1, 1, 2, 3, 1}, kF16).ex();
  EXPECT_EQ(five.aic(q).counters.cores[0].l0a_reads, 2u);
}

TEST(ChipValues, VectorQueueDepth) {
  Rig rig;
  Program p;
  p.li(1, 0).li(2, 0).li(3, 1 | 1 << 8 | uint64_t{8} << 24 | uint64_t{200} << 48);
  for (int i = 0; i < 36; ++i)
    p.op("v.dup", {1, 2, 3}, 2);
  p.ex();
  ASSERT_FALSE(rig.aiv(p).fault);
  const auto e = of(rig, Unit::V);
  EXPECT_EQ(e.at(32).effect.issued - e.at(0).effect.issued, 32u);
  EXPECT_EQ(e.at(33).effect.issued, e.at(1).effect.started);
}

TEST(ChipValues, DataCacheOfBothKinds) {
  for (const bool vector : {false, true}) {
    Rig rig;
    const uint64_t in = rig.upload(std::vector<uint64_t>(32, 1));
    Program p;
    p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("ld.d", {1, 21}, 0).op("mov", {2, 1});
    const size_t at = p.size();
    p.op("ld.d", {3, 21}, 56).op("mov", {4, 3}).op("ld.d", {5, 21}, 64).ex();
    const chip::RunResult result = vector ? rig.aiv(p, {in}) : rig.aic(p, {in});
    EXPECT_EQ(rig.recorder.issued(at + 1) - rig.recorder.issued(at), 4u);
    EXPECT_EQ(result.counters.cores[0].dcache_misses, 3u) << "lines of 64 bytes";
  }
}

TEST(ChipValues, StoreBuffer) {
  Rig rig;
  const uint64_t out = rig.upload(std::vector<uint8_t>(64 * 16));
  Program p;
  p.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).op("addi", {1, 21}, 0);
  const size_t at = p.size();
  for (int i = 0; i < 9; ++i)
    p.op("st.d", {1, 21}, 64 * i);
  p.ex();
  const chip::RunResult result = rig.aic(p, {out});
  // Eight stores to eight lines go into the buffer, the ninth waits for the first line.
  EXPECT_EQ(rig.recorder.issued(at + 7) - rig.recorder.issued(at), 7u);
  EXPECT_GT(rig.recorder.issued(at + 8) - rig.recorder.issued(at + 7), 100u);
  EXPECT_EQ(result.counters.cores[0].dcache_misses, 10u);
}

TEST(ChipValues, FlagLimits) {
  Rig full, over, id;
  Program p, q, r;
  for (int i = 0; i < 15; ++i) {
    p.op(setFlag("mte1", "m", 0));
    q.op("xset.s", {}, 3);
  }
  p.op(setFlag("mte1", "m", 0)).ex();
  q.op("xset.s", {}, 3).ex();
  EXPECT_TRUE(full.aic(p).fault) << "flag_max";
  EXPECT_TRUE(over.aic(q).fault) << "cross_core_max";
  r.li(1, 8).op("set_flagr.mte1", {1}, unitNumber("m") << 4).ex();
  EXPECT_TRUE(id.aic(r).fault) << "flag_ids";
}

TEST(ChipValues, PortsOfTheTransferUnits) {
  // 255 repeats behind a transfer of 128 KB in the same bank: 255 x 128 / 512 cycles are lost.
  Rig rig;
  const uint64_t data = rig.upload(std::vector<uint8_t>(128 * 1024));
  Program in, out;
  const uint64_t dup = 1 | 1 << 8 | uint64_t{8} << 24 | uint64_t{255} << 48;
  in.op("sreg", {20}, 3)
      .op("ld.d", {21, 20}, 0)
      .li(1, 0)
      .li(2, 1 | uint64_t{65536} << 32)
      .li(3, 0)
      .li(4, dup);
  in.op("mte2.copy.ub", {1, 21, 2, 3, 3, 3}).op("v.dup", {1, 3, 4}, 2).ex();
  EXPECT_EQ(rig.aiv(in, {data}).counters.cores[0].mte_conflict, 255u * 128 / 512);
  Rig second;
  const uint64_t target = second.upload(std::vector<uint8_t>(128 * 1024));
  out.op("sreg", {20}, 3).op("ld.d", {21, 20}, 0).li(1, 0).li(2, 1 | uint64_t{65536} << 32).li(3, 0);
  out.li(4, 1 | 1 << 8 | uint64_t{8} << 24 | uint64_t{8} << 32 | uint64_t{255} << 48).li(5, 1 << 16);
  out.op("mte3.copy.ub", {21, 1, 2, 3, 3}, 7).op("v.relu", {5, 1, 4}, 2).ex();
  EXPECT_EQ(second.aiv(out, {target}).counters.cores[0].mte_conflict, 255u * 128 / 512);
}

} // namespace
} // namespace dlsim::test
