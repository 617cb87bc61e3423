// Tags and replacement order of a set-associative cache, least recently used first. A set's tags and its
// order lie together in whole host cache lines, so that a lookup touches two of them (24 ways).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace dlsim::sim {

class TagStore {
public:
  TagStore(std::uint32_t sets, std::uint32_t ways)
      : ways_(ways), stride_((ways * (sizeof(std::uint32_t) + 1) + 63) / 64 * 64), bytes_(sets * stride_) {
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, bytes_)));
    if (!memory_)
      throw std::bad_alloc();
    clear();
  }

  /// The way that holds `tag`, -1 if none. Tags are below 2^32 - 1.
  int find(std::uint32_t set, std::uint32_t tag) const {
    const std::uint32_t* tags = tagsOf(set);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (tags[way] == tag + 1)
        return static_cast<int>(way);
    return -1;
  }
  /// Makes `way` the most recently used.
  void touch(std::uint32_t set, std::uint32_t way) {
    std::uint8_t* order = orderOf(set);
    if (order[0] == way)
      return;
    const auto* at = static_cast<const std::uint8_t*>(std::memchr(order, static_cast<int>(way), ways_));
    std::memmove(order + 1, order, static_cast<std::size_t>(at - order));
    order[0] = static_cast<std::uint8_t>(way);
  }
  /// The way to replace: an empty one if there is any, for empty ways were never touched.
  std::uint32_t victim(std::uint32_t set) const { return orderOf(set)[ways_ - 1]; }
  bool empty(std::uint32_t set, std::uint32_t way) const { return tagsOf(set)[way] == 0; }
  std::uint32_t tag(std::uint32_t set, std::uint32_t way) const { return tagsOf(set)[way] - 1; }
  void put(std::uint32_t set, std::uint32_t way, std::uint32_t tag) { tagsOf(set)[way] = tag + 1; }

  void prefetch(std::uint32_t set) const {
    for (std::size_t at = 0; at < stride_; at += 64)
      __builtin_prefetch(memory_.get() + set * stride_ + at, 1);
  }
  void clear() {
    std::memset(memory_.get(), 0, bytes_);
    for (std::uint32_t set = 0; set < bytes_ / stride_; ++set)
      for (std::uint32_t way = 0; way < ways_; ++way)
        orderOf(set)[way] = static_cast<std::uint8_t>(way);
  }

private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::uint32_t* tagsOf(std::uint32_t set) const {
    return reinterpret_cast<std::uint32_t*>(memory_.get() + set * stride_);
  }
  std::uint8_t* orderOf(std::uint32_t set) const {
    return reinterpret_cast<std::uint8_t*>(memory_.get() + set * stride_) + ways_ * sizeof(std::uint32_t);
  }

  std::uint32_t ways_;
  std::size_t stride_, bytes_;
  std::unique_ptr<std::byte[], Free> memory_;
};

} // namespace dlsim::sim
