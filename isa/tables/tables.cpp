#include "isa/tables/tables_impl.h"
#include <algorithm>

namespace dlsim::isa {

namespace {

constexpr unsigned kRegLow[6] = {49, 44, 39, 34, 29, 24};
constexpr uint64_t kNotLast = 1ULL << 63;
constexpr std::string_view kUnitNames[kNumUnits] = {"S", "MTE1", "MTE2", "MTE3", "FIX", "M", "V"};
constexpr std::string_view kUnitMnemonics[kNumUnits] = {"s", "mte1", "mte2", "mte3", "fix", "m", "v"};
constexpr std::string_view kScopeNames[] = {"none", "gm", "l1", "l0a", "l0b", "l0c", "ub", "bt", "fb"};
constexpr std::string_view kSlotNames[kNumSlots] = {"S0", "S1", "MTE1", "MTE2", "MTE3", "FIX", "M", "V"};
constexpr std::string_view kDTypeNames[kNumDTypes] = {"f16",  "bf16", "f32", "i8",  "i16", "i32",
                                                      "hf32", "u8",   "u16", "u32", "i64", "u64"};
constexpr uint8_t kDTypeBytes[kNumDTypes] = {2, 2, 4, 1, 2, 4, 4, 1, 2, 4, 8, 8};

int64_t signExtend(uint64_t value, unsigned width) {
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}

int64_t extendImmediate(const InstrInfo& info, uint64_t word) {
  switch (info.immKind) {
  case ImmKind::S24:
  case ImmKind::Branch:
    return signExtend(word, 24);
  case ImmKind::S32:
    return signExtend(word, 32);
  case ImmKind::None:
  case ImmKind::U24:
  case ImmKind::U32:
  case ImmKind::Flag:
    break;
  }
  return static_cast<int64_t>(word & info.immMask);
}

bool flagPeerExists(const InstrInfo& info, uint64_t word) {
  return info.immKind != ImmKind::Flag || (word >> 4 & 15) < kNumUnits;
}

} // namespace

const Field* FieldList::begin() const { return detail::kFields + first_; }

const Field* FieldList::find(std::string_view name) const {
  const Field* found = std::find_if(begin(), end(), [&](const Field& f) { return f.name == name; });
  return found == end() ? nullptr : found;
}

std::optional<Decoded> decode(uint64_t word) {
  const uint64_t bits = word & ~kNotLast;
  const InstrInfo* info = lookup(static_cast<uint16_t>(bits >> 54));
  if (!info || (bits & ~info->varBits) != info->fixedBits || !flagPeerExists(*info, bits))
    return std::nullopt;
  Decoded result{info, {}, extendImmediate(*info, bits), (word & kNotLast) == 0};
  for (unsigned i = 0; i < info->numRegs; ++i)
    result.r[i] = static_cast<uint8_t>(bits >> kRegLow[i] & 31);
  return result;
}

uint64_t encode(const Decoded& decoded) {
  const InstrInfo& info = *decoded.info;
  uint64_t word = info.fixedBits | (static_cast<uint64_t>(decoded.imm) & info.immMask);
  for (unsigned i = 0; i < info.numRegs; ++i)
    word |= static_cast<uint64_t>(decoded.r[i] & 31) << kRegLow[i];
  return decoded.last ? word : word | kNotLast;
}

const InstrInfo& info(Opcode opcode) {
  return detail::kInstructions[static_cast<size_t>(detail::kByOpcode[static_cast<size_t>(opcode)])];
}

const InstrInfo* lookup(uint16_t opcodeBits) {
  const int row = opcodeBits < 512 ? detail::kByOpcode[opcodeBits] : -1;
  return row < 0 ? nullptr : &detail::kInstructions[static_cast<size_t>(row)];
}

const InstrInfo* lookup(std::string_view mnemonic) {
  const auto& order = detail::kByMnemonic;
  const auto at =
      std::lower_bound(order.begin(), order.end(), mnemonic, [](uint16_t row, std::string_view m) {
        return detail::kInstructions[row].mnemonic < m;
      });
  if (at == order.end() || detail::kInstructions[*at].mnemonic != mnemonic)
    return nullptr;
  return &detail::kInstructions[*at];
}

const std::array<InstrInfo, kNumInstructions>& instructions() { return detail::kInstructions; }

unsigned dtypeBytes(DType dtype) {
  const auto code = static_cast<size_t>(dtype);
  return code < kNumDTypes ? kDTypeBytes[code] : 0;
}

std::string_view dtypeName(DType dtype) {
  const auto code = static_cast<size_t>(dtype);
  return code < kNumDTypes ? kDTypeNames[code] : "?";
}

std::optional<DType> dtypeByName(std::string_view name) {
  for (unsigned code = 0; code < kNumDTypes; ++code)
    if (kDTypeNames[code] == name)
      return static_cast<DType>(code);
  return std::nullopt;
}

std::string_view unitName(Unit unit) { return kUnitNames[static_cast<size_t>(unit)]; }
std::string_view unitMnemonic(Unit unit) { return kUnitMnemonics[static_cast<size_t>(unit)]; }

std::optional<Unit> unitByName(std::string_view name) {
  for (unsigned u = 0; u < kNumUnits; ++u)
    if (kUnitNames[u] == name || kUnitMnemonics[u] == name)
      return static_cast<Unit>(u);
  return std::nullopt;
}

std::string_view scopeName(Scope scope) { return kScopeNames[static_cast<size_t>(scope)]; }
std::string_view slotName(unsigned slotIndex) { return slotIndex < kNumSlots ? kSlotNames[slotIndex] : "?"; }

std::string toString(const Decoded& decoded) {
  const InstrInfo& info = *decoded.info;
  std::string text(info.mnemonic);
  const char* separator = " ";
  for (unsigned i = 0; i < info.numRegs; ++i, separator = ", ")
    text += separator + ("r" + std::to_string(decoded.r[i]));
  if (info.immKind == ImmKind::Flag)
    return text + separator + std::string(unitMnemonic(static_cast<Unit>(decoded.imm >> 4 & 15))) + ", " +
           std::to_string(decoded.imm & 7);
  if (info.immKind != ImmKind::None)
    text += separator + std::to_string(decoded.imm);
  return text;
}

} // namespace dlsim::isa
