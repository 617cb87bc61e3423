#include "sim/values/vector.h"

#include <algorithm>
#include <cstring>

namespace dlsim::values {

Walk::Walk(core::CoreState& state, unsigned lanes, unsigned repeats)
    : state_(state), lanes_(lanes), countMode_(state.lanes.count_mode) {
  mask_[0] = state.lanes.mask[0];
  mask_[1] = state.lanes.mask[1];
  if (countMode_) {
    total_ = state.lanes.count;
    highest_ = static_cast<int>(std::min<uint64_t>(total_, lanes_)) - 1;
  } else {
    total_ = uint64_t{repeats} * lanes_;
    unsigned on = 0;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (active(lane)) {
        highest_ = static_cast<int>(lane);
        ++on;
      }
    masked_ = static_cast<int>(on) != highest_ + 1;
  }
  flat_ = countMode_ || (!masked_ && highest_ + 1 == static_cast<int>(lanes_));
}

void Walk::declare(const Side& side, bool target) {
  if (empty())
    return;
  uint64_t lastRepeat = (total_ - 1) / lanes_;
  unsigned last = static_cast<unsigned>(total_ - 1 - lastRepeat * lanes_); // of the last repeat
  uint64_t end = side.offset(lastRepeat, std::min(last, static_cast<unsigned>(highest_))) + side.size;
  if (lastRepeat > 0)
    end = std::max(end, side.offset(lastRepeat - 1, static_cast<unsigned>(highest_)) + side.size);
  onChip(state_, core::Space::UB, side.base, end);
  flat_ = flat_ && side.contiguous(lanes_);
  place(side.base, side.base + end, side.size, target);
}

void Walk::declareBits(uint64_t base, bool target) {
  if (empty())
    return;
  uint64_t bits = countMode_ ? total_ : total_ - lanes_ + static_cast<unsigned>(highest_) + 1;
  onChip(state_, core::Space::UB, base, (bits + 7) / 8);
  place(base, base + (bits + 7) / 8, 0, target);
}

// A source that is the target itself is read before it is written in any chunking; one that overlaps it
// otherwise may be overwritten by an earlier repeat.
void Walk::place(uint64_t base, uint64_t end, unsigned size, bool target) {
  if (target) {
    targetBase_ = base;
    targetEnd_ = end;
    targetSize_ = size;
    return;
  }
  bool same = base == targetBase_ && size == targetSize_ && size != 0;
  bool apart = end <= targetBase_ || base >= targetEnd_;
  flat_ = flat_ && (same || apart);
}

// Calls row(byte offset in UB, first element of the chunk, elements) for runs that are contiguous in UB.
template <class Row> void Walk::rows(const Side& side, const Chunk& chunk, Row row) const {
  if (chunk.masked) {
    for (unsigned i = 0; i < chunk.count; ++i)
      if (active(i))
        row(side.base + side.offset(chunk.repeat, i), i, 1u);
    return;
  }
  if (side.block == 1) { // also a flat chunk, whose repeats follow each other
    row(side.base + side.offset(chunk.repeat, 0), 0u, chunk.count);
    return;
  }
  unsigned perBlock = kBlockBytes / side.size;
  for (unsigned i = 0; i < chunk.count; i += perBlock)
    row(side.base + side.offset(chunk.repeat, i), i, std::min(perBlock, chunk.count - i));
}

void Walk::load(const Side& side, const Chunk& chunk, void* out) const {
  uint8_t* bytes = static_cast<uint8_t*>(out);
  if (chunk.masked)
    std::memset(bytes, 0, uint64_t{chunk.count} * side.size);
  const uint8_t* ub = state_.ub.data();
  rows(side, chunk, [&](uint64_t offset, unsigned first, unsigned count) {
    std::memcpy(bytes + uint64_t{first} * side.size, ub + offset, uint64_t{count} * side.size);
  });
}

void Walk::store(const Side& side, const Chunk& chunk, const void* in) const {
  const uint8_t* bytes = static_cast<const uint8_t*>(in);
  uint8_t* ub = state_.ub.data();
  rows(side, chunk, [&](uint64_t offset, unsigned first, unsigned count) {
    std::memcpy(ub + offset, bytes + uint64_t{first} * side.size, uint64_t{count} * side.size);
  });
}

void Walk::loadFloat(const Side& side, DType dtype, const Chunk& chunk, float* out) const {
  if (side.size == 4)
    return load(side, chunk, out);
  uint16_t half[kChunk];
  load(side, chunk, half);
  dtype == DType::F16 ? f16ToF32(half, out, chunk.count) : bf16ToF32(half, out, chunk.count);
}

void Walk::storeFloat(const Side& side, DType dtype, const Chunk& chunk, const float* in) const {
  if (side.size == 4)
    return store(side, chunk, in);
  uint16_t half[kChunk];
  dtype == DType::F16 ? f32ToF16(in, half, chunk.count) : f32ToBf16(in, half, chunk.count);
  store(side, chunk, half);
}

void Walk::loadBits(uint64_t base, const Chunk& chunk, uint8_t* bits) const {
  const uint8_t* packed = state_.ub.data() + base;
  for (unsigned i = 0; i < chunk.count; ++i) {
    uint64_t n = chunk.first + i;
    bits[i] = chunk.masked && !active(i) ? 0 : packed[n / 8] >> (n % 8) & 1;
  }
}

void Walk::storeBits(uint64_t base, const Chunk& chunk, const uint8_t* bits) const {
  uint8_t* packed = state_.ub.data() + base;
  for (unsigned i = 0; i < chunk.count; ++i) {
    if (chunk.masked && !active(i))
      continue;
    uint64_t n = chunk.first + i;
    uint8_t bit = static_cast<uint8_t>(1u << (n % 8));
    packed[n / 8] = static_cast<uint8_t>(bits[i] ? packed[n / 8] | bit : packed[n / 8] & ~bit);
  }
}

} // namespace dlsim::values
