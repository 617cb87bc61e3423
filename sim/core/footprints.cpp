#include "sim/core/footprints.h"

#include "sim/core/img2col.h"

#include <algorithm>
#include <cstring>

namespace dlsim::core {

namespace f = isa::fields;
using isa::Opcode;

unsigned elementBytes(uint32_t code) { return isa::dtypeBytes(static_cast<isa::DType>(code)); }

namespace {

using Regs = std::array<uint64_t, 6>;

void addStrided(Footprints& out, Space space, bool write, uint64_t address, uint64_t bytes, uint64_t count,
                int64_t stride) {
  if (bytes && count)
    out.add({address, bytes, stride, 0, static_cast<uint32_t>(count), 1, space, write});
}

// A tile stored as column blocks: rows of `row` bytes one after another, blocks `block_stride` apart. The
// last block may hold fewer columns.
void addBlocked(Footprints& out, Space space, bool write, uint64_t address, uint64_t rows, uint64_t cols,
                unsigned element, unsigned row, uint64_t block_stride) {
  if (!element)
    return;
  const uint64_t per_block = row / element, full = cols / per_block, rest = cols % per_block;
  addStrided(out, space, write, address, rows * row, full, static_cast<int64_t>(block_stride));
  addStrided(out, space, write, address + full * block_stride, rest * element, rest ? rows : 0, row);
}

template <class F> void copyIn(Footprints& out, const Command& c, Space to) {
  const Regs& r = c.r;
  const uint64_t length = F::length::get(r), count = F::count::get(r);
  addStrided(out, to, true, r[F::kDst], F::left::get(r) + length + F::right::get(r), count,
             static_cast<int64_t>(F::dststride::get(r)));
  addStrided(out, Space::GM, false, r[F::kSrc], length, count, F::srcstride::getSigned(r));
}

template <class F> void copyOut(Footprints& out, const Command& c, Space from) {
  const Regs& r = c.r;
  const uint64_t length = F::length::get(r), count = F::count::get(r);
  addStrided(out, Space::GM, true, r[F::kDst], length, count, F::dststride::getSigned(r));
  addStrided(out, from, false, r[F::kSrc], length, count, static_cast<int64_t>(F::srcstride::get(r)));
}

void nd2nz(Footprints& out, const Command& c) {
  using F = f::MTE2_ND2NZ;
  const unsigned s = elementBytes(F::dtype::get(c.imm));
  const uint64_t rows = F::rows::get(c.r), cols = F::cols::get(c.r);
  addStrided(out, Space::GM, false, c.r[F::kSrc], cols * s, rows, F::srcstride::getSigned(c.r));
  addBlocked(out, Space::L1, true, c.r[F::kDst], rows, cols, s, 32, F::blockstride::get(c.r));
}

void gatherRows(Footprints& out, const Command& c) {
  using F = f::MTE2_GATHER_UB;
  const uint64_t count = F::count::get(c.r);
  addStrided(out, Space::UB, true, c.r[F::kDst], F::length::get(c.r), count,
             static_cast<int64_t>(F::dststride::get(c.r)));
  addStrided(out, Space::UB, false, c.r[F::kSrc1], count * 4, 1, 0);
}

void loadL0(Footprints& out, const Command& c, bool left) {
  using A = f::MTE1_LOAD_L0A;
  using B = f::MTE1_LOAD_L0B;
  const unsigned s = elementBytes(A::dtype::get(c.imm));
  if (!s)
    return;
  const uint64_t kf = left ? A::kf::get(c.r) : B::kf::get(c.r), of = left ? A::mf::get(c.r) : B::nf::get(c.r);
  const uint64_t k = kf * (32 / s), outer = of * 16;
  const bool transpose = A::transpose::get(c.imm);
  addStrided(out, left ? Space::L0A : Space::L0B, true, c.r[A::kDst], kf * of * 512, 1, 0);
  // The L1 tile is Nz of (m, k) for A and of (n, k) for B, swapped when transposed.
  const bool k_rows = transpose;
  addBlocked(out, Space::L1, false, c.r[A::kSrc], k_rows ? k : outer, k_rows ? outer : k, s, 32,
             A::blockstride::get(c.r));
}

void img2col(Footprints& out, const Command& c) {
  using F = f::MTE1_IMG2COL_L0A;
  const Img2Col g(c);
  if (!elementBytes(F::dtype::get(c.imm)) || !g.valid())
    return;
  const uint64_t plane = g.height * g.width * 32, first = g.firstChannels();
  addStrided(out, Space::L0A, true, c.r[F::kDst], g.m_fractals * g.k_fractals * 512, 1, 0);
  addStrided(out, Space::L1, false, c.r[F::kSrc] + first * plane, plane, g.endChannels() - first,
             static_cast<int64_t>(plane));
}

void mmad(Footprints& out, const Command& c) {
  using F = f::MMAD;
  const unsigned s = elementBytes(F::dtype::get(c.imm));
  if (!s)
    return;
  const uint64_t m = F::m::get(c.r), k = F::k::get(c.r), n = F::n::get(c.r);
  const uint64_t mf = (m + 15) / 16, nf = (n + 15) / 16, kf = (k * s + 31) / 32;
  addStrided(out, Space::L0A, false, c.r[F::kSrc0], mf * kf * 512, 1, 0);
  addStrided(out, Space::L0B, false, c.r[F::kSrc1], kf * nf * 512, 1, 0);
  const bool init = F::init::get(c.r);
  addBlocked(out, Space::L0C, true, c.r[F::kDst], m, n, 4, 64, 64 * mf * 16);
  if (!init)
    addBlocked(out, Space::L0C, false, c.r[F::kDst], m, n, 4, 64, 64 * mf * 16);
  else if (F::bias::get(c.imm) && out.count < kMaxFootprints)
    addStrided(out, Space::BT, false, c.r[F::kSrc2], n * 4, 1, 0);
}

void fixpipe(Footprints& out, const Command& c) {
  using G = f::FIX_GM;
  using L = f::FIX_L1;
  const bool to_l1 = c.op == Opcode::FIX_L1;
  const unsigned s = elementBytes(G::dtype::get(c.imm));
  const uint64_t m = G::m::get(c.r), n = G::n::get(c.r);
  addBlocked(out, Space::L0C, false, c.r[G::kSrc], m, n, 4, 64, G::blockstride::get(c.r));
  if (to_l1)
    addBlocked(out, Space::L1, true, c.r[L::kDst], m, n, s, 32, L::dstblockstride::get(c.r));
  else
    addStrided(out, Space::GM, true, c.r[G::kDst], n * s, m, G::dststride::getSigned(c.r));
}

// One elementwise side over all repeats; the last repeat of count mode may be shorter.
void addSide(Footprints& out, const VectorSide& side, const VectorWalk& walk, bool write) {
  if (!side.element || !walk.repeats)
    return;
  const uint32_t full = walk.tail ? walk.repeats - 1 : walk.repeats;
  const auto repeat = static_cast<int64_t>(side.repeat_stride) * 32,
             block = static_cast<int64_t>(side.block_stride) * 32;
  const auto run = [&](uint64_t address, uint64_t lanes, uint32_t repeats) {
    const uint64_t bytes = lanes * side.element;
    if (!bytes || !repeats || out.count == kMaxFootprints)
      return;
    if (side.block_stride == 1 || bytes <= 32)
      out.add({address, bytes, repeat, 0, repeats, 1, Space::UB, write});
    else
      out.add(
          {address, 32, block, repeat, static_cast<uint32_t>((bytes + 31) / 32), repeats, Space::UB, write});
  };
  run(side.address, walk.last_lane, full);
  if (walk.tail)
    run(side.address + static_cast<uint64_t>(full * repeat), walk.tail, 1);
}

void reduce(Footprints& out, const Command& c, const VectorWalk& w) {
  addSide(out, w.sides[1], w, false);
  const uint64_t dst = w.sides[0].address, s = w.widest;
  switch (c.op) {
  case Opcode::V_CADD:
  case Opcode::V_CMAX:
  case Opcode::V_CMIN:
    addStrided(out, Space::UB, true, dst, s, w.repeats, static_cast<int64_t>(w.sides[0].repeat_stride * s));
    break;
  case Opcode::V_CPADD:
    addStrided(out, Space::UB, true, dst, (w.elements + 1) / 2 * s, 1, 0);
    break;
  default:
    addStrided(out, Space::UB, true, dst, (w.elements * s + 31) / 32 * s, 1, 0);
    break;
  }
}

// The strides of a gather are not the configuration word's.
VectorSide contiguous(VectorSide side, const VectorWalk& walk) {
  side.block_stride = 1;
  side.repeat_stride = walk.lanes * side.element / 32;
  return side;
}

void vectorSpecial(Footprints& out, const Command& c, const VectorWalk& w) {
  const uint64_t bit_bytes = (w.elements + 7) / 8;
  switch (c.op) {
  case Opcode::V_CMP:
  case Opcode::V_CMPS:
    addStrided(out, Space::UB, true, w.sides[0].address, bit_bytes, 1, 0);
    addSide(out, w.sides[1], w, false);
    addSide(out, w.sides[2], w, false);
    break;
  case Opcode::V_SEL:
    addSide(out, w.sides[0], w, true);
    addSide(out, w.sides[1], w, false);
    addSide(out, w.sides[2], w, false);
    addStrided(out, Space::UB, false, c.r[f::V_SEL::kSrc2], bit_bytes, 1, 0);
    break;
  case Opcode::V_BRCB:
    addStrided(out, Space::UB, false, w.sides[1].address, uint64_t{8} * w.widest, w.repeats, 8 * w.widest);
    addStrided(out, Space::UB, true, w.sides[0].address, 32, uint64_t{8}, w.sides[0].block_stride * 32);
    out.items[out.count - 1].count1 = w.repeats;
    out.items[out.count - 1].stride1 = w.sides[0].repeat_stride * 32;
    break;
  case Opcode::V_TRANS:
    for (const unsigned side : {0u, 1u})
      out.add({w.sides[side].address, 32, w.sides[side].block_stride * 32, w.sides[side].repeat_stride * 32,
               16, w.repeats, Space::UB, side == 0});
    break;
  case Opcode::V_GATHER: // what src0 offers is picked by data: gatherSource
    addSide(out, contiguous(w.sides[0], w), w, true);
    addSide(out, contiguous(w.sides[2], w), w, false);
    break;
  default:
    reduce(out, c, w);
    break;
  }
}

bool isReduction(Opcode op) { return op >= Opcode::V_CADD && op <= Opcode::V_CPADD; }
bool isSpecial(Opcode op) {
  return op == Opcode::V_CMP || op == Opcode::V_CMPS || op == Opcode::V_SEL || op >= Opcode::V_CADD;
}
bool readsDestination(Opcode op) { return op == Opcode::V_MLA || op == Opcode::V_AXPY; }

void vector(Footprints& out, const Command& c, const CoreState::Lanes& lanes) {
  if (c.op == Opcode::V_MASK || c.op == Opcode::V_COUNT)
    return;
  const VectorWalk w = vectorWalk(c, lanes);
  if (!w.repeats || !w.last_lane)
    return;
  if (isSpecial(c.op))
    return vectorSpecial(out, c, w);
  addSide(out, w.sides[0], w, true);
  addSide(out, w.sides[1], w, false);
  addSide(out, w.sides[2], w, false);
  if (readsDestination(c.op) && out.count < kMaxFootprints)
    addSide(out, w.sides[0], w, false);
}

} // namespace

VectorWalk vectorWalk(const Command& c, const CoreState::Lanes& lanes) {
  const isa::InstrInfo& info = isa::info(c.op);
  VectorWalk w;
  uint64_t strides = 0;
  unsigned sources = 0;
  const bool cast = c.op == Opcode::V_CAST;
  const unsigned dst_size = elementBytes(cast ? f::V_CAST::to::get(c.imm) : f::V_ADD::dtype::get(c.imm));
  const unsigned src_size = elementBytes(cast ? f::V_CAST::from::get(c.imm) : f::V_ADD::dtype::get(c.imm));
  w.dtype = static_cast<isa::DType>(
      cast ? (dst_size > src_size ? f::V_CAST::to::get(c.imm) : f::V_CAST::from::get(c.imm))
           : f::V_ADD::dtype::get(c.imm));
  for (unsigned i = 0; i < info.numRegs; ++i) {
    const isa::RegOperand& operand = info.regs[i];
    if (operand.role == isa::RoleKind::Cfg) {
      strides = c.r[i];
    } else if (operand.role == isa::RoleKind::Dst) {
      w.sides[0].address = c.r[i];
      w.sides[0].element = static_cast<uint8_t>(dst_size);
      w.sides[0].write = true;
    } else if (operand.role == isa::RoleKind::Src && sources < 2) {
      ++sources;
      w.sides[sources].address = c.r[i];
      w.sides[sources].element = static_cast<uint8_t>(src_size);
    }
  }
  if (c.op == Opcode::V_SEL && f::V_SEL::scalar::get(c.imm))
    w.sides[2] = VectorSide{};
  if (c.op == Opcode::V_GATHER)
    w.sides[2].element = 4;
  for (unsigned i = 0; i < 3; ++i) {
    w.sides[i].block_stride = strides >> (8 * i) & 255;
    w.sides[i].repeat_stride = strides >> (24 + 8 * i) & 255;
  }
  w.widest = static_cast<uint8_t>(std::max({w.sides[0].element, w.sides[1].element, w.sides[2].element}));
  if (!w.widest)
    return w;
  w.lanes = 256 / w.widest;
  const auto repeats = static_cast<uint32_t>(strides >> 48 & 255);
  if (lanes.count_mode && c.op != Opcode::V_TRANS && c.op != Opcode::V_BRCB) {
    w.elements = lanes.count;
    w.repeats = static_cast<uint32_t>((lanes.count + w.lanes - 1) / w.lanes);
    w.last_lane = static_cast<uint32_t>(std::min<uint64_t>(lanes.count, w.lanes));
    w.tail = static_cast<uint32_t>(lanes.count % w.lanes);
    return w;
  }
  w.repeats = repeats;
  const uint64_t low = lanes.mask[0], high = w.lanes > 64 ? lanes.mask[1] : 0;
  const uint64_t used = w.lanes >= 64 ? low : low & ((uint64_t{1} << w.lanes) - 1);
  w.last_lane = high ? 128 - static_cast<uint32_t>(__builtin_clzll(high))
                     : (used ? 64 - static_cast<uint32_t>(__builtin_clzll(used)) : 0);
  w.elements =
      uint64_t{repeats} * static_cast<uint64_t>(__builtin_popcountll(used) + __builtin_popcountll(high));
  // Packed bit masks and reductions count every lane of a repeat.
  if (isReduction(c.op) || c.op == Opcode::V_CMP || c.op == Opcode::V_CMPS || c.op == Opcode::V_SEL)
    w.elements = uint64_t{repeats} * w.lanes;
  return w;
}

Footprint gatherSource(const Command& c, const CoreState& state) {
  Footprint picked;
  if (c.op != Opcode::V_GATHER)
    return picked;
  uint32_t lowest = ~uint32_t{0}, highest = 0;
  const auto include = [&](uint64_t at) {
    uint32_t offset = 0;
    std::memcpy(&offset, &state.ub.at(at), sizeof offset);
    lowest = std::min(lowest, offset), highest = std::max(highest, offset);
  };
  for (const Footprint& offsets : footprintsOf(c, state.lanes))
    if (!offsets.write)
      for (uint32_t i = 0; i < offsets.count0; ++i)
        for (uint64_t at = 0; at < offsets.bytes; at += 4)
          include(offsets.address + static_cast<uint64_t>(offsets.stride0 * i) + at);
  if (lowest > highest)
    return picked;
  picked.address = c.r[f::V_GATHER::kSrc0] + lowest;
  picked.bytes = highest - lowest + elementBytes(f::V_GATHER::dtype::get(c.imm));
  picked.space = Space::UB;
  return picked;
}

Footprints footprintsOf(const Command& c, const CoreState::Lanes& lanes) {
  Footprints out;
  switch (c.op) {
  case Opcode::MTE2_COPY_L1:
    copyIn<f::MTE2_COPY_L1>(out, c, Space::L1);
    break;
  case Opcode::MTE2_COPY_UB:
    copyIn<f::MTE2_COPY_UB>(out, c, Space::UB);
    break;
  case Opcode::MTE2_ND2NZ:
    nd2nz(out, c);
    break;
  case Opcode::MTE2_FILL_L1:
    addStrided(out, Space::L1, true, c.r[0], f::MTE2_FILL_L1::bytes::get(c.r), 1, 0);
    break;
  case Opcode::MTE2_GATHER_UB:
    gatherRows(out, c);
    break;
  case Opcode::MTE3_COPY_L1:
    copyOut<f::MTE3_COPY_L1>(out, c, Space::L1);
    break;
  case Opcode::MTE3_COPY_UB:
    copyOut<f::MTE3_COPY_UB>(out, c, Space::UB);
    break;
  case Opcode::MTE1_LOAD_L0A:
    loadL0(out, c, true);
    break;
  case Opcode::MTE1_LOAD_L0B:
    loadL0(out, c, false);
    break;
  case Opcode::MTE1_IMG2COL_L0A:
    img2col(out, c);
    break;
  case Opcode::MTE1_LOAD_BT:
  case Opcode::MTE1_LOAD_FB: {
    const uint64_t bytes = f::MTE1_LOAD_BT::bytes::get(c.r);
    addStrided(out, c.op == Opcode::MTE1_LOAD_BT ? Space::BT : Space::FB, true, c.r[0], bytes, 1, 0);
    addStrided(out, Space::L1, false, c.r[1], bytes, 1, 0);
    break;
  }
  case Opcode::MMAD:
    mmad(out, c);
    break;
  case Opcode::FIX_GM:
  case Opcode::FIX_L1:
    fixpipe(out, c);
    break;
  default:
    vector(out, c, lanes);
    break;
  }
  return out;
}

} // namespace dlsim::core
