// Device global memory: a flat 64-bit address space in which only mapped regions exist. Bytes of a region are
// contiguous on the host and zero until written; the host commits them page by page when they are touched, so
// a large region costs nothing until it is used. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dlsim::sim {

/// An access outside every region, or a mapping that collides. The text names the range and the nearest
/// region.
class MemoryFault : public std::runtime_error {
public:
  MemoryFault(const std::string& text, std::uint64_t address, std::uint64_t bytes)
      : std::runtime_error(text), address(address), bytes(bytes) {}
  std::uint64_t address;
  std::uint64_t bytes;
};

struct MemoryRegion {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::string name;
  bool writable = true;
};

class GlobalMemory {
public:
  static constexpr std::uint64_t kPage = 4096; // alignment of a region, and the least gap between two
  static constexpr std::uint64_t kCodeBase = 0x1000'0000;
  static constexpr std::uint64_t kConstantBase = 0x2000'0000;
  static constexpr std::uint64_t kArgumentBase = 0x3000'0000;
  static constexpr std::uint64_t kStackBase = 0x4000'0000;
  static constexpr std::uint64_t kHeapBase = 0x1'0000'0000;

  GlobalMemory() = default;
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Maps [base, base + bytes); throws MemoryFault if it touches another region.
  void map(std::uint64_t base, std::uint64_t bytes, std::string name, bool writable = true);
  /// Maps `bytes` above kHeapBase, aligned to kPage, with an unmapped page before and after. Returns its
  /// base.
  std::uint64_t allocate(std::uint64_t bytes, std::string name);
  /// Unmaps the region that begins at `base`.
  void release(std::uint64_t base);
  /// Unmaps everything.
  void clear();

  void read(std::uint64_t address, void* to, std::size_t bytes) const;
  void write(std::uint64_t address, const void* from, std::size_t bytes);
  /// Makes a range zero. A whole region gives its host pages back: its spans are no longer valid.
  void zero(std::uint64_t address, std::uint64_t bytes);
  template <class T> T load(std::uint64_t address) const {
    T value;
    read(address, &value, sizeof value);
    return value;
  }
  template <class T> void store(std::uint64_t address, const T& value) {
    write(address, &value, sizeof value);
  }

  /// Host pointers to a whole range, valid until the region is released. Throws MemoryFault if the range is
  /// not inside one region. Safe to use from a second thread while no region is mapped or released.
  const std::byte* span(std::uint64_t address, std::uint64_t bytes) const;
  std::byte* mutableSpan(std::uint64_t address, std::uint64_t bytes);

  bool mapped(std::uint64_t address, std::uint64_t bytes) const noexcept;
  /// The region that holds `address`, or null.
  const MemoryRegion* regionAt(std::uint64_t address) const noexcept;
  std::vector<MemoryRegion> regions() const;
  /// "0x100002000..0x100002100 (256 bytes), 64 bytes past the end of 'a'": for error messages.
  std::string describe(std::uint64_t address, std::uint64_t bytes) const;

private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  struct Mapping {
    MemoryRegion region;
    std::unique_ptr<std::byte[], Free> bytes;
  };
  static std::byte* zeroBlock(std::uint64_t bytes);
  const Mapping* find(std::uint64_t address) const noexcept;
  const Mapping& require(std::uint64_t address, std::uint64_t bytes, const char* verb) const;

  std::vector<std::unique_ptr<Mapping>> mappings_; // sorted by base
  std::uint64_t nextBase_ = kHeapBase;
};

} // namespace dlsim::sim
