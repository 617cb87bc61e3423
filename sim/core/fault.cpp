#include "sim/core/fault.h"

#include <cstdio>

namespace dlsim::core {

const char* faultKindName(FaultKind kind) {
  switch (kind) {
  case FaultKind::IllegalWord:
    return "illegal word";
  case FaultKind::OutOfRange:
    return "on-chip access out of range";
  case FaultKind::Misaligned:
    return "misaligned on-chip address";
  case FaultKind::UnmappedMemory:
    return "unmapped global memory";
  case FaultKind::BadOperand:
    return "bad operand";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::FlagOverflow:
    return "flag overflow";
  case FaultKind::PoisonUse:
    return "a value that timing-only did not compute";
  case FaultKind::MaxCycles:
    return "cycle limit reached";
  case FaultKind::Deadlock:
    return "deadlock";
  }
  return "fault";
}

std::string Fault::text() const {
  std::string out = faultKindName(kind);
  if (!core_name.empty())
    out += " on " + core_name + ", unit " + unitText(unit);
  if (!command.empty())
    out += ", " + command;
  if (kind == FaultKind::OutOfRange || kind == FaultKind::Misaligned || kind == FaultKind::UnmappedMemory) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, ", %s address 0x%llx", spaceName(space),
                  static_cast<unsigned long long>(address));
    out += buffer;
  }
  if (!source.empty())
    out += ", at " + source;
  char where[64];
  if (!core_name.empty()) {
    std::snprintf(where, sizeof where, " (pc 0x%x)", pc);
    out += where;
  }
  std::snprintf(where, sizeof where, ", cycle %llu", static_cast<unsigned long long>(cycle));
  out += where;
  if (!detail.empty())
    out += ": " + detail;
  return out;
}

} // namespace dlsim::core
