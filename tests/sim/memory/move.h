// One transfer of a memory test, which notes when it was issued and done.
#pragma once

#include "sim/memory/gm_transfer.h"

#include <vector>

namespace dlsim::sim::testing {

struct Move final : GmTransfer {
  Move() = default;
  Move(std::uint32_t onCore, GmUnit onUnit, std::uint64_t from, std::uint64_t bytes, bool isWrite = false) {
    core = onCore;
    unit = onUnit;
    address = from;
    length = bytes;
    write = isWrite;
  }
  Move& rows(std::uint32_t number, std::int64_t apart, GmShape as = GmShape::Copy) {
    count = number;
    stride = apart;
    shape = as;
    return *this;
  }
  Move& gather(const std::vector<std::uint64_t>& from) {
    count = static_cast<std::uint32_t>(from.size());
    addresses = from.data();
    shape = GmShape::Gather;
    return *this;
  }
  void issued(Cycle now) override { issuedAt = now; }
  void done(Cycle now) override { doneAt = now; }
  /// From start() to done() and to issued().
  Cycle took() const { return doneAt - started; }
  Cycle left() const { return issuedAt - started; }
  Cycle issuedAt = 0, doneAt = 0;
};

} // namespace dlsim::sim::testing
