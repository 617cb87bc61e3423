#include "sim/memory/global_memory.h"

#include "isa/tables/hex.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace dlsim::sim {

namespace {

std::uint64_t alignUp(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

} // namespace

// calloc of a large block is a zero mapping of the host: pages cost nothing until they are touched.
std::byte* GlobalMemory::zeroBlock(std::uint64_t bytes) {
  void* block = std::calloc(bytes, 1);
  if (!block)
    throw std::bad_alloc();
  return static_cast<std::byte*>(block);
}

void GlobalMemory::map(std::uint64_t base, std::uint64_t bytes, std::string name, bool writable) {
  if (bytes == 0 || base + bytes < base)
    throw MemoryFault("cannot map '" + name + "': " + std::to_string(bytes) + " bytes at " + isa::hex(base),
                      base, bytes);
  const auto after = std::lower_bound(mappings_.begin(), mappings_.end(), base,
                                      [](const auto& m, std::uint64_t b) { return m->region.base < b; });
  const Mapping* next = after != mappings_.end() ? after->get() : nullptr;
  const Mapping* previous = after != mappings_.begin() ? std::prev(after)->get() : nullptr;
  const Mapping* clash = next && base + bytes > next->region.base                            ? next
                         : previous && previous->region.base + previous->region.bytes > base ? previous
                                                                                             : nullptr;
  if (clash)
    throw MemoryFault("cannot map '" + name + "' at " + describe(base, bytes) + ": it overlaps '" +
                          clash->region.name + "'",
                      base, bytes);
  auto mapping = std::make_unique<Mapping>();
  mapping->region = {base, bytes, std::move(name), writable};
  mapping->bytes.reset(zeroBlock(bytes));
  mappings_.insert(after, std::move(mapping));
}

std::uint64_t GlobalMemory::allocate(std::uint64_t bytes, std::string name) {
  const std::uint64_t base = nextBase_ + kPage;
  map(base, bytes ? bytes : 1, std::move(name));
  nextBase_ = alignUp(base + (bytes ? bytes : 1), kPage);
  return base;
}

void GlobalMemory::release(std::uint64_t base) {
  const auto found = std::find_if(mappings_.begin(), mappings_.end(),
                                  [base](const auto& m) { return m->region.base == base; });
  if (found == mappings_.end())
    throw MemoryFault("cannot release " + isa::hex(base) + ": no region begins there", base, 0);
  mappings_.erase(found);
}

void GlobalMemory::clear() {
  mappings_.clear();
  nextBase_ = kHeapBase;
}

const GlobalMemory::Mapping* GlobalMemory::find(std::uint64_t address) const noexcept {
  auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                [](std::uint64_t a, const auto& m) { return a < m->region.base; });
  if (after == mappings_.begin())
    return nullptr;
  const Mapping* mapping = std::prev(after)->get();
  return address - mapping->region.base < mapping->region.bytes ? mapping : nullptr;
}

bool GlobalMemory::mapped(std::uint64_t address, std::uint64_t bytes) const noexcept {
  const Mapping* mapping = find(address);
  return mapping && bytes <= mapping->region.bytes - (address - mapping->region.base);
}

const GlobalMemory::Mapping& GlobalMemory::require(std::uint64_t address, std::uint64_t bytes,
                                                   const char* verb) const {
  const Mapping* mapping = find(address);
  if (!mapping || bytes > mapping->region.bytes - (address - mapping->region.base))
    throw MemoryFault(std::string("global memory: ") + verb + " of unmapped " + describe(address, bytes),
                      address, bytes);
  return *mapping;
}

const std::byte* GlobalMemory::span(std::uint64_t address, std::uint64_t bytes) const {
  const Mapping& mapping = require(address, bytes, "read");
  return mapping.bytes.get() + (address - mapping.region.base);
}

std::byte* GlobalMemory::mutableSpan(std::uint64_t address, std::uint64_t bytes) {
  const Mapping& mapping = require(address, bytes, "write");
  if (!mapping.region.writable)
    throw MemoryFault("global memory: write of " + describe(address, bytes) + ", which is read-only", address,
                      bytes);
  return mapping.bytes.get() + (address - mapping.region.base);
}

void GlobalMemory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  if (bytes != 0)
    std::memcpy(to, span(address, bytes), bytes);
}

void GlobalMemory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  if (bytes != 0)
    std::memcpy(mutableSpan(address, bytes), from, bytes);
}

void GlobalMemory::zero(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0)
    return;
  std::byte* to = mutableSpan(address, bytes);
  for (const auto& mapping : mappings_)
    if (mapping->region.base == address && mapping->region.bytes == bytes) {
      mapping->bytes.reset(zeroBlock(bytes));
      return;
    }
  std::memset(to, 0, bytes);
}

const MemoryRegion* GlobalMemory::regionAt(std::uint64_t address) const noexcept {
  const Mapping* mapping = find(address);
  return mapping ? &mapping->region : nullptr;
}

std::vector<MemoryRegion> GlobalMemory::regions() const {
  std::vector<MemoryRegion> all;
  for (const auto& mapping : mappings_)
    all.push_back(mapping->region);
  return all;
}

std::string GlobalMemory::describe(std::uint64_t address, std::uint64_t bytes) const {
  std::string text =
      isa::hex(address) + ".." + isa::hex(address + bytes) + " (" + std::to_string(bytes) + " bytes)";
  if (const MemoryRegion* in = regionAt(address)) {
    text += ", " + std::to_string(address - in->base) + " bytes into '" + in->name + "'";
    if (!mapped(address, bytes))
      text += " of " + std::to_string(in->bytes) +
              " bytes: " + std::to_string(address + bytes - (in->base + in->bytes)) + " past its end";
    return text;
  }
  const MemoryRegion* nearest = nullptr;
  std::uint64_t distance = ~std::uint64_t{0};
  for (const auto& mapping : mappings_) {
    const MemoryRegion& region = mapping->region;
    const std::uint64_t gap =
        address < region.base ? region.base - address : address - (region.base + region.bytes);
    if (gap < distance) {
      distance = gap;
      nearest = &region;
    }
  }
  if (nearest)
    text += ", " + std::to_string(distance) + " bytes " +
            (address < nearest->base ? "before" : "past the end of") + " '" + nearest->name + "'";
  return text;
}

} // namespace dlsim::sim
