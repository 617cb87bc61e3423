#include "sim/tools/printed.h"

#include "sim/tools/source_view.h"
#include "sim/values/number.h"

#include "isa/tables/hex.h"

namespace dlsim::tools {

namespace {

std::string floatText(float value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value));
  return buffer;
}

// A register's value as an element of that type.
std::string valueText(const std::string& dtype, uint64_t bits, bool hex) {
  if (dtype == "f32")
    return floatText(values::bitCast<float>(static_cast<uint32_t>(bits)));
  if (dtype == "f16")
    return floatText(values::f16ToF32(static_cast<uint16_t>(bits)));
  if (dtype == "bf16")
    return floatText(values::bf16ToF32(static_cast<uint16_t>(bits)));
  if (dtype == "i1")
    return bits & 1 ? "true" : "false";
  const unsigned width = std::stoul(dtype.substr(1));
  const uint64_t masked = width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
  if (hex)
    return isa::hex(masked);
  if (dtype[0] == 'u')
    return std::to_string(masked);
  return std::to_string(static_cast<int64_t>(masked << (64 - width)) >> (64 - width));
}

// Nested lists as numpy writes them; `at` moves on.
std::string listText(const dlk::Message::Value& value, bool hex, size_t dimension,
                     std::vector<uint64_t>::const_iterator& at) {
  if (dimension == value.shape.size())
    return valueText(value.dtype, *at++, hex);
  std::string text = "[";
  for (uint64_t i = 0; i < value.shape[dimension]; ++i)
    text += (i ? ", " : "") + listText(value, hex, dimension + 1, at);
  return text + "]";
}

uint64_t valuesOf(const dlk::Message& message) {
  uint64_t sum = 0;
  for (const dlk::Message::Value& value : message.values)
    sum += value.count();
  return sum;
}

} // namespace

std::string messageText(const dlk::Message& message, const std::string& core,
                        const std::vector<uint64_t>& values) {
  std::string text = message.line.empty() ? "" : message.line + ": ", ids, rest;
  auto at = values.begin();
  for (size_t i = 0; i < message.values.size(); ++i) {
    const bool program = i < message.programs;
    const std::string one = listText(message.values[i], message.hex && !program, 0, at);
    if (program)
      ids += (i ? ", " : "") + one;
    else
      rest += " " + one;
  }
  text += "program (" + ids + ") on " + core + ": " + message.text;
  return text + rest;
}

void Printed::print(const observe::PrintRecord& record) {
  if (!measured_ || record.message >= kernel_.messages.size() || kernel_.messages[record.message].fatal)
    return;
  const dlk::Message& message = kernel_.messages[record.message];
  const std::string core = coreName(chip_, record.core);
  std::vector<uint64_t>& values = pending_[{core, record.message}];
  values.push_back(record.value);
  if (values.size() < valuesOf(message))
    return;
  std::fprintf(out_, "%s\n", messageText(message, core, values).c_str());
  values.clear();
}

std::string faultText(const dlk::Kernel& kernel, core::Fault fault) {
  const bool known = fault.kind == core::FaultKind::Trap && fault.address < kernel.messages.size() &&
                     kernel.messages[fault.address].fatal;
  if (known)
    fault.detail = "assertion failed: " + kernel.messages[fault.address].text;
  return fault.text();
}

} // namespace dlsim::tools
