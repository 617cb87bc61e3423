// The unit flag: a handshake of the cube and the fixpipe over every 512-byte block of L0C, in place of a flag
// for a whole command (asc-devkit docs). An mmad finds a block's flag clear before it writes the block, and
// sets it if it is the last of its chain; the fixpipe reads a block once its flag is set, and clears it.
// Blocks change hands one by one, so the fixpipe follows the last mmad and the next mmad the fixpipe.
#pragma once

#include "sim/calendar/calendar.h"

#include <cstdint>
#include <vector>

namespace dlsim::core {

// The values of the field `unitflag` of m.mmad and fix.copy.
enum class UnitFlagMode : uint8_t {
  Off = 0,
  Keep = 2,   // obeys the flags and leaves them
  Change = 3, // obeys the flags; mmad sets them, fixpipe clears them
};
inline UnitFlagMode unitFlagMode(uint64_t field) {
  return field < 2 ? UnitFlagMode::Off : static_cast<UnitFlagMode>(field);
}

// A tile of L0C as a command walks it: fractals of 16 x 16 four-byte elements, down a column block, then
// the next.
struct L0CTile {
  uint64_t address = 0;      // bytes
  uint64_t down = 0;         // fractals of a column block
  uint64_t across = 0;       // column blocks
  uint64_t block_stride = 0; // bytes between column blocks

  uint64_t fractals() const { return down * across; }
  uint64_t end() const;
};

// Times are instants in 1/256 cycle. `pace`: ticks that a unit takes for a fractal.
class UnitFlags {
public:
  explicit UnitFlags(uint64_t l0c_bytes) : blocks_((l0c_bytes + kBlockBytes - 1) / kBlockBytes) {}
  void reset();

  // The earliest start, from `now` on, of an mmad that writes a fractal every `pace`: kNeverTick while a
  // block's flag is set and nobody is reading it.
  sim::Tick writable(const L0CTile& tile, sim::Tick pace, sim::Tick now) const;
  // An mmad whose first fractal is done at `first` sets the flags.
  void set(const L0CTile& tile, sim::Tick first, sim::Tick pace);

  // Whether all flags are set, or will be: their mmad has started.
  bool readable(const L0CTile& tile) const;
  struct Read {
    sim::Tick begin = 0; // the first fractal is there
    sim::Tick end = 0;   // the last one has been read
  };
  // The fixpipe reads from `from` on, one fractal a `pace` at most; with `clear` the flags are clear from the
  // reading of each block on.
  Read read(const L0CTile& tile, sim::Tick from, sim::Tick pace, bool clear);

  static constexpr sim::Tick kNeverTick = ~sim::Tick{0};
  static constexpr uint64_t kBlockBytes = 512, kFractalBytes = 1024;

private:
  struct Block {
    bool set = false;
    sim::Tick at = 0; // set: the product is there; clear: it has been read
  };
  template <class F> void eachBlock(const L0CTile& tile, F&& f) const;

  std::vector<Block> blocks_;
  uint64_t flags_set_ = 0;
  sim::Tick latest_clear_ = 0;
};

} // namespace dlsim::core
