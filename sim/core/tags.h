// Tags of a small set-associative cache with LRU replacement: hits and victims, no data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dlsim::core {

class CacheTags {
public:
  CacheTags(uint64_t bytes, uint32_t line_bytes, uint32_t ways);

  uint64_t lineOf(uint64_t address) const { return address / line_bytes_; }
  uint32_t lineBytes() const { return line_bytes_; }
  // True on a hit, which becomes the most recently used.
  bool touch(uint64_t line);
  bool contains(uint64_t line) const;
  void markDirty(uint64_t line);
  // Puts a line in; returns the dirty line it displaced, if any.
  std::optional<uint64_t> insert(uint64_t line);
  void clear();

private:
  struct Way {
    uint64_t line = ~uint64_t{0};
    uint64_t used = 0;
    bool dirty = false;
  };
  Way* find(uint64_t line);
  const Way* find(uint64_t line) const;

  uint32_t line_bytes_, ways_;
  uint64_t sets_;
  uint64_t clock_ = 0;
  std::vector<Way> table_;
};

} // namespace dlsim::core
