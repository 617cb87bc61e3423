// Traffic for memory tests and benchmarks: cores that stream bursts through the memory system.
#pragma once

#include "sim/memory/memory_system.h"

#include <functional>
#include <memory>
#include <vector>

namespace dlsim::sim::testing {

/// One core's stream: `total` bytes from `base` on, in transfers of `bytes`, at most `depth` unfinished.
struct StreamShape {
  std::uint64_t base = 0;
  std::uint64_t total = 0;
  std::uint64_t bytes = 16384; // of one transfer
  std::uint64_t row = 0;       // > 0: rows of this length, `rowStride` apart
  std::uint64_t rowStride = 0;
  std::uint64_t wrap = 0; // > 0: addresses start again from base after this many bytes
  unsigned depth = 4;
  GmShape shape = GmShape::Copy;
  bool write = false, bypass = false;
  GmUnit unit = GmUnit::Mte2;
};

class Stream {
public:
  Stream(MemorySystem& memory, std::uint32_t core, const StreamShape& shape)
      : memory_(memory), shape_(shape) {
    for (unsigned i = 0; i < shape.depth; ++i) {
      parts_.push_back(std::make_unique<Part>(*this));
      Part& part = *parts_.back();
      part.core = core;
      part.unit = shape.unit;
      part.write = shape.write;
      part.bypass = shape.bypass;
      part.shape = shape.shape;
      if (shape.row) {
        part.length = shape.row;
        part.count = static_cast<std::uint32_t>(shape.bytes / shape.row);
        part.stride = static_cast<std::int64_t>(shape.rowStride);
      } else {
        part.length = shape.bytes;
      }
    }
  }
  void start() {
    for (auto& part : parts_)
      next(*part);
  }
  Cycle end() const { return end_; }
  bool finished() const { return done_ == shape_.total; }

private:
  struct Part final : GmTransfer {
    explicit Part(Stream& stream) : stream(stream) {}
    void done(Cycle now) override {
      stream.done_ += totalBytes();
      stream.end_ = now;
      stream.next(*this);
    }
    Stream& stream;
  };
  void next(Part& part) {
    if (begun_ >= shape_.total)
      return;
    const std::uint64_t step = shape_.row ? shape_.bytes / shape_.row * shape_.rowStride : shape_.bytes;
    std::uint64_t offset = begun_ / shape_.bytes * step;
    if (shape_.wrap)
      offset %= shape_.wrap;
    part.address = shape_.base + offset;
    begun_ += part.totalBytes();
    memory_.start(part);
  }

  MemorySystem& memory_;
  StreamShape shape_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::uint64_t begun_ = 0, done_ = 0;
  Cycle end_ = 0;
};

/// Runs streams on the given cores to the end, by `run` if the calendar is hosted; returns the cycles from
/// now to the last byte.
inline Cycle runStreams(Calendar& calendar, MemorySystem& memory, const std::vector<std::uint32_t>& cores,
                        const std::function<StreamShape(std::uint32_t)>& shapeOf,
                        const std::function<void()>& run = {}) {
  const Cycle begin = calendar.now();
  std::vector<std::unique_ptr<Stream>> streams;
  for (const std::uint32_t core : cores)
    streams.push_back(std::make_unique<Stream>(memory, core, shapeOf(core)));
  for (auto& stream : streams)
    stream->start();
  if (run)
    run();
  else
    calendar.run();
  Cycle end = begin;
  for (auto& stream : streams)
    end = std::max(end, stream->end());
  return end - begin;
}

inline std::vector<std::uint32_t> coresOf(const ChipSpec& chip, const std::string& kind,
                                          std::uint32_t count = ~0u) {
  std::vector<std::uint32_t> cores;
  for (std::uint32_t i = 0; i < std::min(count, chip.count(kind)); ++i)
    cores.push_back(chip.coreIndex(kind, i));
  return cores;
}

} // namespace dlsim::sim::testing
