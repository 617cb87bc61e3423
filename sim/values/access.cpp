#include "sim/values/access.h"

#include <cinttypes>
#include <cstdio>

namespace dlsim::values {

void throwOutOfRange(core::Space space, uint64_t address, uint64_t size, uint64_t limit) {
  char text[160];
  std::snprintf(text, sizeof text,
                "access to bytes 0x%" PRIx64 "..0x%" PRIx64 " is outside the memory's 0x%" PRIx64 " bytes",
                address, address + size, limit);
  throw ValueFault(core::FaultKind::OutOfRange, space, address, size, limit, text);
}

void throwBadOperand(const std::string& detail) {
  throw ValueFault(core::FaultKind::BadOperand, core::Space::GM, 0, 0, 0, detail);
}

const uint8_t* gmSource(const GlobalMemory& gm, uint64_t address, uint64_t size) {
  try {
    return reinterpret_cast<const uint8_t*>(gm.span(address, size));
  } catch (const sim::MemoryFault& fault) {
    throw ValueFault(core::FaultKind::UnmappedMemory, core::Space::GM, address, size, 0, fault.what());
  }
}

uint8_t* gmTarget(GlobalMemory& gm, uint64_t address, uint64_t size) {
  try {
    return reinterpret_cast<uint8_t*>(gm.mutableSpan(address, size));
  } catch (const sim::MemoryFault& fault) {
    throw ValueFault(core::FaultKind::UnmappedMemory, core::Space::GM, address, size, 0, fault.what());
  }
}

GmRows::GmRows(GlobalMemory& gm, uint64_t address, uint64_t stride, uint64_t count, uint64_t length)
    : gm_(gm), address_(address), stride_(stride), length_(length) {
  constexpr uint64_t kSane = uint64_t{1} << 48; // keeps the products below from wrapping
  if (count == 0 || length == 0 || count > 0xffffffffu || stride >= kSane / (count + 1))
    return;
  uint64_t total = (count - 1) * stride + length;
  if (gm.mapped(address, total))
    flat_ = reinterpret_cast<const uint8_t*>(gm.span(address, total));
}

} // namespace dlsim::values
