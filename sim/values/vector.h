// How a vector command walks UB: repeats, strides, lanes. See the head of isa/isa/DLNPUVector.td.
//
// A command is a sequence of chunks. Normally a chunk is one repeat: all sources are read, then the
// destination is written, then comes the next repeat. When every operand is contiguous and no source overlaps
// the destination other than exactly, chunks of many repeats give the same result and are what runs.
#pragma once

#include "sim/core/core_state.h"
#include "sim/values/access.h"
#include "sim/values/number.h"

#include <cstdint>
#include <initializer_list>

namespace dlsim::values {

inline constexpr unsigned kChunk = 1024; // elements of a chunk at most
inline constexpr unsigned kRepeatBytes = 256;
inline constexpr unsigned kBlockBytes = 32;

// The strides word that every vector command carries.
struct Strides {
  explicit Strides(uint64_t word) : word(word) {}
  uint64_t word;
  unsigned block(unsigned side) const { return word >> (8 * side) & 0xff; } // 0 dst, 1 src0, 2 src1
  unsigned repeat(unsigned side) const { return word >> (24 + 8 * side) & 0xff; }
  unsigned repeats() const { return word >> 48 & 0xff; }
};

// One vector operand.
struct Side {
  uint64_t base;
  unsigned size; // bytes of an element
  unsigned block, repeat;

  Side(uint64_t base, unsigned size, const Strides& s, unsigned side)
      : base(base), size(size), block(s.block(side)), repeat(s.repeat(side)) {}
  uint64_t offset(uint64_t repeatNumber, unsigned lane) const {
    uint64_t byte = uint64_t{lane} * size;
    return repeatNumber * repeat * kBlockBytes + byte / kBlockBytes * block * kBlockBytes +
           byte % kBlockBytes;
  }
  bool contiguous(unsigned lanes) const {
    return block == 1 && uint64_t{repeat} * kBlockBytes == uint64_t{lanes} * size;
  }
};

struct Chunk {
  uint64_t first;  // element number over all repeats
  unsigned count;  // elements; of one repeat, or of several when the walk is flat
  uint64_t repeat; // the repeat that `first` is in
  bool masked;     // some of the elements are off
};

class Walk {
public:
  // lanes: elements of a repeat.
  Walk(core::CoreState& state, unsigned lanes, unsigned repeats);

  // Declares the operands, the target first: checks their ranges and decides whether chunks may span repeats.
  void target(const Side& side) { declare(side, true); }
  void source(const Side& side) { declare(side, false); }

  unsigned lanes() const { return lanes_; }
  bool empty() const { return total_ == 0 || highest_ < 0; }
  uint64_t total() const { return total_; }
  bool active(unsigned lane) const { return countMode_ || (mask_[lane / 64] >> (lane % 64) & 1); }

  template <class F> void forEach(F f) const {
    if (empty())
      return;
    if (flat_) {
      for (uint64_t i = 0; i < total_; i += kChunk)
        f(Chunk{i, static_cast<unsigned>(total_ - i < kChunk ? total_ - i : kChunk), i / lanes_, false});
      return;
    }
    forEachRepeat(f);
  }
  template <class F> void forEachRepeat(F f) const {
    if (empty())
      return;
    unsigned inRepeat = static_cast<unsigned>(highest_) + 1;
    for (uint64_t i = 0, r = 0; i < total_; i += lanes_, ++r)
      f(Chunk{i, static_cast<unsigned>(total_ - i < inRepeat ? total_ - i : inRepeat), r, masked_});
  }

  // Copies a chunk's elements between UB and a dense array. Lanes that are off are neither read (their
  // elements of `out` are zero) nor written.
  void load(const Side& side, const Chunk& chunk, void* out) const;
  void store(const Side& side, const Chunk& chunk, const void* in) const;
  void loadFloat(const Side& side, DType dtype, const Chunk& chunk, float* out) const; // f16, bf16, f32
  void storeFloat(const Side& side, DType dtype, const Chunk& chunk, const float* in) const;

  // Packed bits, one an element: of a comparison result or a selection mask. `bits` holds a byte an element.
  void targetBits(uint64_t base) { declareBits(base, true); }
  void sourceBits(uint64_t base) { declareBits(base, false); }
  void loadBits(uint64_t base, const Chunk& chunk, uint8_t* bits) const;
  void storeBits(uint64_t base, const Chunk& chunk, const uint8_t* bits) const;

private:
  void declare(const Side& side, bool target);
  void declareBits(uint64_t base, bool target);
  void place(uint64_t base, uint64_t end, unsigned size, bool target);
  template <class Row> void rows(const Side& side, const Chunk& chunk, Row row) const;

  core::CoreState& state_;
  unsigned lanes_;
  bool countMode_;
  uint64_t mask_[2];
  int highest_ = -1;    // highest lane that is on
  bool masked_ = false; // lanes below it that are off
  uint64_t total_ = 0;
  bool flat_;
  uint64_t targetBase_ = 0, targetEnd_ = 0;
  unsigned targetSize_ = 0;
};

} // namespace dlsim::values
