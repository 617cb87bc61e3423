// What the program prints (tt.print), a line a message, and the words of its failed assertions.
#pragma once

#include "sim/config/chip_spec.h"
#include "sim/core/fault.h"
#include "sim/observe/observer.h"

#include "isa/dlk/kernel.h"

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

namespace dlsim::tools {

// Collects the values of each message, core by core, and writes a line when the last one is there.
class Printed final : public observe::Observer {
public:
  Printed(const sim::ChipSpec& chip, const dlk::Kernel& kernel, std::FILE* out)
      : chip_(chip), kernel_(kernel), out_(out) {}
  // A warm-up launch prints nothing.
  void begin(bool measured) {
    measured_ = measured;
    pending_.clear();
  }
  void print(const observe::PrintRecord& record) override;

private:
  const sim::ChipSpec& chip_;
  const dlk::Kernel& kernel_;
  std::FILE* out_;
  bool measured_ = true;
  std::map<std::pair<std::string, uint32_t>, std::vector<uint64_t>> pending_; // by core and message
};

// "kernel.py:12: program (1, 0) on AIV2: x: 5 [1, 2]", without the end of the line.
std::string messageText(const dlk::Message& message, const std::string& core,
                        const std::vector<uint64_t>& values);

// The fault, with the message of a trap that the kernel binary knows.
std::string faultText(const dlk::Kernel& kernel, core::Fault fault);

} // namespace dlsim::tools
