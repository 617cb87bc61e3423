// Footprints against the values: a command changes nothing outside what it says it writes, and what it writes
// depends on nothing outside what it says it reads (and on what it leaves in place).
#include "sim/core/footprints.h"
#include "sim/memory/global_memory.h"
#include "sim/values/execute.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace dlsim::test {
namespace {

using core::Command;
using core::CoreState;
using core::Footprint;
using core::Space;
using isa::Opcode;

constexpr uint64_t kGmBytes = 1 << 16;
constexpr size_t kOffsets = 3 << 14; // from here on UB holds what v.gather can take for offsets

struct World {
  CoreState state;
  sim::GlobalMemory gm;
  uint64_t base = 0;

  explicit World(unsigned seed) {
    state.l1.resize(1 << 16);
    state.l0a.resize(1 << 14);
    state.l0b.resize(1 << 14);
    state.l0c.resize(1 << 15);
    state.ub.resize(1 << 16);
    state.bt.resize(1024);
    state.fb.resize(7168);
    base = gm.allocate(kGmBytes, "gm");
    std::mt19937 random(seed);
    for (const Space s :
         {Space::L1, Space::L0A, Space::L0B, Space::L0C, Space::UB, Space::BT, Space::FB, Space::GM})
      for (size_t i = 0; i < size(s); ++i)
        bytes(s)[i] = static_cast<uint8_t>(random());
    for (size_t i = kOffsets; i < state.ub.size(); ++i) // little-endian words below 4096
      state.ub[i] &= i % 4 == 0 ? 0xfc : i % 4 == 1 ? 0x0f : 0;
  }
  uint8_t* bytes(Space s) {
    return s == Space::GM ? reinterpret_cast<uint8_t*>(gm.mutableSpan(base, kGmBytes))
                          : state.memory(s).data();
  }
  size_t size(Space s) { return s == Space::GM ? kGmBytes : state.memory(s).size(); }
};

template <class F> void eachRun(const Footprint& fp, F&& f) {
  for (uint32_t j = 0; j < fp.count1; ++j)
    for (uint32_t i = 0; i < fp.count0; ++i)
      f(fp.address + static_cast<uint64_t>(fp.stride0 * i + fp.stride1 * j), fp.bytes);
}

class Footing {
public:
  Footing(World& world, const core::Footprints& fps) {
    for (unsigned s = 0; s < core::kSpaces; ++s)
      for (auto& map : {&read_[s], &written_[s]})
        map->assign(world.size(static_cast<Space>(s)), false);
    for (const Footprint& fp : fps)
      if (!fp.empty())
        eachRun(fp, [&](uint64_t at, uint64_t bytes) {
          auto& map = (fp.write ? written_ : read_)[static_cast<size_t>(fp.space)];
          const uint64_t from = fp.space == Space::GM ? at - world.base : at;
          for (uint64_t b = from; b < from + bytes; ++b)
            map.at(b) = true;
        });
  }
  bool reads(Space s, size_t at) const { return read_[static_cast<size_t>(s)][at]; }
  bool writes(Space s, size_t at) const { return written_[static_cast<size_t>(s)][at]; }

private:
  std::vector<bool> read_[core::kSpaces], written_[core::kSpaces];
};

constexpr Space kAll[] = {Space::L1, Space::L0A, Space::L0B, Space::L0C,
                          Space::UB, Space::BT,  Space::FB,  Space::GM};

core::Footprints everythingOf(const Command& c, const World& world) {
  core::Footprints fps = core::footprintsOf(c, world.state.lanes);
  if (const Footprint picked = core::gatherSource(c, world.state); !picked.empty())
    fps.add(picked);
  return fps;
}

void expectSound(const Command& c, CoreState::Lanes lanes, unsigned seed) {
  World first(seed), second(seed), before(seed);
  first.state.lanes = second.state.lanes = lanes;
  const core::Footprints fps = everythingOf(c, first);
  const Footing footing(first, fps);
  // Everything that is neither read nor written is different in the second world.
  for (const Space s : kAll)
    for (size_t i = 0; i < second.size(s); ++i)
      if (!footing.reads(s, i) && !footing.writes(s, i))
        second.bytes(s)[i] ^= 0x5a;
  values::execute(c, first.state, first.gm);
  values::execute(c, second.state, second.gm);
  const std::string name(isa::info(c.op).mnemonic);
  for (const Space s : kAll)
    for (size_t i = 0; i < first.size(s); ++i) {
      if (footing.writes(s, i)) {
        ASSERT_EQ(first.bytes(s)[i], second.bytes(s)[i])
            << name << " seed " << seed << ": " << core::spaceName(s) << " byte " << i
            << " depends on unread bytes";
      } else {
        ASSERT_EQ(first.bytes(s)[i], before.bytes(s)[i])
            << name << " seed " << seed << ": writes " << core::spaceName(s) << " byte " << i << " in secret";
      }
    }
}

// With all lanes on, every byte that a command says it writes is written: it does not keep what was there.
void expectExact(const Command& c, CoreState::Lanes lanes, unsigned seed) {
  World first(seed), second(seed);
  first.state.lanes = second.state.lanes = lanes;
  const Footing footing(first, everythingOf(c, first));
  const auto onlyWritten = [&](Space s, size_t i) { return footing.writes(s, i) && !footing.reads(s, i); };
  for (const Space s : kAll)
    for (size_t i = 0; i < second.size(s); ++i)
      if (onlyWritten(s, i))
        second.bytes(s)[i] ^= 0x5a;
  values::execute(c, first.state, first.gm);
  values::execute(c, second.state, second.gm);
  for (const Space s : kAll)
    for (size_t i = 0; i < first.size(s); ++i)
      if (onlyWritten(s, i))
        ASSERT_EQ(first.bytes(s)[i], second.bytes(s)[i])
            << isa::info(c.op).mnemonic << " seed " << seed << ": leaves " << core::spaceName(s) << " byte "
            << i;
}

struct Maker {
  std::mt19937 random;
  uint64_t base;
  uint64_t pick(uint64_t low, uint64_t high) { return low + random() % (high - low + 1); }
  uint64_t aligned(uint64_t below, uint64_t to) { return random() % (below / to) * to; }
};

using Make = std::function<void(Maker&, Command&)>;
struct Family {
  Opcode op;
  Make make;
};

void vectorOperands(Maker& m, Command& c, unsigned words) {
  const isa::InstrInfo& info = isa::info(c.op);
  for (unsigned i = 0; i < info.numRegs; ++i)
    switch (info.regs[i].role) {
    case isa::RoleKind::Dst:
      c.r[i] = m.aligned(1 << 14, 32);
      break;
    case isa::RoleKind::Src:
      c.r[i] = (1 << 14) * (1 + i % 3) + m.aligned(1 << 13, 32);
      break;
    case isa::RoleKind::Cfg:
      c.r[i] = m.pick(1, 2) | m.pick(0, 2) << 8 | m.pick(0, 2) << 16 | m.pick(8, 20) << 24 |
               m.pick(0, 12) << 32 | m.pick(0, 12) << 40 | m.pick(1, words) << 48;
      break;
    default:
      c.r[i] = m.random();
      break;
    }
}

std::vector<Family> families() {
  std::vector<Family> all = {
      {Opcode::MTE2_COPY_UB,
       [](Maker& m, Command& c) {
         c.r = {m.aligned(4096, 32),
                m.base + m.pick(0, 500),
                m.pick(1, 6) | m.pick(0, 90) << 32,
                m.pick(100, 300),
                160 | m.pick(0, 15) << 32 | m.pick(0, 15) << 48,
                m.random()};
         c.imm = 0;
       }},
      {Opcode::MTE2_ND2NZ,
       [](Maker& m, Command& c) {
         const uint64_t rows = m.pick(1, 40), cols = m.pick(1, 70);
         c.r = {m.aligned(4096, 32), m.base + m.pick(0, 99),     rows | cols << 32,
                m.pick(300, 500),    (rows + m.pick(0, 3)) * 32, 0};
         const uint32_t types[] = {0, 2, 3};
         c.imm = types[m.random() % 3];
       }},
      {Opcode::MTE2_FILL_L1,
       [](Maker& m, Command& c) { c.r = {m.aligned(4096, 32), m.random(), m.pick(1, 40) * 32, 0, 0, 0}; }},
      {Opcode::MTE3_COPY_L1,
       [](Maker& m, Command& c) {
         c.r = {m.base + m.pick(0, 99), m.aligned(4096, 32), m.pick(1, 9) | m.pick(1, 90) << 32,
                m.pick(90, 200),        m.pick(3, 9) * 32,   0};
         c.imm = 7;
       }},
      {Opcode::MTE1_LOAD_BT,
       [](Maker& m, Command& c) {
         c.r = {m.aligned(512, 64), m.aligned(4096, 32), m.pick(1, 8) * 64, 0, 0, 0};
       }},
      {Opcode::FIX_GM,
       [](Maker& m, Command& c) {
         const uint64_t rows = m.pick(1, 33), cols = m.pick(1, 50);
         c.r = {m.base + m.pick(0, 99), m.aligned(1024, 64), rows | cols << 32,
                m.pick(200, 300),       (rows + 3) * 64,     0x3f000000};
         c.imm = (m.random() % 2 ? 0 : 2) | (m.random() % 2) << 7 | (m.random() % 2) << 8;
       }},
      {Opcode::FIX_L1,
       [](Maker& m, Command& c) {
         const uint64_t rows = m.pick(1, 33), cols = m.pick(1, 50);
         c.r = {m.aligned(1024, 32), m.aligned(1024, 64), rows | cols << 32,
                (rows + 1) * 32,     (rows + 3) * 64,     0};
         c.imm = 0;
       }},
      {Opcode::MMAD,
       [](Maker& m, Command& c) {
         const uint32_t types[] = {0, 1, 2, 3, 6};
         c.imm = types[m.random() % 5] | (m.random() % 2) << 4;
         c.r = {m.aligned(1024, 64),  m.aligned(2048, 512),
                m.aligned(2048, 512), m.pick(1, 40) | m.pick(1, 40) << 16 | m.pick(1, 40) << 32,
                m.random() % 2,       m.aligned(256, 64)};
       }},
  };
  for (const Opcode op : {Opcode::MTE1_LOAD_L0A, Opcode::MTE1_LOAD_L0B})
    all.push_back(
        {op, [](Maker& m, Command& c) {
           const uint64_t a = m.pick(1, 4), b = m.pick(1, 4);
           const uint32_t types[] = {0, 2, 3};
           c.imm = types[m.random() % 3] | (m.random() % 2) << 4;
           c.r = {
               m.aligned(2048, 512), m.aligned(1024, 32), a | b << 16, 32 * 4 * 32 + m.pick(0, 2) * 32, 0, 0};
         }});
  for (const isa::InstrInfo& info : isa::instructions())
    if (info.unit == isa::Unit::V && info.isCommand && info.opcode != Opcode::V_MASK &&
        info.opcode != Opcode::V_COUNT && info.opcode != Opcode::V_CAST)
      all.push_back({info.opcode, [](Maker& m, Command& c) {
                       const bool bits = c.op >= Opcode::V_AND && c.op <= Opcode::V_XOR;
                       const bool half = c.op == Opcode::V_TRANS || bits || c.op == Opcode::V_NOT;
                       const bool shift = c.op == Opcode::V_SHLS || c.op == Opcode::V_SHRS;
                       c.imm = c.op == Opcode::V_IOTA ? 2
                               : half                 ? 4
                               : shift                ? (m.random() % 2 ? 4 : 5)
                               : m.random() % 2       ? 0
                                                      : 2;
                       vectorOperands(m, c, 6);
                       if (shift)
                         c.r[2] = m.pick(0, 15);
                     }});
  all.push_back({Opcode::V_CAST, [](Maker& m, Command& c) {
                   const uint32_t pairs[] = {0 | 2 << 4, 2 | 0 << 4, 0 | 3 << 4, 5 | 10 << 4, 2 | 5 << 4};
                   c.imm = pairs[m.random() % 5];
                   vectorOperands(m, c, 5);
                 }});
  return all;
}

TEST(Footprints, HoldEverythingThatACommandTouches) {
  World world(0);
  for (const Family& family : families())
    for (unsigned seed = 1; seed <= 12; ++seed) {
      Maker maker{std::mt19937(seed * 977 + static_cast<unsigned>(family.op)), world.base};
      Command c;
      c.op = family.op;
      family.make(maker, c);
      CoreState::Lanes lanes;
      if (seed % 3 == 1)
        lanes = {{maker.random() | 1, maker.random()}, false, 0};
      else if (seed % 3 == 2)
        lanes = {{~uint64_t{0}, ~uint64_t{0}}, true, maker.pick(1, 300)};
      expectSound(c, lanes, seed);
      if (seed % 3 == 0)
        expectExact(c, lanes, seed);
      if (HasFatalFailure())
        break;
    }
}

} // namespace
} // namespace dlsim::test
